"""``webseam x``, as people use it."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.features.models.x_search.imitation import Imitation, imitation
from tests.features.models.x_search.serving import KEY, POST

from .run import Ran, webseam, webseam_process

LAST = Path("data") / "webseam" / "last_response"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def x(home: Path, xai: Imitation, *arguments: str) -> Ran:
    return webseam(
        "x",
        *arguments,
        HOME=str(home),
        XDG_DATA_HOME=str(home / "data"),
        XAI_API_KEY=KEY,
        XAI_BASE_URL=xai.url,
    )


def test_an_answer_is_printed_with_its_sources_in_a_process_of_its_own() -> None:
    with imitation("It is \x1b[2Jhigh.") as xai:
        ran = webseam_process("x", "tides", XAI_API_KEY=KEY, XAI_BASE_URL=xai.url)

    assert (ran.code, ran.err) == (0, "")
    assert ran.out == f"It is [2Jhigh.\n\nSources:\n- {POST}\n"
    assert xai.asked[0]["store"] is False


def test_every_option_is_sent(home: Path) -> None:
    schema = home / "schema.json"
    schema.write_bytes(b'\xef\xbb\xbf{"type": "object"}')
    with imitation('{"posts": [1]}') as xai:
        ran = x(
            home,
            xai,
            "tides",
            "--from",
            "@alice",
            "--from",
            "bob",
            "--since",
            "2026-11-01",
            "--until",
            "2026-11-10",
            "--images",
            "--videos",
            "--schema",
            str(schema),
            "--instructions",
            "Be brief.",
            "--store",
        )

    (body,) = xai.asked
    assert ran.code == 0
    assert json.loads(ran.out) == {"posts": [1]}
    assert body["tools"] == [
        {
            "type": "x_search",
            "allowed_x_handles": ["alice", "bob"],
            "from_date": "2026-11-01",
            "to_date": "2026-11-10",
            "enable_image_understanding": True,
            "enable_video_understanding": True,
        }
    ]
    assert (body["store"], body["instructions"]) == (True, "Be brief.")
    assert body["text"]["format"]["schema"] == {"type": "object"}


def test_a_stored_answer_is_gone_on_from(home: Path) -> None:
    with imitation() as xai:
        first = x(home, xai, "posts", "--store")
        kept = (home / LAST).read_text()
        second = x(home, xai, "--continue", "LAST", "which is best?", "--instructions", "Be brief.")
        third = x(home, xai, "--continue", "response-1", "and the first?", "--not-from", "spam")

    assert [ran.code for ran in (first, second, third)] == [0, 0, 0]
    assert "webseam x --continue LAST" in first.err
    assert second.err.startswith("webseam: The instructions were left out: they cannot go with")
    assert kept == "response-1\n"
    assert (home / LAST).read_text() == "response-3\n"
    assert (home / LAST).stat().st_mode & 0o777 == 0o600
    assert [body.get("previous_response_id") for body in xai.asked] == [
        None,
        "response-1",
        "response-1",
    ]
    assert xai.asked[2]["tools"] == [{"type": "x_search", "excluded_x_handles": ["spam"]}]


def test_answer_that_was_not_stored_cannot_be_continued(home: Path) -> None:
    with imitation() as xai:
        x(home, xai, "posts")
        ran = x(home, xai, "--continue", "LAST", "which is best?")

    assert (ran.code, ran.out) == (2, "")
    assert ran.err == "webseam: --continue: no answer was stored yet; search with --store first.\n"
    assert not (home / LAST).exists()
    assert len(xai.asked) == 1


def test_an_id_that_nobody_stored_is_the_servers_to_refuse(home: Path) -> None:
    with imitation() as xai:
        ran = x(home, xai, "--continue", "nonsense", "and?")

    assert ran.code == 4
    assert "there is no response nonsense" in ran.err


def test_an_id_that_cannot_be_kept_is_a_warning(home: Path) -> None:
    (home / "data").write_text("no folder")
    with imitation() as xai:
        ran = x(home, xai, "posts", "--store", "--json")
        broken = x(home, xai, "--continue", "LAST", "and?")

    assert (ran.code, json.loads(ran.out)["success"]) == (0, True)
    assert "last response id cannot be used" in ran.err
    assert (broken.code, len(xai.asked)) == (4, 1)


def test_json_is_the_flat_object(home: Path) -> None:
    with imitation() as xai:
        ran = x(home, xai, "tides", "--json")

    document = json.loads(ran.out)
    assert (ran.code, ran.err) == (0, "")
    assert (document["success"], document["tool"], document["provider"]) == (
        True,
        "x_search",
        "xai",
    )
    assert (document["answer"], document["response_id"]) == ("Answer 1.", "response-1")


def test_answer_outside_its_schema_prints_a_remark(home: Path) -> None:
    schema = home / "schema.json"
    schema.write_text('{"type": "object", "required": ["posts"]}')
    with imitation("Nothing.") as xai:
        prose = x(home, xai, "tides", "--schema", "schema.json")
        xai.text = "{}"
        invalid = x(home, xai, "tides", "--schema", "schema.json")

    assert prose.out.startswith("Nothing.\n")
    assert prose.err == "webseam: There is no structured output: the answer is not JSON.\n"
    assert json.loads(invalid.out) == {}
    assert (
        invalid.err
        == 'webseam: The output does not keep to the schema: "posts" is a required property.\n'
    )


def test_an_answer_that_may_not_rest_on_x_says_so(home: Path) -> None:
    with imitation(" ") as xai:
        xai.more = {
            "usage": {"server_side_tool_usage_details": {"x_search_calls": 0}},
            "citations": [],
        }
        ran = x(home, xai, "tides")

    assert ran.out == "(no answer)\n"
    assert ran.err == "webseam: This may not rest on X: the model answered without searching X.\n"


@pytest.mark.parametrize(
    ("content", "where"),
    [
        (
            b'{"type": "object",\n  "x": }',
            "'schema.json', line 2, column 8: is not JSON: expecting value",
        ),
        (b"", "'schema.json', line 1, column 1: is not JSON: expecting value"),
        (b'{\n"a": [1,\n2', "line 3, column 2: is not JSON: expecting ',' delimiter"),
        (b'{"a": "NaN",\n "b": NaN}', "line 2, column 7: is not JSON: there is no such number"),
        (b'{"a": -Infinity}', "line 1, column 7: is not JSON: there is no such number"),
        (b'{"a":\n"\xff"}', "line 2, column 2: is not text in UTF-8"),
        (b"\n  [1]", "line 2, column 3: must be an object, which is what a JSON schema is"),
        (b'"text"', "line 1, column 1: must be an object"),
        (b"null", "line 1, column 1: must be an object"),
        (b"[" * 100_000, "line 1, column 1: goes too deep"),
        (b" " * 1_048_577, "is larger than 1048576 bytes"),
    ],
)
def test_a_schema_file_that_is_none_is_refused_with_line_and_column(
    home: Path, content: bytes, where: str
) -> None:
    (home / "schema.json").write_bytes(content)
    with imitation() as xai:
        ran = x(home, xai, "tides", "--schema", "schema.json")

    assert (ran.code, ran.out, xai.asked) == (2, "", [])
    assert where in ran.err


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (
            ("tides", "--schema", "nowhere.json"),
            2,
            "--schema: 'nowhere.json' cannot be read: No such file",
        ),
        ((" ",), 2, "query: must be text"),
        (("tides", "--since", "soon"), 2, "argument --since: 'soon' is no day; use today"),
        (("tides", "--since", "2999-01-01"), 2, "from_date: is in the future"),
        (
            ("tides", "--from", "a", "--not-from", "b"),
            2,
            "excluded_x_handles: cannot be used together",
        ),
        ((), 2, "query is missing, as in: webseam x storm reports"),
    ],
)
def test_invalid_x_question_is_bad_input(
    home: Path, arguments: tuple[str, ...], code: int, words: str
) -> None:
    with imitation() as xai:
        ran = x(home, xai, *arguments)

    assert (ran.code, ran.out, xai.asked) == (code, "", [])
    assert words in ran.err


@pytest.mark.parametrize(
    ("environment", "code", "kind"),
    [
        ({}, 3, "not_configured"),
        ({"XAI_API_KEY": KEY, "XAI_BASE_URL": "http://api.x.ai/v1"}, 2, "invalid_url"),
        ({"XAI_API_KEY": KEY, "WEBSEAM_X_SEARCH_RETRIES": "many"}, 3, "invalid_setting"),
        (
            {
                "XAI_API_KEY": KEY,
                "XAI_BASE_URL": "http://127.0.0.1:9/v1",
                "WEBSEAM_X_SEARCH_RETRIES": "0",
            },
            4,
            "connect_failed",
        ),
    ],
)
def test_every_failure_has_one_shape_in_json(
    environment: dict[str, str], code: int, kind: str
) -> None:
    ran = webseam("x", "tides", "--json", **environment)
    document: Any = json.loads(ran.out)

    assert ran.code == code
    assert set(document) == {
        "success",
        "error",
        "error_type",
        "failure",
        "next",
        "provider",
        "tool",
    }
    assert (document["success"], document["tool"]) == (False, "x_search")
    assert document["error_type"] == document["failure"]["kind"] == kind
    assert KEY not in ran.out + ran.err


def test_failures_are_told_to_people_too() -> None:
    ran = webseam("x", "tides")

    assert (ran.code, ran.out) == (3, "")
    assert ran.err == "webseam: xAI has no key. Set XAI_API_KEY. Or: webseam setup xai\n"
