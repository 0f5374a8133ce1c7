"""A working folder is believed after a yes: before that it sets what stands in the table."""

import os
from collections.abc import Mapping
from pathlib import Path

import pytest
from returns.result import Failure

from webseam.composition.features.models.clients import known_providers, provider_account
from webseam.composition.plugins.plugin_choice import choose_plugins
from webseam.composition.settings.file_locations import FileLocations
from webseam.composition.settings.json_services import custom_json_services
from webseam.composition.settings.loader import load_settings
from webseam.composition.settings.notices import show_notices_through
from webseam.composition.settings.schema import Settings
from webseam.composition.settings.services import service_settings
from webseam.composition.settings.trusted_folders import (
    record_trust,
    revoke_trust,
    trusted_file_digest,
    trusted_files,
    trusted_folders,
)
from webseam.composition.wiring.root import read_settings_root

EVIL = "https://evil.example"


class Desk:
    """A user with a home, and a project that came from elsewhere."""

    def __init__(self, root: Path) -> None:
        self.home, self.project = root / "home", root / "project"
        for folder in (self.home, self.project):
            folder.mkdir()
        self.config = self.home / "config.yaml"
        self.env = self.project / ".env"
        self.told: list[str] = []

    def environment(self, **more: str) -> dict[str, str]:
        return {"HOME": str(self.home), "WEBSEAM_CONFIG": str(self.config), **more}

    def load(self, folder: Path | None = None, /, **environment: str) -> Settings:
        with show_notices_through(self.told.append):
            loaded = load_settings(self.environment(**environment), folder=folder or self.project)
        return loaded.unwrap()

    @property
    def files(self) -> FileLocations:
        return FileLocations(self.environment())

    def trust(self) -> None:
        hashes = {".env": trusted_file_digest(self.env.read_bytes())}
        record_trust(self.project, hashes, self.files).unwrap()


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def left_out(settings: Settings) -> list[str]:
    return [one.name for one in settings.folder.left_out]


def account(name: str, settings: Settings) -> tuple[str, tuple[str, ...]] | None:
    provider = known_providers(settings).unwrap().find(name).unwrap()
    known = provider_account(provider, settings)
    return (
        None if isinstance(known, Failure) else (known.unwrap().base_url, known.unwrap().secrets())
    )


def test_the_usual_dotenv_of_a_project_just_works(desk: Desk) -> None:
    desk.env.write_text(
        "TAVILY_API_KEY=tvly-theirs\nOPENAI_API_KEY=sk-theirs\nWEBSEAM_BACKEND=tavily\n"
        "WEBSEAM_TIMEOUT=5\nDATABASE_URL=postgres://x\nDEBUG=1\n"
    )

    settings = desk.load()

    assert (settings.backend, settings.timeout) == ("tavily", 5.0)
    assert account("openai", settings) == ("https://api.openai.com/v1", ("sk-theirs",))
    assert (left_out(settings), desk.told) == ([], [])


def test_everything_else_waits_and_one_line_says_so(desk: Desk) -> None:
    desk.env.write_text(
        "WEBSEAM_POLICY_ALLOW_PRIVATE=10.0.0.0/8\nWEBSEAM_RENDER_BROWSER=./x\nHTTPS_PROXY=http://e\n"
        "WEBSEAM_PLUGINS_FOLDER=.\nWEBSEAM_PROXY=http://e\nSEARXNG_URL=https://e.example\n"
        "WEBSEAM_CUSTOM_ALLOW_PLAIN_HTTP=1\nWEBSEAM_BUDGETS_DAY=1000000\n"
    )

    settings = desk.load()
    desk.load()

    assert (settings.policy.allow_private, settings.render.browser) == ((), None)
    assert (settings.plugins.folder, bool(settings.proxy), settings.budgets.day) == (
        None,
        False,
        None,
    )
    assert settings.variables.texts(lambda _: True).keys() == desk.environment().keys()
    assert left_out(settings) == [
        line.partition("=")[0] for line in desk.env.read_text().splitlines()
    ]
    assert desk.told[0] == (
        f"{desk.env} needs your yes first; left out: WEBSEAM_POLICY_ALLOW_PRIVATE, "
        "WEBSEAM_RENDER_BROWSER, HTTPS_PROXY, WEBSEAM_PLUGINS_FOLDER, WEBSEAM_PROXY and 3 more. "
        "`webseam trust` shows and allows it, as does --trust-folder or WEBSEAM_TRUST_FOLDER=1."
    )
    assert settings.folder.lines[0] == f"left out: WEBSEAM_POLICY_ALLOW_PRIVATE ({desk.env}:1)"


def test_a_folder_does_not_say_where_keys_and_money_are_kept(desk: Desk) -> None:
    desk.env.write_text(
        "WEBSEAM_STORES_POSTGRES=postgresql://evil.example/x\n"
        "WEBSEAM_STORES_VALKEY=redis://evil.example\nWEBSEAM_STORES_LEDGER=local\n"
    )

    settings = desk.load()

    assert not settings.stores.postgres
    assert not settings.stores.valkey
    assert settings.stores.ledger == "shared"
    assert left_out(settings) == [
        "WEBSEAM_STORES_POSTGRES",
        "WEBSEAM_STORES_VALKEY",
        "WEBSEAM_STORES_LEDGER",
    ]


def test_a_sentence_is_told_once(desk: Desk) -> None:
    desk.env.write_text("WEBSEAM_PROXY=http://e\n")
    told: list[str] = []

    with show_notices_through(told.append):
        for _ in range(3):
            load_settings(desk.environment(), folder=desk.project).unwrap()

    assert len(told) == 1


def test_a_library_tells_its_log(desk: Desk, caplog: pytest.LogCaptureFixture) -> None:
    desk.env.write_text("WEBSEAM_PROXY=http://e\n")

    for _ in range(2):
        load_settings(desk.environment(), folder=desk.project).unwrap()

    assert [record.name for record in caplog.records] == ["webseam.settings"]
    assert "left out: WEBSEAM_PROXY." in caplog.text


@pytest.mark.parametrize(
    ("provider", "mine", "theirs"),
    [
        ("custom", {"CUSTOM_API_KEY": "mine"}, f"CUSTOM_BASE_URL={EVIL}"),
        ("vertex", {"VERTEX_ACCESS_TOKEN": "mine"}, f"VERTEX_BASE_URL={EVIL}"),
        ("vertex", {"VERTEX_ACCESS_TOKEN": "mine"}, "GOOGLE_CLOUD_PROJECT=evil"),
        ("azure", {"AZURE_OPENAI_API_KEY": "mine"}, f"AZURE_OPENAI_ENDPOINT={EVIL}"),
        ("azure", {"AZURE_OPENAI_API_KEY": "mine"}, "AZURE_OPENAI_ENDPOINT=http://127.0.0.1:9"),
        ("openai", {"OPENAI_API_KEY": "mine"}, f"OPENAI_BASE_URL={EVIL}"),
        ("ollama", {"OLLAMA_API_KEY": "mine"}, "OLLAMA_HOST=evil.example"),
        ("bedrock", {"AWS_BEARER_TOKEN_BEDROCK": "mine"}, f"BEDROCK_BASE_URL={EVIL}"),
    ],
)
def test_a_users_key_does_not_go_where_a_folder_says(
    desk: Desk, provider: str, mine: dict[str, str], theirs: str
) -> None:
    desk.env.write_text(f"{theirs}\n")

    before = account(provider, desk.load(**mine))
    desk.trust()
    after = account(provider, desk.load(**mine))

    assert before is None or ("evil" not in before[0] and ":9" not in before[0])
    assert left_out(desk.load(**mine)) == []
    assert after is not None
    assert after[1] == ("mine",)


def test_a_search_models_key_waits_for_an_address_of_the_users_own(desk: Desk) -> None:
    desk.config.write_text("custom_api_key: mine\n")
    desk.env.write_text(f"CUSTOM_SEARCH_BASE_URL={EVIL}/v1\n")

    before = desk.load()
    desk.trust()

    assert before.custom_base_url is None
    assert desk.load().custom_base_url == f"{EVIL}/v1"


def test_a_reference_keeps_where_its_value_came_from(desk: Desk) -> None:
    desk.config.write_text(
        "web:\n  backend: tavily\n  custom_model: model-of-${HOST}\n"
        "webseam:\n  render: {browser: '${EXA_API_KEY}'}\n"
        "  services: {tavily: {api_key: '${TAVILY_API_KEY}'}}\n"
    )
    desk.env.write_text("EXA_API_KEY=./evil.sh\nHOST=evil.example\nTAVILY_API_KEY=tvly-theirs\n")

    settings = desk.load(TAVILY_API_KEY="")

    assert settings.render.browser is None
    assert settings.custom_model == "model-of-${HOST}"
    assert settings.entries.origin(("services", "tavily", "api_key")).foreign
    assert left_out(settings) == ["HOST", "render.browser"]


def test_a_reference_to_the_environment_is_the_users(desk: Desk) -> None:
    desk.config.write_text("web: {backend: tavily}\nwebseam: {render: {browser: '${CHROME}'}}\n")
    desk.env.write_text("CHROME=./evil.sh\n")

    settings = desk.load(CHROME="/usr/bin/chromium")

    assert settings.render.browser == "/usr/bin/chromium"
    assert (left_out(settings), desk.told) == ([], [])


def test_the_headers_and_parameters_of_a_described_service_stay_with_it(desk: Desk) -> None:
    desk.config.write_text(
        "json:\n  corp:\n    endpoint: https://search.corp.example/find\n"
        "    headers: {X-Corp: planted-header}\n    parameters: {q: '{query}', who: planted}\n"
        "    auth: none\n"
    )
    desk.env.write_text(f"WEBSEAM_CORP_BASE_URL={EVIL}\n")

    before = desk.load()
    desk.trust()
    after = desk.load()

    assert left_out(before) == ["WEBSEAM_CORP_BASE_URL"]
    assert address(before) == "https://search.corp.example"
    assert address(after) == EVIL


def address(settings: Settings) -> str:
    service = custom_json_services(settings).unwrap()["corp"].service
    return service_settings(service, settings).unwrap().accesses[0].base_url


def test_a_key_of_a_known_name_does_not_go_to_a_described_service(desk: Desk) -> None:
    desk.config.write_text(
        "json:\n  corp: {endpoint: https://search.corp.example/find, api_key_env: EXA_API_KEY,"
        " parameters: {q: '{query}'}}\n"
        "providers:\n  mine: {base_url: https://llm.corp.example, env: EXA_API_KEY}\n"
    )
    desk.env.write_text("EXA_API_KEY=theirs\n")

    settings = desk.load()
    service = custom_json_services(settings).unwrap()["corp"].service

    assert "official address" in service_settings(service, settings).failure().reason
    assert account("mine", settings) is None
    assert address(desk.load(EXA_API_KEY="mine")) == "https://search.corp.example"


def test_a_folders_key_does_not_go_to_an_address_of_the_users_own(desk: Desk) -> None:
    desk.env.write_text("OPENAI_API_KEY=theirs\nOLLAMA_API_KEY=theirs\n")

    by_variable = desk.load(OPENAI_BASE_URL="https://corp.example", OLLAMA_HOST="box.example")
    desk.config.write_text("providers: {openai: {base_url: https://corp.example}}\n")

    assert account("openai", by_variable) is None
    assert account("ollama", by_variable) == ("http://box.example:11434/v1", ())
    assert account("openai", desk.load()) is None


def test_a_change_asks_again_and_what_was_is_not_remembered_for_it(desk: Desk) -> None:
    desk.env.write_text("WEBSEAM_PROXY=http://good.example\n")
    desk.trust()
    trusted = desk.load()
    desk.env.write_text("WEBSEAM_PROXY=http://evil.example\n")
    changed = desk.load()

    assert trusted.proxy.reveal() == "http://good.example"
    assert (trusted.folder.standing, desk.told[:0]) == ("trusted", [])
    assert (changed.folder.standing, bool(changed.proxy)) == ("changed", False)
    assert desk.told[-1].startswith(f"{desk.env} has changed since you trusted it; left out:")


def test_trust_is_for_one_folder_by_whatever_name(desk: Desk) -> None:
    desk.env.write_text("WEBSEAM_PROXY=http://e.example\n")
    desk.trust()
    link, inner = desk.home / "link", desk.project / "inner"
    link.symlink_to(desk.project)
    inner.mkdir()
    (inner / ".env").write_bytes(desk.env.read_bytes())
    other = desk.home / "PROJECT"
    other.mkdir()
    (other / ".env").write_bytes(desk.env.read_bytes())

    assert desk.load(link).proxy.reveal() == "http://e.example"
    assert [bool(desk.load(each).proxy) for each in (inner, other)] == [False, False]


def test_a_yes_of_the_process_counts_and_is_recorded(desk: Desk) -> None:
    desk.env.write_text("WEBSEAM_PROXY=http://e.example\nWEBSEAM_TRUST_FOLDER=1\n")

    before = desk.load(WEBSEAM_TRUST_FOLDER="no")
    now = desk.load(WEBSEAM_TRUST_FOLDER="1")
    after = desk.load()

    assert [bool(one.proxy) for one in (before, now, after)] == [False, True, True]
    [record] = trusted_folders(desk.files).unwrap()
    assert record.folder == os.path.realpath(desk.project)
    [file] = (desk.home / ".local/share/webseam/trusted").iterdir()
    assert (file.stat().st_mode & 0o777, file.parent.stat().st_mode & 0o777) == (0o600, 0o700)


def test_a_yes_that_cannot_be_recorded_counts_for_now_and_is_told(desk: Desk) -> None:
    desk.env.write_text("WEBSEAM_PROXY=http://e.example\n")
    (desk.home / "data").write_text("no folder\n")

    settings = desk.load(WEBSEAM_TRUST_FOLDER="1", XDG_DATA_HOME=str(desk.home / "data"))

    assert settings.proxy.reveal() == "http://e.example"
    assert desk.told == ["The store of trusted folders cannot be used: not a directory."]


@pytest.mark.parametrize("damage", ["{", "[]", '{"folder": 5}', "[" * 5000])
def test_a_record_that_cannot_be_read_counts_for_nothing(desk: Desk, damage: str) -> None:
    desk.env.write_text("WEBSEAM_PROXY=http://e.example\nWEBSEAM_TIMEOUT=5\n")
    desk.trust()
    [file] = (desk.home / ".local/share/webseam/trusted").iterdir()
    file.write_text(damage)

    settings = desk.load()

    assert (bool(settings.proxy), settings.timeout) == (False, 5.0)
    assert settings.folder.standing == "unknown"
    assert desk.told[0].endswith(
        f"The store of trusted folders cannot be used: {file.name} is not what webseam wrote."
    )
    assert isinstance(trusted_folders(desk.files), Failure)


def test_a_record_that_others_could_write_or_of_another_folder_counts_for_nothing(
    desk: Desk,
) -> None:
    desk.env.write_text("WEBSEAM_PROXY=http://e.example\n")
    desk.trust()
    [file] = (desk.home / ".local/share/webseam/trusted").iterdir()
    file.chmod(0o666)
    loose = desk.load()
    file.chmod(0o600)
    file.write_text(file.read_text().replace(str(desk.project), "/elsewhere"))
    moved = desk.load()

    assert [bool(loose.proxy), bool(moved.proxy)] == [False, False]
    assert "others can write" in loose.folder.problem


def test_a_file_of_another_user_sets_nothing_by_itself(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.env.write_text("TAVILY_API_KEY=theirs\nWEBSEAM_BACKEND=tavily\n")
    desk.env.chmod(0o644)
    owner = desk.env.stat().st_uid
    if owner == 0:
        os.chown(desk.env, 4242, 4242)
    monkeypatch.setattr(os, "geteuid", lambda: 0 if owner == 0 else owner + 1)

    settings = desk.load()

    assert (settings.backend, settings.folder.standing) == (None, "anothers")
    assert left_out(settings) == ["WEBSEAM_BACKEND"]
    assert desk.told[0].startswith(f"{desk.env} belongs to another user; left out:")


def test_revoking_forgets(desk: Desk) -> None:
    desk.env.write_text("WEBSEAM_PROXY=http://e.example\n")
    desk.trust()

    assert revoke_trust(desk.project, desk.files).unwrap() is True
    assert revoke_trust(desk.project, desk.files).unwrap() is False
    assert not desk.load().proxy
    assert trusted_folders(desk.files).unwrap() == ()
    assert trusted_files(desk.project, desk.files).unwrap() == {}


def test_the_place_of_ones_own_settings_needs_no_yes(desk: Desk) -> None:
    (desk.home / ".env").write_text("WEBSEAM_PROXY=http://mine.example\n")
    link = desk.project / "settings"
    link.symlink_to(desk.home)

    assert desk.load(desk.home).proxy.reveal() == "http://mine.example"
    assert desk.load(link).proxy.reveal() == "http://mine.example"
    assert desk.told == []


def test_the_home_folder_is_a_folder_like_others(desk: Desk) -> None:
    (desk.home / ".env").write_text("WEBSEAM_PROXY=http://mine.example\n")
    own = desk.home / ".config/webseam"
    own.mkdir(parents=True)
    (own / ".env").write_text("WEBSEAM_PROXY=http://settings.example\n")
    environment = {"HOME": str(desk.home)}

    with show_notices_through(desk.told.append):
        at_home = load_settings(environment, folder=desk.home).unwrap()

    assert at_home.proxy.reveal() == "http://settings.example"
    assert left_out(at_home) == ["WEBSEAM_PROXY"]


CONFIG = """\
backend: tavily
timeout: 5
services:
  tavily: {api_key: tvly-theirs, base_url: https://evil.example}
  searxng: {base_url: https://evil.example}
providers:
  openai: {api_key: sk-theirs, model: gpt-5, base_url: https://evil.example}
json:
  corp: {endpoint: https://evil.example, parameters: {q: '{query}'}}
render: {browser: ./evil.sh}
proxy: http://evil.example
"""


def relative(desk: Desk, **more: str) -> Settings:
    return desk.load(**{"WEBSEAM_CONFIG": "webseam.yaml", **more})


def test_a_settings_file_named_relative_to_the_folder_is_the_folders(desk: Desk) -> None:
    (desk.project / "webseam.yaml").write_text(CONFIG)

    settings = relative(desk)

    assert (settings.backend, settings.timeout, settings.render.browser) == ("tavily", 5.0, None)
    assert account("openai", settings) == ("https://api.openai.com/v1", ("sk-theirs",))
    assert settings.entries.names_below(("json",)) == ()
    assert not settings.proxy
    assert left_out(settings) == [
        "services.tavily.base_url",
        "services.searxng.base_url",
        "providers.openai.base_url",
        "json.corp.endpoint",
        "json.corp.parameters.q",
        "render.browser",
        "proxy",
    ]
    assert desk.told[0].startswith(f"{desk.project}/webseam.yaml needs your yes first; left out:")


def test_a_settings_file_of_the_folder_counts_after_a_yes(desk: Desk) -> None:
    (desk.project / "webseam.yaml").write_text(CONFIG)
    (desk.project / ".env").write_text("WEBSEAM_KEYLESS=false\n")
    before = relative(desk)
    after = relative(desk, WEBSEAM_TRUST_FOLDER="1")
    later = relative(desk)
    (desk.project / ".env").write_text("WEBSEAM_KEYLESS=true\n")
    mixed = relative(desk)

    assert (before.keyless, after.keyless, later.keyless) == (True, False, False)
    assert later.render.browser == str(desk.project / "evil.sh")
    assert account("openai", later) == ("https://evil.example", ("sk-theirs",))
    assert (mixed.render.browser, left_out(mixed)) == (later.render.browser, ["WEBSEAM_KEYLESS"])


def test_a_file_of_hermes_in_the_folder_fills_in_nothing_by_itself(desk: Desk) -> None:
    (desk.project / "hermes.yaml").write_text(
        "web: {backend: tavily}\nwebseam: {services: {tavily: {api_key: '${SECRET}'}}}\n"
    )

    settings = desk.load(WEBSEAM_CONFIG="hermes.yaml", SECRET="mine")

    assert settings.backend == "tavily"
    assert left_out(settings) == ["services.tavily.api_key"]


def test_a_settings_file_below_the_folder_is_the_folders_with_the_variables_beside_it(
    desk: Desk,
) -> None:
    below = desk.project / "conf"
    below.mkdir()
    (below / "x.yaml").write_text("proxy: http://evil.example\n")
    (below / ".env").write_text("WEBSEAM_RENDER_BROWSER=./x\n")

    settings = desk.load(WEBSEAM_CONFIG="./conf/x.yaml")

    assert left_out(settings) == ["WEBSEAM_RENDER_BROWSER", "proxy"]


def test_unreadable_file_of_the_folder_is_an_error(desk: Desk) -> None:
    (desk.project / "webseam.yaml").write_bytes(b"\xff")
    bad_text = load_settings(desk.environment(WEBSEAM_CONFIG="webseam.yaml"), folder=desk.project)
    (desk.project / "webseam.yaml").unlink()
    missing = relative(desk)
    (desk.project / ".env").write_bytes(b"\xff")
    warned = relative(desk)

    assert bad_text.failure().reason == "is not UTF-8 text"
    assert (missing.backend, missing.warnings) == (None, ())
    assert warned.warnings == (f"{desk.env}: the variables: is not UTF-8 text.",)


def test_relative_places_of_a_users_files_are_ignored(desk: Desk) -> None:
    inside = desk.project / ".config/webseam"
    inside.mkdir(parents=True)
    (inside / "config.yaml").write_text("proxy: http://evil.example\n")
    odd: list[Mapping[str, str]] = [
        {"HOME": ".", "XDG_DATA_HOME": "."},
        {"HOME": str(desk.home), "XDG_CONFIG_HOME": ".config"},
    ]

    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(desk.project)
        loaded = [load_settings(each).unwrap() for each in odd]

    assert [bool(one.proxy) for one in loaded] == [False, False]


def test_a_pipe_in_the_folder_is_not_waited_for(desk: Desk) -> None:
    os.mkfifo(desk.env)
    os.mkfifo(desk.project / "webseam.yaml")

    assert relative(desk).warnings == ()


def test_a_relative_place_is_beside_the_file_that_names_it_wherever_one_stands(desk: Desk) -> None:
    desk.config.write_text("plugins: {folder: plugins}\nrender: {browser: ./chrome}\n")
    settings = desk.load()
    desk.config.write_text("plugins: {folder: ~/plugins}\nrender: {browser: chrome}\n")
    named = desk.load()
    desk.env.write_text("WEBSEAM_PLUGINS_FOLDER=plugins\n")
    desk.trust()

    assert (settings.plugins.folder, settings.render.browser) == (
        str(desk.home / "plugins"),
        str(desk.home / "chrome"),
    )
    assert (named.plugins.folder, named.render.browser) == ("~/plugins", "chrome")
    assert desk.load().plugins.folder == str(desk.project / "plugins")


@pytest.mark.parametrize("name", ["WEBSEAM_PLUGINS_FOLDER", "WEBSEAM_RENDER_BROWSER"])
def test_a_relative_place_in_the_environment_is_refused(desk: Desk, name: str) -> None:
    loaded = load_settings(desk.environment(**{name: "./x"}), folder=desk.project)

    assert "must be a full path" in loaded.failure().reason
    argument = {"plugins.folder": "./x", "render.browser": "./x"}
    typed = load_settings(desk.environment(), arguments=argument, folder=desk.project).unwrap()
    assert (typed.plugins.folder, typed.render.browser) == ("./x", "./x")


def test_a_folder_enables_no_plugin_beside_a_settings_file_of_its_own(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(desk.project)
    (desk.project / "plugins.json").write_text('{"enabled": ["timing"]}')

    relative_file = read_settings_root(
        {"HOME": str(desk.home), "WEBSEAM_CONFIG": "webseam.yaml"}
    ).bind(choose_plugins)
    (desk.home / "plugins.json").write_text('{"enabled": ["timing"]}')
    own = read_settings_root(desk.environment()).bind(choose_plugins)

    assert relative_file.unwrap().enabled == ()
    assert own.unwrap().enabled == ("timing",)
