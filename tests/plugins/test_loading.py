"""Plugins are found, run only when enabled, and hurt nobody when they are broken."""

import sys
from importlib.metadata import EntryPoint

import pytest

from webseam.composition.plugins.context import Manifest, PluginContext
from webseam.composition.plugins.discovery import FoundPlugin, discover_plugins
from webseam.composition.plugins.loader import load_plugin
from webseam.composition.plugins.plugin_choice import write_plugin_choices
from webseam.composition.plugins.report import PluginChoices
from webseam.composition.settings.file_locations import FileLocations
from webseam.ports import NotConfigured, StoreFailed

from .shelf import Shelf

TAG = """
def register(ctx):
    ctx.register_middleware("tool_request", tag)
    ctx.register_hook("post_tool_call", lambda **kwargs: None)

def tag(**kwargs):
    return {"args": {**kwargs["args"]}, "source": "tag"}
"""


def test_a_plugin_that_is_not_enabled_is_found_and_never_run(shelf: Shelf) -> None:
    shelf.put("quiet", "raise SystemExit('imported')")

    assert "quiet" in discover_plugins(shelf.folder)
    assert shelf.load().reports == ()


def test_an_enabled_plugin_registers_what_it_has(shelf: Shelf) -> None:
    shelf.put("tag", TAG)
    shelf.enable("tag")

    loaded = shelf.load()

    assert [each.kind for each in loaded.callbacks.middleware] == ["tool_request"]
    assert [each.name for each in loaded.callbacks.hooks] == ["post_tool_call"]
    assert loaded.callbacks.middleware[0].plugin == "tag"
    assert loaded.broken == ()


def test_plugins_register_in_the_order_in_which_they_were_enabled(shelf: Shelf) -> None:
    for name in ("a", "b", "c"):
        shelf.put(name, TAG)
    for name in ("b", "c", "a"):
        shelf.enable(name)

    order = [each.plugin for each in shelf.load().callbacks.middleware_of("tool_request")]

    assert order == ["b", "c", "a"]


def test_the_manifest_of_hermes_is_read(shelf: Shelf) -> None:
    shelf.put(
        "folder-name",
        TAG,
        """
        name: nice-name
        version: 1.5
        description: "What it does"
        author: me
        kind: standalone
        requires_env:
          - ONE_KEY
          - name: OTHER_KEY
            description: where to get it
        hooks: [post_tool_call]
        provides_tools: [one]
        """,
    )

    manifest = discover_plugins(shelf.folder)["nice-name"].manifest

    assert (manifest.version, manifest.description, manifest.author) == (
        "1.5",
        "What it does",
        "me",
    )
    assert manifest.requires_env == ("ONE_KEY", "OTHER_KEY")
    assert (manifest.provides_hooks, manifest.provides_tools) == (("post_tool_call",), ("one",))


def test_a_plugin_may_be_a_single_file_or_stand_in_a_category(shelf: Shelf) -> None:
    (shelf.folder / "single.py").write_text(TAG)
    shelf.put("observability/inner", TAG, "name: whatever")
    shelf.put("observability/deeper/too_deep", TAG)
    (shelf.folder / ".hidden").mkdir()
    (shelf.folder / "notes.txt").write_text("no plugin")
    for key in ("single", "observability/inner"):
        shelf.enable(key)

    (shelf.folder / "observability" / "__init__.py").touch()

    assert [report.key for report in shelf.load().reports] == ["single", "observability/inner"]
    assert shelf.load().broken == ()
    assert "observability/deeper/too_deep" not in discover_plugins(shelf.folder)


def test_a_plugin_may_have_parts_that_it_imports(shelf: Shelf) -> None:
    code = "from .part import word\nfrom . import part\ndef register(ctx): ctx.register_hook(word, print)"
    shelf.put("parted", code, part="word = 'post_tool_call'")
    shelf.enable("parted")

    assert shelf.load().callbacks.hooks[0].name == "post_tool_call"


def test_a_plugin_is_read_anew_each_time(shelf: Shelf) -> None:
    folder = shelf.put(
        "changing",
        "from .part import word\ndef register(ctx): ctx.register_hook(word, print)",
        part="word = 'first'",
    )
    shelf.enable("changing")
    shelf.load()
    (folder / "part.py").write_text("word = 'the second'")

    assert shelf.load().callbacks.hooks[0].name == "the second"


@pytest.mark.parametrize(
    ("code", "problem"),
    [
        (
            "import nothing_of_the_kind",
            "ModuleNotFoundError: No module named 'nothing_of_the_kind'; run: pip install nothing_of_the_kind",
        ),
        (
            "from hermes_cli.config import load_config",
            "ModuleNotFoundError: No module named 'hermes_cli'; it needs Hermes itself; run: pip install hermes-agent",
        ),
        (
            "from .missing import part",
            "ModuleNotFoundError: No module named 'webseam_plugins.broken.missing'",
        ),
        ("async def register(ctx): pass", "its register function is async; write it with def"),
        (
            "def register(ctx): raise ValueError('key sk-abcdefghijklmnopqrstuv')",
            "ValueError: key ***",
        ),
        ("def regster(ctx): pass", "it has no register function"),
        ("def register(ctx) pass", "SyntaxError"),
        ("raise SystemExit(3)", "SystemExit: 3"),
        (
            "def register(ctx): ctx.register_hook('post_tool_call', 'text')",
            "TypeError: a callback must be callable, got str",
        ),
        (
            "def register(ctx): ctx.register_middleware('tool_request', print, on_error='maybe')",
            "ValueError: on_error must be open or closed, got 'maybe'",
        ),
        (
            "def register(ctx): ctx.nonsense",
            "AttributeError: webseam's plugin context has no 'nonsense'",
        ),
    ],
)
def test_a_broken_plugin_is_reported_by_name_and_the_others_run(
    shelf: Shelf, code: str, problem: str
) -> None:
    shelf.put("broken", code)
    shelf.put("sound", TAG)
    shelf.enable("broken")
    shelf.enable("sound")

    loaded = shelf.load()

    [report] = loaded.broken
    assert report.key == "broken"
    assert report.problem.startswith(problem)
    assert len(loaded.callbacks.middleware) == 1


@pytest.mark.parametrize("text", ["- a list", "{", "\xff", "name: [" * 500])
def test_a_manifest_that_cannot_be_read_breaks_its_plugin_alone(shelf: Shelf, text: str) -> None:
    folder = shelf.put("bad", TAG)
    (folder / "plugin.yml").write_bytes(text.encode("latin-1"))
    shelf.enable("bad")

    assert "plugin.yml" in shelf.load().broken[0].problem


def test_a_plugin_that_is_gone_is_reported(shelf: Shelf) -> None:
    shelf.enable("gone")

    assert shelf.load().broken[0].problem == "it is enabled but not there"


def test_a_required_plugin_that_is_broken_fails_every_call(shelf: Shelf) -> None:
    shelf.enable("policy", required=True)

    error = shelf.try_load().failure()

    assert isinstance(error, NotConfigured)
    assert "policy cannot be loaded: it is enabled but not there" in error.message
    assert "webseam plugins disable policy" in error.message


def test_settings_enable_and_disable_too_and_to_disable_wins(shelf: Shelf) -> None:
    for name in ("one", "two", "three"):
        shelf.put(name, TAG)
    shelf.enable("two")
    shelf.enable("three")
    (shelf.root / "config.yaml").write_text("plugins:\n  enabled: [one]\n  disabled: [two]\n")

    assert [report.key for report in shelf.load().reports] == ["one", "three"]


def test_another_folder_may_be_set(shelf: Shelf) -> None:
    elsewhere = shelf.root / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "mine.py").write_text(TAG)
    shelf.environment |= {
        "WEBSEAM_PLUGINS_FOLDER": str(elsewhere),
        "WEBSEAM_PLUGINS_ENABLED": "mine",
    }

    assert [report.key for report in shelf.load().reports] == ["mine"]
    assert shelf.load().broken == ()


def test_settings_that_cannot_be_read_say_so(shelf: Shelf) -> None:
    (shelf.root / "config.yaml").write_text("plugins: {enabled: 5x: 3")

    assert shelf.try_load().failure().kind == "invalid_setting"


@pytest.mark.parametrize("text", ["{", "[]", '{"enabled": 5}'])
def test_a_store_that_was_damaged_says_so(shelf: Shelf, text: str) -> None:
    (shelf.root / "plugins.json").write_text(text)

    assert isinstance(shelf.try_load().failure(), StoreFailed)


def test_a_store_that_cannot_be_read_says_so(shelf: Shelf) -> None:
    (shelf.root / "plugins.json").mkdir()

    error = shelf.try_load().failure()

    assert error.message.startswith("The store of plugins cannot be used: is a directory.")


def test_choices_that_cannot_be_written_are_a_failure_and_leave_nothing(shelf: Shelf) -> None:
    (shelf.root / "file").touch()
    nowhere = {"WEBSEAM_CONFIG": str(shelf.root / "file" / "config.yaml")}
    (shelf.root / "plugins.json").mkdir()

    assert isinstance(
        write_plugin_choices(PluginChoices(), FileLocations(nowhere)).failure(), StoreFailed
    )
    assert isinstance(write_plugin_choices(PluginChoices(), shelf.files).failure(), StoreFailed)
    assert sorted(path.name for path in shelf.root.iterdir()) == ["data", "file", "plugins.json"]


def test_unknown_plugin_registrations_are_refused_without_harm(shelf: Shelf) -> None:
    shelf.put(
        "ambitious",
        """
        def register(ctx):
            ctx.register_tool(name="t", toolset="x", schema={}, handler=print)
            ctx.register_command("cmd", handler=print, description="d")
            ctx.register_cli_command(name="c", help="h", setup_fn=print)
            ctx.register_platform("irc", "IRC", print, print)
            ctx.register_hook("pre_gateway_dispatch", print)
            ctx.register_middleware("api_future", print)
            assert ctx.inject_message("hello") is False
            assert '"success":false' in ctx.dispatch_tool("terminal", {"command": "ls"})
            assert ctx.profile_name == "default"
            model = ctx.llm
            try:
                model.complete("hello")
            except RuntimeError as error:
                assert "no model" in str(error)
            assert ctx.manifest.name == "ambitious"
            ctx.register_hook("post_tool_call", print)
        """,
    )
    shelf.enable("ambitious")

    [report] = shelf.load().reports

    assert report.problem == ""
    assert [refusal.split(":")[0] for refusal in report.refusals] == [
        "register_tool",
        "register_command",
        "register_cli_command",
        "register_platform",
        "hook 'pre_gateway_dispatch'",
        "middleware 'api_future'",
        "inject_message",
        "dispatch_tool('terminal')",
        "llm",
    ]


def test_a_missing_module_is_told_with_what_the_manifest_says_to_install(shelf: Shelf) -> None:
    shelf.put(
        "needy", "import nothing_of_the_kind", "name: needy\npip_dependencies: [nothing>=2, more]"
    )
    shelf.enable("needy")

    assert shelf.load().broken[0].problem.endswith("; run: pip install nothing>=2 more")


def test_plugins_whose_names_differ_in_a_sign_keep_their_parts_apart(shelf: Shelf) -> None:
    code = """
        def register(ctx):
            def late(**_):
                from .part import word
                return word
            ctx.register_hook("post_tool_call", late)
        """
    for key in ("a/b", "a-b", "a_b"):
        shelf.put(key, code, f"name: {key}", part=f"word = {key!r}")
        shelf.enable(key)

    assert [hook.callback() for hook in shelf.load().callbacks.hooks] == ["a/b", "a-b", "a_b"]


def test_a_plugin_reads_its_settings_in_the_words_of_hermes(shelf: Shelf) -> None:
    shelf.put(
        "reader",
        """
        def register(ctx):
            assert ctx.plugin_id == "reader"
            assert ctx.config == {"limits": {"pages": 3}}
            assert ctx.get_config("limits.pages") == 3
            assert ctx.get_config("limits.hours", 24) == 24
            assert ctx.get_config("limits.pages.more") is None
            assert ctx.has_capability("tools.override") is False
            try:
                ctx.set_config("pages", 5)
            except PermissionError as error:
                assert "webseam plugins enable reader --set pages=5" in str(error)
            ctx.register_middleware("tool_request", print, failure_mode="closed")
            ctx.on_unload(lambda: "gone")
        """,
    )
    shelf.enable("reader", limits={"pages": 3})

    loaded = shelf.load()

    assert loaded.broken == ()
    assert loaded.callbacks.middleware[0].on_error == "closed"
    [farewell] = loaded.callbacks.hooks_named("on_session_finalize")
    assert farewell.callback(session_id="s", reason="closed") == "gone"


def test_a_plugin_gets_the_settings_that_were_given_for_it(shelf: Shelf) -> None:
    shelf.put("set", "def register(ctx): ctx.register_hook(ctx.settings['name'], print)")
    shelf.enable("set", name="first", other=1)
    shelf.enable("set", name="second")

    assert shelf.load().callbacks.hooks[0].name == "second"


def found_at(value: str) -> FoundPlugin:
    point = EntryPoint(name="point", value=value, group="webseam.plugins")
    manifest = Manifest(name="point", key="point", source="entry point", path=value)
    return FoundPlugin(manifest=manifest, load=point.load)


@pytest.mark.parametrize("value", ["sample_plugin", "sample_plugin:register"])
def test_an_entry_point_names_a_module_or_its_register_function(
    shelf: Shelf, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (shelf.root / "sample_plugin.py").write_text(TAG)
    monkeypatch.syspath_prepend(str(shelf.root))

    context = load_plugin(found_at(value), {}, shelf.root)
    sys.modules.pop("sample_plugin", None)

    assert isinstance(context, PluginContext)
    assert [each.kind for each in context.middleware] == ["tool_request"]


def test_plugins_of_installed_packages_are_found_with_their_metadata(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    info = shelf.root / "site" / "sample-2.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: sample\nVersion: 2.0\nSummary: A sample\nAuthor: me\n"
    )
    (info / "entry_points.txt").write_text(
        "[webseam.plugins]\nsample = sample_plugin\n"
        "[hermes_agent.plugins]\nolder = older_plugin:module\nwebseam = webseam.composition.doors.hermes\n"
    )
    monkeypatch.syspath_prepend(str(shelf.root / "site"))

    found = discover_plugins(shelf.folder)

    assert found["sample"].manifest == Manifest(
        name="sample",
        key="sample",
        source="entry point",
        path="sample_plugin",
        version="2.0",
        description="A sample",
        author="me",
    )
    assert found["older"].manifest.source == "hermes entry point"
    assert "webseam" not in found
