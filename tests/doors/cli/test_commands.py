"""The command line as a new user tries it."""

import csv
import io
import json
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.interrupts import interruptible
from webseam.composition.doors.cli.commands.demo import DemoApi
from webseam.composition.doors.cli.commands.extract import read_url_arguments
from webseam.composition.terminal.exit_codes import failure_exit_code
from webseam.composition.terminal.output import print_error
from webseam.composition.terminal.search_output import formatted_csv_text
from webseam.ports import (
    AuthFailed,
    BackendCrashed,
    ConnectFailed,
    InvalidQuery,
    InvalidRow,
    InvalidSetting,
    InvalidUrl,
    NotConfigured,
    RateLimited,
    UnsupportedCapability,
    UrlDenied,
    WebError,
)
from webseam.ports.receipts import SearchReceipt

from .api import Api
from .run import webseam, webseam_process

DEAD = "http://127.0.0.1:9/"


def test_help_and_a_command_is_the_help_of_the_command() -> None:
    assert webseam("help", "search") == webseam("search", "--help")
    assert webseam("help", "keys", "add").out.startswith("usage: webseam keys add")


@pytest.mark.parametrize("arguments", [(), ("--help",), ("-h",), ("help",)])
def test_help_lists_the_first_commands_and_help_all_the_exit_codes(
    arguments: tuple[str, ...],
) -> None:
    ran = webseam(*arguments)

    assert ran.code == 0
    assert "search" in ran.out
    assert "extract" in ran.out
    assert "70 a bug" in webseam("--help", "all").out


def test_the_version_is_told() -> None:
    assert webseam_process("--version").out == "webseam 0.1.0\n"


def test_an_unknown_command_is_bad_input_with_a_near_one() -> None:
    ran = webseam("serch", "x")

    assert (ran.code, ran.out) == (2, "")
    assert ran.err == "webseam: there is no command 'serch'. Did you mean search?\n"


def test_a_command_that_resembles_nothing_gets_no_guess() -> None:
    assert webseam("qqqqq").err == (
        "webseam: there is no command 'qqqqq'. webseam --help lists them.\n"
    )


@pytest.mark.parametrize("command", ["search", "extract", "read", "more", "policy", "demo"])
def test_each_command_has_help(command: str) -> None:
    ran = webseam(command, "--help")

    assert ran.code == 0
    assert ran.out.startswith(f"usage: webseam {command}")


def test_a_search_without_a_backend_says_what_to_set() -> None:
    ran = webseam("search", "q")

    assert (ran.code, ran.out) == (3, "")
    assert ran.err == (
        "webseam: No backend that can search is set up. Give a key with `webseam setup`, or make an "
        "index of your own documents with `webseam index add PATH_OR_URL`.\n"
    )


def test_a_search_prints_rows_for_people(api: Api) -> None:
    ran = webseam_process(
        "search", "typed failure", "-n", "1", WEBSEAM_JSON_SEARCH_URL=api.url("search")
    )

    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("1. A typed failure beats an empty list\n   https://webseam.example/")


def test_a_search_prints_json_for_programs(api: Api) -> None:
    ran = webseam("search", "failure", "--json", "--endpoint", api.url("search"))

    document = json.loads(ran.out)
    assert ran.code == 0
    assert document["success"] is True
    assert [row["position"] for row in document["data"]["web"]] == [1, 2]


def test_nothing_found_is_done_and_not_a_failure(api: Api) -> None:
    ran = webseam("search", "zebra", "--endpoint", api.url("search"))

    assert (ran.code, ran.out, ran.err) == (0, "Nothing found.\n", "")


def test_a_blank_query_is_bad_input(api: Api) -> None:
    ran = webseam("search", " ", "--endpoint", api.url("search"))

    assert (ran.code, ran.out) == (2, "")
    assert ran.err == "webseam: query: must be text of 1 to 2000 characters, not blank, got ' '.\n"


def test_days_in_the_wrong_order_are_named_by_their_flags(api: Api) -> None:
    days = ("--since", "2026-02-01", "--until", "2026-01-01")
    ran = webseam("search", "q", *days, "--endpoint", api.url("search"))

    assert (ran.code, ran.err) == (2, "webseam: --since: is later than --until.\n")


@pytest.mark.parametrize(
    ("option", "field"),
    [
        (("--site", "https://a.example"), "--site"),
        (("--not-site", "a b"), "--not-site"),
        (("--since", "soon"), "--since"),
        (("--until", "soon"), "--until"),
        (("--country", "DEU"), "--country"),
        (("--language", "english"), "--language"),
        (("--bakend", "brave"), "--backend?"),
    ],
)
def test_a_bad_option_is_bad_input_that_names_the_flag(option: tuple[str, str], field: str) -> None:
    ran = webseam("search", "q", *option, "--endpoint", DEAD)

    assert (ran.code, ran.err.count("\n")) == (2, 1)
    assert field in ran.err


def test_words_need_no_quotes_and_days_have_names(api: DemoApi) -> None:
    ran = webseam("search", "tide", "tables", "--since", "2w", "--endpoint", api.url("search"))

    assert ran.code == 0


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (RateLimited(backend="a", retry_after=7.0), "a asks to slow down; try again in 7 s.\n"),
        (RateLimited(backend="a"), "a asks to slow down. Trying again may help.\n"),
    ],
)
def test_to_try_again_is_said_once(
    capsys: pytest.CaptureFixture[str], error: RateLimited, told: str
) -> None:
    assert print_error(error, as_json=False) == 4
    assert capsys.readouterr().err == f"webseam: {told}"


def test_a_usage_error_is_json_where_json_is_asked_for() -> None:
    ran = webseam("search", "q", "--json", "--bakend", "brave")

    assert (ran.code, ran.err) == (2, "")
    assert json.loads(ran.out)["failure"]["kind"] == "invalid_query"


@pytest.mark.parametrize(
    ("wanted", "first"),
    [
        ("csv", "position,title,url,snippet,published_at,source"),
        ("jsonl", '{"title":'),
        ("markdown", "1. ["),
        ("json", "{"),
    ],
)
def test_rows_come_in_the_format_asked_for(api: DemoApi, wanted: str, first: str) -> None:
    ran = webseam("search", "q", "--format", wanted, "--endpoint", api.url("search"))

    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith(first)


def test_a_row_that_is_not_there_cannot_be_opened(api: DemoApi) -> None:
    ran = webseam("search", "q", "--open", "99", "--endpoint", api.url("search"))

    assert ran.code == 2
    assert "argument --open: 99 is no result" in ran.err


def test_a_dead_server_fails_with_a_hint_and_no_traceback() -> None:
    ran = webseam_process("search", "q", "--endpoint", DEAD)

    assert (ran.code, ran.out) == (4, "")
    assert ran.err == "webseam: json could not be reached. Trying again may help.\n"


def test_a_failure_as_json_goes_to_standard_output(api: Api) -> None:
    ran = webseam("search", "q", "--json", "--endpoint", api.url("poisoned"))

    document = json.loads(ran.out)
    assert (ran.code, ran.err) == (4, "")
    assert (document["success"], document["failure"]["kind"]) == (False, "invalid_row")


def test_receipt_in_json_is_short_unless_all_of_it_is_asked_for(api: Api) -> None:
    words = ("search", "q", "--endpoint", api.url("search"), "--no-cache")

    short = json.loads(webseam(*words, "--json").out)["receipt"]
    whole = json.loads(webseam(*words, "--receipt").out)["receipt"]

    assert {*whole} == {*SearchReceipt.__struct_fields__}
    assert {*short} == {"backend", "query", "returned", "age", "fetched_at", "attempts"}
    attempt = {"backend", "outcome", "milliseconds", "cost"}
    assert {*short["attempts"][0]} <= attempt


def test_quarantine_shows_what_was_left_out(api: Api) -> None:
    ran = webseam("search", "q", "--quarantine", "--endpoint", api.url("poisoned"))

    assert ran.code == 0
    assert ran.out.startswith("(row 0 left out: url “is not an absolute http or https URL")


def test_a_page_is_printed_with_title_and_address(api: Api) -> None:
    url = "https://webseam.example/rows"

    ran = webseam_process("extract", url, WEBSEAM_JSON_EXTRACT_URL=api.url("extract"))

    assert ran.code == 0
    assert ran.out.startswith(f"<{url}>\n\n# One bad row fails the call\n\nEvery row is checked")


def test_a_page_is_printed_as_json(api: Api) -> None:
    url = "https://webseam.example/rows"

    ran = webseam("extract", url, "--json", "--endpoint", api.url("extract"))

    assert json.loads(ran.out)["data"]["results"][0]["url"] == url


def test_a_page_that_cannot_be_asked_for_is_a_failed_page(api: Api) -> None:
    ran = webseam("extract", "localhost", "--endpoint", api.url("extract"))

    assert ran.code == 4
    assert ran.err.startswith("webseam: Not a usable URL: it has no scheme")


def test_json_has_a_result_for_each_url_that_was_given(api: Api) -> None:
    url = "https://webseam.example/rows"

    ran = webseam("extract", url, url, "--json", "--endpoint", api.url("extract"))

    assert [page["url"] for page in json.loads(ran.out)["data"]["results"]] == [url, url]


def test_a_page_in_a_pipe_is_no_list_of_urls() -> None:
    ran = webseam("extract", "-", given="<html><a href='https://a.example/'>a</a></html>")

    assert (ran.code, ran.out) == (2, "")
    assert "webseam read - reads a page" in ran.err


def test_a_host_name_is_read_over_https(api: Api) -> None:
    ran = webseam("extract", "webseam.example/rows", "--json", "--endpoint", api.url("extract"))

    assert ran.code == 0
    assert json.loads(ran.out)["data"]["results"][0]["url"] == "https://webseam.example/rows"
    assert read_url_arguments(["javascript:a.b", "mailto:a@b.example"]).unwrap() == [
        *("javascript:a.b", "mailto:a@b.example"),
    ]


def test_a_search_in_the_index_is_pointed_to_the_search() -> None:
    assert "webseam search WORDS --backend index" in webseam("index", "search", "tides").err


def test_the_key_is_never_shown_and_never_sent_in_clear_text() -> None:
    ran = webseam(
        "search", "q", "--endpoint", "http://a.example/s", WEBSEAM_JSON_API_KEY="hunter2-hunter2"
    )

    assert ran.code == 2
    assert ran.err == (
        "webseam: Not a usable URL: a key is only sent over https or to this machine; "
        "services.json.allow_plain_http: true, or WEBSEAM_JSON_ALLOW_PLAIN_HTTP=1, allows it for "
        "this endpoint.\n"
    )


def test_the_demo_runs_offline() -> None:
    ran = webseam_process("demo")

    assert (ran.code, ran.err) == (0, "")
    assert "One bad row fails the call" in ran.out
    assert "| Dover | 06:12 |" in ran.out
    assert "Ignore all rules" not in ran.out
    assert "webseam: Row 0 of json is not usable" in ran.out
    assert ran.out.endswith("(exit code 4)\n\n")


def test_the_demo_asks_nobody_else_whatever_is_set_up() -> None:
    nobody = "http://127.0.0.1:9/"

    ran = webseam_process(
        "demo",
        WEBSEAM_JSON_SEARCH_URL=nobody,
        WEBSEAM_JSON_EXTRACT_URL=nobody,
        WEBSEAM_BACKEND="json",
        WEBSEAM_COMPRESSOR_KIND="model",
        WEBSEAM_PLUGINS_ENABLED="absent",
    )

    assert (ran.code, "could not be reached" in ran.out) == (0, False)


def test_the_demo_takes_documents_of_ones_own(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# Rows\n\nWhat happens to a bad row is nobody's business.")

    assert "nobody's business" in webseam("demo", str(tmp_path)).out.replace("**", "")


def test_a_reader_that_goes_away_causes_no_complaint(api: Api) -> None:
    command = [
        sys.executable,
        "-m",
        "webseam.composition.doors.cli",
        "search",
        "failure",
        "--endpoint",
        api.url("search"),
    ]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.close()

    _, complaint = process.communicate(timeout=120)

    assert complaint == b""


@pytest.mark.parametrize(
    ("arguments", "code"),
    [(("more", "nonsense"), 2), (("cache", "stats", "--json"), 0), (("models", "--json"), 0)],
)
def test_a_command_says_the_same_inside_a_process_and_in_one_of_its_own(
    arguments: tuple[str, ...], code: int, tmp_path: Path
) -> None:
    ran = webseam(*arguments, HOME=str(tmp_path))

    assert ran.code == code
    assert webseam_process(*arguments, HOME=str(tmp_path)) == ran


def test_an_interrupt_ends_with_130_and_no_traceback() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        silent.settimeout(120)
        endpoint = f"http://127.0.0.1:{silent.getsockname()[1]}/"
        command = interruptible(
            "webseam.composition.doors.cli", "search", "q", "--endpoint", endpoint
        )
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        connection, _ = silent.accept()
        with connection:
            connection.recv(1)
            process.send_signal(signal.SIGINT)
            output, complaint = process.communicate(timeout=120)

    assert (process.returncode, output, complaint) == (130, b"", b"")


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (InvalidQuery(field="f", reason="r"), 2),
        (InvalidUrl(reason="r"), 2),
        (NotConfigured(settings=("s",), reason="r"), 3),
        (InvalidSetting(setting="s", place="p", reason="r"), 3),
        (AuthFailed(status=401), 3),
        (UnsupportedCapability(capability="c"), 2),
        (UnsupportedCapability(capability="c", place="config.yaml:1: backend"), 3),
        (ConnectFailed(), 4),
        (RateLimited(), 4),
        (InvalidRow(index=0, field="f", reason="r"), 4),
        (UrlDenied(rule="port", stage="parse"), 5),
        (BackendCrashed(error="E"), 70),
    ],
)
def test_each_failure_has_its_exit_code(error: WebError, code: int) -> None:
    assert failure_exit_code(error) == code


def test_a_page_whose_rest_cannot_be_kept_says_so(api: Api, tmp_path: Path) -> None:
    file = tmp_path / "no folder"
    file.touch()
    settings = {"WEBSEAM_JSON_EXTRACT_URL": api.url("extract"), "WEBSEAM_CACHE": str(file)}

    shown = webseam("extract", "https://webseam.example/failures", "--max-chars", "40", **settings)

    assert shown.code == 0
    assert shown.out.endswith(" characters not shown]\n")
    assert "The omitted text could not be stored." in shown.err


def test_a_long_page_is_shown_in_part_and_more_shows_the_rest(api: Api, tmp_path: Path) -> None:
    url, cache = "https://webseam.example/failures", str(tmp_path)
    settings = {"WEBSEAM_JSON_EXTRACT_URL": api.url("extract"), "WEBSEAM_CACHE": cache}
    whole = json.loads(webseam("extract", url, "--json", **settings).out)["data"]["results"][0][
        "content"
    ]

    shown = webseam("extract", url, "--max-chars", "40", **settings)

    handle = shown.out.rpartition("webseam more ")[2].rstrip("]\n")
    more = webseam("more", handle, WEBSEAM_CACHE=cache)
    rest = webseam("more", handle, "--all", WEBSEAM_CACHE=cache)
    over = webseam("more", handle, WEBSEAM_CACHE=cache)
    start = webseam(
        "more", handle, "--from", "0", "--json", "--max-chars", "36", WEBSEAM_CACHE=cache
    )
    from_here = webseam("more", handle, "--from", "5", "--max-chars", "9", WEBSEAM_CACHE=cache)

    pieces = [shown.out.rpartition("\n\n[more")[0].rpartition("\n")[2], more.out.partition("\n")[0]]
    assert "".join((*pieces, rest.out)).replace(" ", "").strip() == whole.replace(" ", "").strip()
    assert f"[more: webseam more {handle}]" in more.out
    assert rest.err == "webseam: that was the end of the page.\n"
    assert (over.out, over.err) == (
        "",
        "webseam: the whole page was shown; --from 0 begins anew.\n",
    )
    assert whole.startswith(json.loads(start.out)["data"]["text"])
    assert json.loads(start.out)["data"]["next_cursor"] > 0
    assert whole[5:].startswith(from_here.out.partition("\n")[0])


def test_a_wrong_handle_is_bad_input(tmp_path: Path) -> None:
    ran = webseam("more", "nonsense", WEBSEAM_CACHE=str(tmp_path))

    told = "is not a handle of a stored text; webseam extract prints one under a page"
    assert ran.code == 2
    assert told in ran.err


def test_a_budget_below_one_is_bad_input() -> None:
    assert webseam("more", "x", "--max-chars", "0").code == 2


@pytest.mark.parametrize(
    ("words", "following"),
    [
        ("serch", ["webseam --help"]),
        ("help serch", ["webseam --help"]),
        ("search", ["webseam search --help"]),
        ("search q --backend nobody", []),
        ("search q --backend brave", ["webseam setup brave"]),
        ("search q --topic tides", []),
        ("extract http://10.0.0.1/", ["webseam policy check http://10.0.0.1/"]),
        ("extract localhost/b", []),
        ("policy check http://10.0.0.1/", []),
        ("ask q --backend brave", ["webseam setup brave"]),
        ("ask verify missing.json", []),
        ("x q", ["webseam setup xai"]),
        ("more nothing", []),
        ("read missing.html", []),
        ("bulk status missing", []),
        ("index list", ["webseam index add PATH_OR_URL"]),
        ("index add missing", []),
        ("keys revoke nobody", []),
        ("setup nobody", []),
        ("doctor nobody", []),
        ("models nobody --live", ["webseam models"]),
        ("model ask q --provider nobody", ["webseam models"]),
        ("plugins enable nothing", []),
    ],
)
def test_every_failure_is_json_with_its_kind_and_what_to_type_next(
    words: str, following: list[str], tmp_path: Path
) -> None:
    ran = webseam(*words.split(), "--json", HOME=str(tmp_path))

    told = json.loads(ran.out)
    assert ran.code in (2, 3, 4, 5)
    assert (told["success"], told["next"]) == (False, following)
    assert told["error"].endswith((".", "?"))
    assert told["failure"]["kind"]
    assert told["failure"]["retryable"] is False


def test_settings_with_a_problem_are_json_as_every_failure_is(tmp_path: Path) -> None:
    config = tmp_path / "config.yaml"
    config.write_text("services:\n  nobody:\n    api_key: x\n")

    shown = webseam("config", "show", "--json", WEBSEAM_CONFIG=str(config))
    config.write_text("timeout: soon\n")
    looked_at = webseam("doctor", "--json", WEBSEAM_CONFIG=str(config))

    for ran in (shown, looked_at):
        told = json.loads(ran.out)
        assert (told["success"], told["failure"]["kind"]) == (False, "invalid_setting")
        assert isinstance(told["next"], list)


def test_there_is_no_help_for_a_command_that_there_is_not() -> None:
    ran = webseam("help", "serch")

    assert (ran.code, ran.out) == (2, "")
    assert ran.err == "webseam: there is no command 'serch'. Did you mean search?\n"


@pytest.mark.parametrize("variable", ["WEBSEAM_BACKEND", "WEBSEAM_SEARCH_ROUTE", "WEBSEAM_ROUTE"])
def test_a_backend_that_there_is_not_is_told_by_the_setting_that_names_it(variable: str) -> None:
    ran = webseam("search", "q", **{variable: "nobody"})

    setting = variable.removeprefix("WEBSEAM_").lower()
    assert ran.code == 3
    assert ran.err.startswith(f"webseam: {variable}: {setting}: There is no backend 'nobody'.")


def test_a_key_that_cannot_be_sent_says_what_sets_another() -> None:
    ran = webseam("search", "q", "--backend", "brave", BRAVE_API_KEY="a\nb")

    assert ran.code == 3
    assert ran.err == (
        "webseam: The key has characters that no header can carry. Fix it: webseam setup brave\n"
    )


def test_a_measured_value_is_no_formula_in_a_table() -> None:
    values = ["-0.4 m", "+3,5 °C", "-12", "-.5", "-1e-3 m²/s", "+1.5 %"]
    formulas = ["-1+1", "=1", "+SUM(A1)", "-2|cmd", "@x", "-", "-1 (a)", "-1 A1:B2", "\tx", "-1!a"]

    table = formatted_csv_text(("a",), [{"a": value} for value in (*values, *formulas)])

    cells = [row[0] for row in csv.reader(io.StringIO(table))][1:]
    assert cells == [*values, *[f"'{formula}" for formula in formulas]]
