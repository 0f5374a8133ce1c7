"""``webseam plugins`` as a user types it, and searches that run through plugins."""

import io
import json
import logging
from collections.abc import Iterator

import pytest

from tests.doors.cli.run import webseam_process
from webseam.composition.doors.cli import main
from webseam.composition.doors.cli.commands.demo import DemoApi, open_demo_api
from webseam.composition.terminal.command_calls import changed_reply_text

from .shelf import Shelf

UPPER = """
import json

def register(ctx):
    ctx.register_middleware("tool_execution", upper)

def upper(**kwargs):
    result = json.loads(kwargs["next_call"](kwargs["args"]))
    for row in result["data"]["web"]:
        row["title"] = row["title"].upper()
    return json.dumps(result)
"""


class Desk:
    """The command line over one shelf."""

    def __init__(
        self, shelf: Shelf, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        self.shelf = shelf
        self.capsys = capsys
        for name, value in shelf.environment.items():
            monkeypatch.setenv(name, value)

    def run(self, *arguments: str) -> tuple[int, str, str]:
        code = main(arguments)
        printed = self.capsys.readouterr()
        return code, printed.out, printed.err


@pytest.fixture
def desk(shelf: Shelf, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Desk:
    return Desk(shelf, monkeypatch, capsys)


@pytest.fixture
def api() -> Iterator[DemoApi]:
    with open_demo_api() as running:
        yield running


def test_a_plugin_is_listed_enabled_described_and_disabled(desk: Desk) -> None:
    desk.shelf.put(
        "upper", UPPER, "description: Shouts\nversion: 3\nauthor: me\nrequires_env: [A_KEY]"
    )

    assert state(desk, "upper") == "disabled"
    assert "Shouts" in desk.run("plugins", "list")[1]
    assert desk.run("plugins", "enable", "upper", "--set", "n=5", "--set", "word=x y") == (
        0,
        "upper is enabled\n",
        "webseam: upper needs A_KEY in the environment\n",
    )
    assert state(desk, "upper") == "enabled"
    code, out, _ = desk.run("plugins", "info", "upper")
    assert code == 0
    for line in (
        "state: enabled",
        "about: Shouts",
        "version: 3",
        "settings: n=5, word='x y'",
        "middleware: tool_execution",
        "not set: A_KEY",
    ):
        assert line in out.splitlines()
    assert desk.run("plugins", "disable", "upper") == (0, "upper is disabled\n", "")
    assert state(desk, "upper") == "disabled"


def state(desk: Desk, name: str) -> str:
    lines = desk.run("plugins", "list")[1].splitlines()
    return next(line.split()[2] for line in lines if line.startswith(f"{name} "))


def test_all_of_it_as_json(desk: Desk) -> None:
    desk.shelf.put("upper", UPPER)

    enabled = json.loads(desk.run("plugins", "enable", "upper", "--required", "--json")[1])
    listed = json.loads(desk.run("plugins", "list", "--json")[1])
    info = json.loads(desk.run("plugins", "info", "upper", "--json")[1])

    assert enabled == {"success": True, "data": {"name": "upper", "enabled": True}}
    assert listed["data"]["folder"] == str(desk.shelf.folder)
    assert info["data"]["state"] == "enabled"
    assert info["data"]["required"] is True


def test_enabling_a_broken_plugin_says_what_is_wrong(desk: Desk) -> None:
    desk.shelf.put("broken", "raise ValueError('no key')")
    desk.shelf.put("other", "raise SystemExit('not to be loaded now')")
    desk.shelf.put(
        "foreign",
        "def register(ctx):\n    ctx.register_tool(name='t')\n    ctx.register_hook('pre_llm_call', print)",
    )
    desk.shelf.enable("other")

    assert desk.run("plugins", "enable", "broken", "--required") == (
        0,
        "broken is enabled\n",
        "webseam: broken is broken, and every call fails until you fix it or run `webseam plugins disable broken`: ValueError: no key\n",
    )
    assert desk.run("plugins", "enable", "broken") == (
        0,
        "broken is enabled\n",
        "webseam: broken is broken and will be left out: ValueError: no key\n",
    )
    assert desk.run("plugins", "enable", "foreign")[2] == (
        "webseam: foreign also registers what webseam does not have: "
        "register_tool, hook 'pre_llm_call'\n"
    )


@pytest.mark.parametrize("command", ["enable", "disable", "info"])
def test_a_name_that_is_nobodys_gets_a_near_one(desk: Desk, command: str) -> None:
    desk.shelf.put("upper", UPPER)

    code, _, err = desk.run("plugins", command, "uper")

    assert (code, err) == (2, "webseam: plugin: there is no 'uper'; did you mean upper?\n")


@pytest.mark.parametrize("pair", ["novalue", "=5", " =x"])
def test_a_setting_must_have_a_name_and_a_value(desk: Desk, pair: str) -> None:
    desk.shelf.put("upper", UPPER)

    code, _, err = desk.run("plugins", "enable", "upper", "--set", pair)

    assert (code, "must be KEY=VALUE" in err) == (2, True)


def test_plugin_disabled_by_the_settings_stays_disabled(desk: Desk) -> None:
    desk.shelf.put("upper", UPPER)
    (desk.shelf.root / "config.yaml").write_text("plugins:\n  disabled: [upper]\n")

    code, _, err = desk.run("plugins", "enable", "upper")

    assert (code, "plugins.disabled in the settings" in err) == (2, True)


@pytest.mark.parametrize("command", [("list",), ("enable", "upper"), ("info", "upper")])
def test_a_damaged_store_is_told_and_left_alone(desk: Desk, command: tuple[str, ...]) -> None:
    (desk.shelf.root / "plugins.json").write_text("{")

    code, _, err = desk.run("plugins", *command)

    assert (code, err.startswith("webseam: The store of plugins")) == (4, True)
    assert (desk.shelf.root / "plugins.json").read_text() == "{"


def test_a_search_goes_through_an_enabled_plugin(desk: Desk, api: DemoApi) -> None:
    desk.shelf.put("upper", UPPER)
    ask = ("search", "typed", "--endpoint", api.url("search"))
    before = desk.run(*ask)
    desk.run("plugins", "enable", "upper")
    after = desk.run(*ask)

    assert before[0] == after[0] == 0
    assert before[1] != after[1]
    assert before[1].split("\n")[0].upper() == after[1].split("\n")[0]
    assert before[1].lower() == after[1].lower()


CHATTY = """
print("imported")

def register(ctx):
    print("registered")
    ctx.register_hook("on_session_start", lambda **_: print("begun"))
    ctx.register_hook("post_tool_call", lambda **_: print("told"))
"""


def test_output_of_a_plugin_stays_out_of_the_result(desk: Desk, api: DemoApi) -> None:
    desk.shelf.put("chatty", CHATTY)

    enabled = desk.run("plugins", "enable", "chatty", "--json")
    listed = desk.run("plugins", "list", "--json")
    _, out, err = desk.run("search", "typed", "--endpoint", api.url("search"), "--json")

    assert json.loads(enabled[1])["data"]["enabled"] is True
    assert json.loads(listed[1])["success"] is True
    assert json.loads(out)["success"] is True
    assert err.splitlines() == ["imported", "registered", "begun", "told"]


def test_a_broken_plugin_is_told_by_name_and_the_search_goes_on(desk: Desk, api: DemoApi) -> None:
    desk.shelf.put("broken", "import nothing_at_all")
    desk.run("plugins", "enable", "broken")

    code, out, err = desk.run("search", "typed", "--endpoint", api.url("search"))

    assert code == 0
    assert out
    assert err == (
        "webseam: the plugin broken is broken and was left out: "
        "ModuleNotFoundError: No module named 'nothing_at_all'; run: pip install nothing_at_all\n"
    )
    assert state(desk, "broken") == "broken"


def test_a_required_plugin_that_is_broken_stops_the_search(desk: Desk, api: DemoApi) -> None:
    desk.shelf.put("policy", "import nothing_at_all")
    desk.run("plugins", "enable", "policy", "--required")

    code, out, err = desk.run("search", "typed", "--endpoint", api.url("search"))

    assert (code, out) == (3, "")
    assert "required plugin policy" in err


def test_a_plugin_that_refuses_ends_with_the_code_of_refusals(desk: Desk, api: DemoApi) -> None:
    desk.shelf.put(
        "guard",
        "def register(ctx): ctx.register_hook('pre_tool_call', lambda **_: {'action': 'block', 'message': 'Not now.'})",
    )
    desk.run("plugins", "enable", "guard")

    code, _, err = desk.run("search", "typed", "--endpoint", api.url("search"))

    assert (code, err) == (5, "webseam: Refused by guard: “Not now”.\n")


def test_approval_is_refused_without_a_terminal(desk: Desk, api: DemoApi) -> None:
    desk.shelf.put(
        "ask",
        "def register(ctx): ctx.register_hook('pre_tool_call', lambda **_: {'action': 'approve', 'message': 'Sure?'})",
    )
    desk.run("plugins", "enable", "ask")

    code, _, err = desk.run("search", "typed", "--endpoint", api.url("search"))

    assert (code, "no one can give it here" in err) == (5, True)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("answer", "code"), [("y\n", 0), ("Yes\n", 0), ("\n", 5), ("no\n", 5)])
def test_a_person_at_the_terminal_is_asked(
    desk: Desk, api: DemoApi, monkeypatch: pytest.MonkeyPatch, answer: str, code: int
) -> None:
    desk.shelf.put(
        "ask",
        "def register(ctx): ctx.register_hook('pre_tool_call', lambda **_: {'action': 'approve', 'message': 'Costs money.'})",
    )
    desk.run("plugins", "enable", "ask")
    monkeypatch.setattr("sys.stdin", Terminal(answer))

    ran = desk.run("search", "typed", "--endpoint", api.url("search"))

    assert ran[0] == code
    assert ran[2].startswith("webseam: ask asks before web_search {'query': 'typed'")
    assert "Costs money.\nGo on? [y/N] " in ran[2]


def test_several_pages_go_through_plugins_each_in_its_place(desk: Desk, api: DemoApi) -> None:
    desk.shelf.put(
        "mark",
        "def register(ctx): ctx.register_middleware('tool_execution', lambda **kw: {'data': {'results': [{'url': url, 'content': url} for url in kw['args']['urls']]}})",
    )
    desk.run("plugins", "enable", "mark")
    urls = ("https://webseam.example/rows", "http://169.254.169.254/", "https://webseam.example/x")

    code, out, err = desk.run("extract", *urls, "--endpoint", api.url("extract"))
    as_json = json.loads(desk.run("extract", *urls, "--json", "--endpoint", api.url("extract"))[1])

    assert code == 4
    shown = [f"<{url}>\n\n{url}" for url in (urls[0], urls[2])]
    assert out == f"{shown[0]}\n\n---\n\n{shown[1]}\n"
    assert err.startswith("'http://169.254.169.254/': webseam: ")
    assert "This URL is not fetched" in err
    assert (as_json["success"], as_json["failed"]) == (True, 1)
    assert len(as_json["data"]["results"]) == 3
    assert as_json["data"]["results"][1]["error"]["kind"] == "url_denied"


def test_a_failure_in_a_plugins_words_is_told_in_them(desk: Desk) -> None:
    desk.shelf.put(
        "kind",
        """
        def register(ctx):
            ctx.register_middleware("tool_execution", kindly)

        def kindly(**kwargs):
            try:
                return kwargs["next_call"](kwargs["args"])
            except Exception:
                return {"error": "The search is resting."}
        """,
    )
    desk.run("plugins", "enable", "kind")
    ask = ("search", "typed", "--no-cache", "--endpoint", "http://127.0.0.1:9/")

    code, out, err = desk.run(*ask)
    as_json = json.loads(desk.run(*ask, "--json")[1])

    assert (code, out, err) == (4, "", "webseam: The search is resting.\n")
    assert as_json["failure"]["kind"] == "connect_failed"


def test_hooks_hear_of_the_commands_session(desk: Desk, api: DemoApi) -> None:
    heard = desk.shelf.root / "heard.txt"
    desk.shelf.put(
        "ear",
        f"""
        from functools import partial

        def register(ctx):
            for name in ("on_session_start", "pre_tool_call", "post_tool_call", "on_session_end"):
                ctx.register_hook(name, partial(hear, name))

        def hear(name, **kwargs):
            with open({str(heard)!r}, "a") as file:
                file.write(name + " ")
        """,
    )
    desk.run("plugins", "enable", "ear")
    desk.run("search", "typed", "--endpoint", api.url("search"))

    assert heard.read_text() == "on_session_start pre_tool_call post_tool_call on_session_end "


def test_an_extract_goes_through_plugins_too(desk: Desk, api: DemoApi) -> None:
    desk.shelf.put(
        "short",
        "def register(ctx): ctx.register_middleware('tool_execution', lambda **kw: {'data': {'results': [{'url': kw['args']['urls'][0], 'content': 'instead'}]}})",
    )
    desk.run("plugins", "enable", "short")

    code, out, _ = desk.run(
        "extract", "https://webseam.example/receipts", "--endpoint", api.url("extract")
    )

    assert (code, out) == (0, "<https://webseam.example/receipts>\n\ninstead\n")


def test_a_callback_that_fails_is_logged_by_its_plugins_name(
    desk: Desk, api: DemoApi, caplog: pytest.LogCaptureFixture
) -> None:
    desk.shelf.put(
        "odd", "def register(ctx): ctx.register_middleware('tool_request', lambda **_: 1 / 0)"
    )
    desk.run("plugins", "enable", "odd")

    with caplog.at_level(logging.WARNING):
        code, _, _ = desk.run("search", "typed", "--endpoint", api.url("search"))

    assert code == 0
    assert caplog.messages[0].startswith(
        "plugin odd failed in tool_request and was left out: ZeroDivisionError"
    )


@pytest.mark.parametrize(
    ("envelope", "text"),
    [
        ({"data": {"web": []}}, "Nothing found."),
        ({"data": {"web": [], "answer": "Noon."}}, "Noon."),
        (
            {"data": {"web": [{"title": "T", "url": "u", "description": "d", "position": 1}]}},
            "1. T\n   u\n   d",
        ),
        ({"data": {"web": [{}, 5]}}, "-. (no title)\n   "),
        ({"data": {"content": "page"}}, "page"),
        ({"data": {"other": 1}}, "{'other': 1}"),
        ({"data": [1]}, "[1]"),
        ({}, "None"),
    ],
)
def test_replaced_result_of_a_plugin_is_printed(envelope: dict[str, object], text: str) -> None:
    assert changed_reply_text(envelope) == text


def test_help_says_what_plugins_are_for() -> None:
    ran = webseam_process("plugins", "--help")

    assert ran.code == 0
    for word in ("list", "enable", "disable", "info"):
        assert word in ran.out
