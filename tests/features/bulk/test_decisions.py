"""What bulk work decides, without an effect."""

import asyncio

import msgspec
import pytest
from returns.result import Failure, Result, Success

from webseam.composition.features.bulk.conversion import convert_with_retries
from webseam.kernel.features.bulk.bulk_rows import (
    RowRules,
    bulk_filter_columns,
    bulk_item_refusal,
    is_bulk_machine_overload,
    is_doubtful_bulk_failure,
    make_bulk_row,
    was_bulk_worker_killed,
)
from webseam.kernel.features.bulk.counts import ShardEntry, is_count_complete, sum_shards
from webseam.kernel.features.bulk.filters import ValueKind, make_bulk_row_filter
from webseam.kernel.features.bulk.near_duplicates import text_shingles
from webseam.kernel.features.bulk.pace import robots_txt_meaning
from webseam.kernel.features.bulk.quality import quality_signals
from webseam.kernel.features.bulk.url_lists import (
    ListEntry,
    ListForm,
    read_url_list,
    sniff_url_list,
)
from webseam.ports.bulk import BulkItem
from webseam.ports.errors import (
    ConnectFailed,
    EmptyContent,
    HttpStatus,
    InvalidQuery,
    InvalidUrl,
    ParseFailed,
    WebError,
)
from webseam.ports.pages import ReadPage

ITEM = BulkItem(source="a.warc", offset=7, url="https://a.example/", body=b"x")
PAGE = ReadPage(title="T", content="Some words.", author="Ann")
TAKEN = "there are columns, numbers, texts, comparisons, and, or, not, in, is, len()"
RULES = RowRules(language=lambda _: "en")


def test_a_row_holds_the_page_its_hashes_and_what_it_says_about_itself() -> None:
    row = make_bulk_row(3, ITEM, Success(PAGE), RULES)

    assert (row.row, row.title, row.content, row.language) == (3, "T", "Some words.", "en")
    assert row.metadata == ('{"author":"Ann","complete":true,"cuts":[],"left_out":[],"notes":[]}')
    walled = Success(msgspec.structs.replace(PAGE, access="payment", complete=False))
    assert make_bulk_row(3, ITEM, walled, RULES).metadata == (
        '{"access":"payment","author":"Ann","complete":false,"cuts":[],"left_out":[],"notes":[]}'
    )
    assert row.body_sha256 == "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881"
    assert row.receipt == '{"backend":"pages","record":null}'
    assert (row.error, row.kept, row.quality) == (None, None, None)


def test_the_signal_that_ended_a_converter_is_no_part_of_a_row() -> None:
    crash = ParseFailed(reason="crashed", detail="the worker ended with -9")

    row = make_bulk_row(0, ITEM, Failure(crash), RULES)

    assert row.error == "parse_failed"
    assert "-9" not in str(row.error_json)


@pytest.mark.parametrize(
    ("where", "kept"),
    [
        ('author == "Ann"', True),
        ('"noindex" in robots', True),
        ('"nofollow" in robots', False),
        ("len(robots) == 1 and same_page is not None", True),
        ('published_at >= "2024"', False),
        ('language == "en"', True),
    ],
)
def test_a_row_is_kept_by_what_its_page_says_about_itself(where: str, *, kept: bool) -> None:
    item = msgspec.structs.replace(ITEM, robots=("noindex",), same_page="https://a.example/0")
    page = msgspec.structs.replace(PAGE, language="de")
    keep = make_bulk_row_filter(where, bulk_filter_columns({})).unwrap()

    assert (
        make_bulk_row(0, item, Success(page), RowRules(language=lambda _: "en", keep=keep)).kept
        is kept
    )


def test_a_row_of_a_page_that_asks_for_nothing_is_none_of_those_that_do() -> None:
    keep = make_bulk_row_filter('"noindex" not in robots', bulk_filter_columns({})).unwrap()
    rules = RowRules(language=lambda _: "en", keep=keep)

    assert make_bulk_row(0, ITEM, Success(PAGE), rules).kept is True
    assert make_bulk_row(0, ITEM, Failure(EmptyContent()), rules).kept is True


def test_a_row_is_kept_by_its_columns_and_its_signals() -> None:
    rules = RowRules(
        language=lambda _: None,
        signals=lambda _: {"words": 2},
        keep=lambda columns: columns["words"] == 2 if columns["error"] is None else False,
    )

    assert make_bulk_row(0, ITEM, Success(PAGE), rules).kept is True
    assert make_bulk_row(0, ITEM, Failure(EmptyContent()), rules).kept is False


@pytest.mark.parametrize(
    ("item", "refusal"),
    [
        (BulkItem(source="", offset=0, error=EmptyContent()), EmptyContent()),
        (BulkItem(source="", offset=0, status=404), HttpStatus(status=404)),
        (BulkItem(source="", offset=0, status=204), None),
        (BulkItem(source="", offset=0), None),
    ],
)
def test_item_without_a_page_is_refused_before_conversion(
    item: BulkItem, refusal: WebError | None
) -> None:
    assert bulk_item_refusal(item) == refusal


def test_limits_are_doubted_and_the_clock_is_blamed_on_the_machine() -> None:
    slow = Failure(ParseFailed(reason="out_of_time", by_machine=True))
    corrupt = Failure(ParseFailed(reason="corrupt"))

    assert (is_doubtful_bulk_failure(slow), is_bulk_machine_overload(slow)) == (True, True)
    assert (is_doubtful_bulk_failure(corrupt), is_bulk_machine_overload(corrupt)) == (False, False)
    assert (is_doubtful_bulk_failure(Success(PAGE)), is_bulk_machine_overload(Success(PAGE))) == (
        False,
        False,
    )
    assert not is_bulk_machine_overload(Failure(EmptyContent()))


@pytest.mark.parametrize(("kills", "is_read"), [(0, True), (4, True), (5, False)])
def test_a_page_whose_workers_are_killed_is_read_by_another(kills: int, *, is_read: bool) -> None:
    killed: Result[ReadPage, WebError] = Failure(ParseFailed(reason="crashed", by_machine=True))
    outcomes = [*([killed] * kills), Success(PAGE)]

    async def ask() -> Result[ReadPage, WebError]:
        return outcomes.pop(0)

    assert isinstance(asyncio.run(convert_with_retries(ask)), Success) is is_read


def test_a_crash_of_its_own_is_believed() -> None:
    crashed = Failure(ParseFailed(reason="crashed"))

    assert [
        was_bulk_worker_killed(each) for each in (crashed, Success(PAGE), Failure(EmptyContent()))
    ] == [
        False,
        False,
        False,
    ]


def entry(number: int, ok: int, errors: dict[str, int]) -> ShardEntry:
    return ShardEntry(
        shard=number,
        name="",
        rows=3,
        ok=ok,
        kept=3,
        errors=errors,
        hosts={},
        languages={"en": ok},
        bytes=5,
        characters=4,
        sha256="",
        unsure=0,
        began=0,
        seconds=1,
        latencies=[3],
    )


def test_a_sum_adds_up_or_is_told_not_to() -> None:
    summary = sum_shards([entry(0, 3, {}), entry(1, 2, {"timeout": 1})], 6)

    assert (summary.rows, summary.ok, summary.failed, summary.errors) == (6, 5, 1, {"timeout": 1})
    assert is_count_complete(summary)
    assert not is_count_complete(sum_shards([entry(0, 3, {})], 6))
    assert not is_count_complete(sum_shards([entry(0, 2, {})], 3))


@pytest.mark.parametrize(
    ("expression", "kept"),
    [
        ('language == "en"', True),
        ("words > 3 and not words > 9", True),
        ("words < 3 or 4 <= words <= 6", True),
        ("missing > 3", False),
        ("missing is None and language is not None", True),
        ('language in ("en", "de") and language not in ["fr"]', True),
        ("len(title) == 5 and not len(missing) == 1", True),
        ("words > missing", False),
        ("None != missing", False),
        ("words > -1 and -0.5 < words", True),
        ("(words == 5) == (words > 1 and language == 'en')", True),
    ],
)
def test_a_filter_looks_at_columns(expression: str, *, kept: bool) -> None:
    columns: dict[str, ValueKind] = {
        "language": "text",
        "words": "number",
        "missing": "any",
        "title": "text",
    }
    row = {"language": "en", "words": 5, "missing": None, "title": "Bread"}

    assert make_bulk_row_filter(expression, columns).unwrap()(row) is kept


@pytest.mark.parametrize(
    ("expression", "reason"),
    [
        ("words >", "is no expression (invalid syntax)"),
        ("not " * 490 + "words", "is nested more than 50 times"),
        ("colour == 1", "names no column 'colour'; there are good, names, title, words"),
        ("__import__('os')", f"may not hold \"__import__('os')\"; {TAKEN}"),
        ("words.real", "names no column 'words.real'; there are good, names, title, words"),
        ("words.real.x", f"may not hold 'words.real.x'; {TAKEN}"),
        ("words == b''", f"may not hold \"b''\"; {TAKEN}"),
        ("len(words, 1)", f"may not hold 'len(words, 1)'; {TAKEN}"),
        ("words > -title", f"may not hold '-title'; {TAKEN}"),
        ("x" * 3000, "is longer than 2,000 characters"),
        ("words == 1 or 'de'", "uses 'de' as a condition; compare it with a column"),
        ("not (words, title)", "uses (words, title) as a condition; compare it with a column"),
        ("title > 2024", "compares title, a text, with 2024, a number"),
        ("words == '5'", "compares words, a number, with '5', a text"),
        ("names == 'a'", "compares names, a list, with 'a', a text"),
        ("'a' in words", "looks for 'a', a text, in words, a number"),
        ("5 in title", "looks for 5, a number, in title, a text"),
        ("good == 'yes'", "compares good, true or false, with 'yes', a text"),
        ("title == (words > 1)", "compares title, a text, with words > 1, true or false"),
        ("title == True", "compares title, a text, with True, true or false"),
        ("len(words) > 1", "asks for the length of words, a number"),
        ("words is 404", "asks whether words is 404; use == or !="),
        ("title is names", "asks whether title is names; use == or !="),
    ],
)
def test_a_filter_that_is_none_says_why(expression: str, reason: str) -> None:
    error = make_bulk_row_filter(
        expression, {"words": "number", "title": "text", "names": "list", "good": "truth"}
    ).failure()

    assert error == InvalidQuery(field="--where", reason=reason)


def test_signals_of_prose_pass_and_those_of_a_menu_do_not() -> None:
    prose = "The bread that we have with the soup was baked today.\n" * 2 + (
        "It is good to be here and to talk of other things with you. " * 5
    )
    good, bad, none = (
        quality_signals(prose),
        quality_signals("- Home\n- About\n- Home"),
        quality_signals(""),
    )

    assert (good["gopher_passes"], good["fineweb_ended_lines"]) == (True, 1.0)
    assert (bad["gopher_passes"], bad["gopher_bullet_lines"], bad["fineweb_passes"]) == (
        False,
        1.0,
        False,
    )
    assert none["gopher_words"] == 0


@pytest.mark.parametrize(
    ("lines", "form", "column", "expected"),
    [
        (["https://a.example/", "", "# no"], "text", None, ["https://a.example/"]),
        (['{"url": " x "}', "", "[1]", '{"link": 1}'], "jsonl", None, ["x", None, None]),
        (["address", "x", "", "y"], "csv", None, ["x", "y"]),
        (["a\tb", "1\tx", "2"], "tsv", "b", ["x", None]),
        (["url", "x", "y\0z" + "w" * 200_000, "z"], "csv", "url", ["x", None, "z"]),
        (["id;url;title\n", "1;x;a,b\n", '2;"y;z";c'], "csv", None, ["x", "y;z"]),
        (["id\turl", "1\tx"], "csv", None, ["x"]),
        (["id|Link", "1|x"], "tsv", "link", ["x"]),
        (["ID, URL ", "1, x"], "csv", None, ["x"]),
        (["a,b", "1,x", "2,y"], "csv", "b", ["x", "y"]),
        (["", " ", "url", "x"], "csv", None, ["x"]),
        (['"my\n', 'name",url\n', "1,x\n"], "csv", None, ["x"]),
        (['"a'] + ["b"] * 120, "csv", None, ["b"] * 21),
        (
            ["https://a.example/", "https://b.example/"],
            "csv",
            None,
            ["https://a.example/", "https://b.example/"],
        ),
    ],
)
def test_lists_have_an_entry_for_every_line(
    lines: list[str], form: ListForm, column: str | None, expected: list[str | None]
) -> None:
    entries = list(read_url_list(lines, form, "list", column).unwrap())

    assert [each.url for each in entries] == expected
    assert all((each.url is None) == (each.error is not None) for each in entries)


def test_a_table_without_its_column_or_without_rows_is_refused() -> None:
    missing = read_url_list(["a,b", "1,2"], "csv", "list.csv", "url").failure()
    empty = read_url_list([], "csv", "list.csv", None).failure()
    broken = read_url_list(["x" * 200_000], "csv", "list.csv", None).failure()

    twice = read_url_list(["URL;Url;id", "1;2;3"], "csv", "list.csv", None).failure()

    words = "list.csv has no column 'url'; its columns: a, b; name the one to take with --column."
    assert missing.message.endswith(words)
    assert "its columns: URL, Url, id;" in twice.message
    assert "its columns: none" in empty.message
    assert "is no table" in broken.message


@pytest.mark.parametrize(
    ("lines", "form"),
    [
        ([], "text"),
        (["", "\n"], "text"),
        (["", " x", "y"], "text"),
        (["\n", ' {"url": 1}'], "jsonl"),
    ],
)
def test_a_list_of_no_known_form_is_what_its_first_words_look_like(
    lines: list[str], form: str
) -> None:
    found, rest = sniff_url_list(lines, has_column=False)

    assert (found, list(rest)) == (form, lines)
    assert sniff_url_list(["a"], has_column=True)[0] == "csv"


@pytest.mark.parametrize(
    ("lines", "form", "offset"),
    [
        (["#", "x"], "text", 2),
        (["", '{"url": "x"}'], "jsonl", 2),
        (["id,url", "1,x"], "csv", 2),
        (["url", "", "x"], "csv", 3),
    ],
)
def test_an_entry_names_where_it_stands(lines: list[str], form: ListForm, offset: int) -> None:
    entries = read_url_list(lines, form, "list", None).unwrap()

    assert list(entries) == [ListEntry(source="list", offset=offset, url="x")]


def test_a_table_without_a_head_is_counted_from_its_first_row() -> None:
    entries = read_url_list(["https://a.example/"], "csv", "list", None).unwrap()

    assert list(entries) == [ListEntry(source="list", offset=1, url="https://a.example/")]


def test_a_robots_file_that_is_not_there_opens_and_one_out_of_reach_closes() -> None:
    assert robots_txt_meaning(HttpStatus(status=404)) == "open"
    assert robots_txt_meaning(ConnectFailed()) == "closed"
    assert robots_txt_meaning(InvalidUrl(reason="")) == "closed"


def test_a_text_is_compared_by_its_runs_of_five_words() -> None:
    assert text_shingles("The quick brown fox jumps over") == [
        "the quick brown fox jumps",
        "quick brown fox jumps over",
    ]
    assert text_shingles("Not found") == ["not found"]
    assert text_shingles(" ") == []
