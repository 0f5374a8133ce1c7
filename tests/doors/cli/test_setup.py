"""``webseam setup`` for search, models and X: a key is tried before it is saved."""

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.doors.cli.run import Ran, webseam
from tests.services.imitation import Imitation
from tests.services.pick import ADDRESS_VARIABLE, FOUND, KEY_VARIABLE, NAME, SERVICE
from tests.settings.support import FakeConsole
from webseam.composition.features.models.commands.setup import ask_setup_questions, ask_setup_target
from webseam.composition.features.models.setup import read_setup_targets
from webseam.composition.settings.changes import Changes, SetupTarget
from webseam.composition.settings.loader import load_settings
from webseam.ports.errors import AuthFailed, ConnectFailed, WebError

KEY = "secret-key-0123456789"
LISTED: dict[str, object] = {"body": {"data": [{"id": "small-1"}]}}
REFUSED: dict[str, object] = {"status": 401, "body": {}}


def with_server(
    config: Path, replies: Sequence[dict[str, object]], *arguments: str, address: str
) -> Ran:
    async def play() -> Ran:
        imitation = Imitation(replies)
        async with imitation.running():
            variables = {"WEBSEAM_CONFIG": str(config), "THE_KEY": KEY}
            variables[address] = imitation.base_url
            return await asyncio.to_thread(webseam, "setup", *arguments, **variables)

    return asyncio.run(play())


@pytest.fixture
def config(tmp_path: Path) -> Path:
    return tmp_path / "config.yaml"


def test_a_key_that_works_is_saved(config: Path) -> None:
    ran = with_server(config, [FOUND], NAME, "--env", "THE_KEY", address=ADDRESS_VARIABLE)

    assert ran.code == 0
    assert ran.err == f"Trying it: asking {NAME} for one search, which it may count.\n"
    assert config.read_text() == f"services:\n  {NAME}:\n    api_key: {KEY}\n"
    assert KEY not in ran.out + ran.err


def test_rest_of_a_refused_key_ends_with_a_key_that_works(tmp_path: Path) -> None:
    async def play() -> list[Ran]:
        imitation = Imitation([REFUSED, FOUND, REFUSED, FOUND])
        async with imitation.running():
            home = {"HOME": str(tmp_path), ADDRESS_VARIABLE: imitation.base_url}
            bad = {**home, KEY_VARIABLE: "a-refused-key-0123"}
            steps = [
                (("search", "tides", "--backend", NAME), bad),
                (("setup", NAME, "--env", "THE_KEY"), {**home, "THE_KEY": KEY}),
                # Another key than the refused one.
                (("doctor", NAME), home),
                (("search", "tides", "--backend", NAME, "--no-cache"), home),
                (("doctor", NAME), home),
                # The same key, which the service takes again.
                (("doctor", NAME, "--live"), home),
                (("doctor", NAME), home),
                (("backends", "--json"), home),
            ]
            return [await asyncio.to_thread(webseam, *words, **given) for words, given in steps]

    refused, saved, after_setup, again, resting, live, after_live, listed = asyncio.run(play())

    assert (refused.code, saved.code, again.code, live.code) == (3, 0, 3, 0)
    assert (after_setup.code, resting.code, after_live.code) == (0, 1, 0)
    backends = json.loads(listed.out)["data"]["backends"]
    health = next(backend["health"] for backend in backends if backend["name"] == NAME)
    assert [target["reason"] for target in health] == [""]


def test_a_key_that_is_refused_is_not_saved(config: Path) -> None:
    ran = with_server(config, [REFUSED], NAME, "--env", "THE_KEY", address=ADDRESS_VARIABLE)
    as_json = with_server(
        config, [REFUSED], NAME, "--env", "THE_KEY", "--json", address=ADDRESS_VARIABLE
    )

    assert ran.code == 3
    assert "refused the key (401)" in ran.err
    assert "Nothing was saved; --no-try saves it untried." in ran.err
    assert json.loads(as_json.out)["failure"]["kind"] == "auth_failed"
    assert not config.exists()


@pytest.mark.parametrize("words", [("openai",), ("model", "openai"), ("openai_web",)])
def test_a_provider_of_models_is_set_up_alike(config: Path, words: tuple[str, ...]) -> None:
    ran = with_server(config, [LISTED], *words, "--env", "THE_KEY", address="OPENAI_BASE_URL")

    assert ran.code == 0
    assert "for its list of models, which costs nothing" in ran.err
    assert config.read_text() == f"providers:\n  openai:\n    api_key: {KEY}\n"


def test_x_is_set_up_with_a_key_of_xai(config: Path) -> None:
    refused = with_server(config, [REFUSED], "x", "--env", "THE_KEY", address="XAI_BASE_URL")
    ran = with_server(config, [LISTED], "x", "--env", "THE_KEY", address="XAI_BASE_URL")

    assert (refused.code, ran.code) == (3, 0)
    assert config.read_text() == f"providers:\n  xai:\n    api_key: {KEY}\n"
    assert "Next  webseam x" in ran.out


def test_a_typo_in_the_first_answer_gets_a_guess(tmp_path: Path) -> None:
    settings = load_settings({"WEBSEAM_CONFIG": str(tmp_path / "none")}, folder=tmp_path).unwrap()
    console = FakeConsole("opnai", "zzzzz", "x")

    target = ask_setup_target(console, (), read_setup_targets(settings).unwrap())

    assert target.service.name == "xai"
    assert "There is no 'opnai'. Did you mean openai?" in console.said
    assert "There is no 'zzzzz'. Answer search, model, x or a name." in console.said


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("opnai",), "There is no backend 'opnai'. Did you mean openai?"),
        (("model", "opnai"), "No provider of models is called 'opnai'."),
        (("brave", "tavily"), "setup: takes one name at a time, not 2; it asks for the key"),
        (("brave", "--env", "NOWHERE"), "--env: NOWHERE is not set."),
        (("--env", "NOWHERE"), "--env: needs the NAME of what is set up."),
    ],
)
def test_wrong_setup_words_are_refused_with_the_reason(words: tuple[str, ...], said: str) -> None:
    ran = webseam("setup", *words)

    assert (ran.code, said in ran.err) == (2, True), ran.err


def test_a_name_that_is_of_a_service_and_of_a_provider_is_listed_once() -> None:
    named = webseam("setup", "zzzzz").err.rstrip(".\n").partition("There are: ")[2].split(", ")

    assert named.count("perplexity") == 1


def test_one_of_several_providers_is_chosen_for_good(config: Path) -> None:
    here = {"WEBSEAM_CONFIG": str(config), "OPENAI_API_KEY": KEY, "MISTRAL_API_KEY": KEY}

    before = webseam("model", "ask", "why?", **here)
    ran = webseam("setup", "model", "openai", "--use", **here)
    listed = webseam("models", **here)

    assert before.code == 3
    assert "set a default: `webseam setup model " in before.err
    assert (ran.code, config.read_text()) == (0, "model_route: [openai]\n")
    assert "\u203a openai " in listed.out
    assert "questions go to openai" in webseam("doctor", **here).out


@pytest.mark.parametrize(
    ("route", "answer", "chosen"),
    [("", "", True), ("", "n", False), ("mistral", None, False)],
)
def test_setup_asks_for_the_route_where_several_models_could_answer(
    tmp_path: Path, route: str, answer: str | None, *, chosen: bool
) -> None:
    variables = {"WEBSEAM_CONFIG": str(tmp_path / "none"), "MISTRAL_API_KEY": KEY}
    variables |= {"WEBSEAM_MODEL_ROUTE": route} if route else {}
    settings = load_settings(variables, folder=tmp_path).unwrap()
    target = read_setup_targets(settings).unwrap().provider("openai").unwrap()
    console = FakeConsole("k", *([] if answer is None else [answer]))

    changes = ask_setup_questions(console, target, settings)

    assert (("model_route",) in changes) is chosen


class Trials:
    """Fails as told, in order, then works; remembers what was tried."""

    def __init__(self, *errors: WebError) -> None:
        self.tried: list[Changes] = []
        self._errors = list(errors)

    def __call__(self, _target: SetupTarget, changes: Changes) -> WebError | None:
        self.tried.append(changes)
        return self._errors.pop(0) if self._errors else None


def asked(console: FakeConsole, trials: Trials, tmp_path: Path) -> Changes:
    settings = load_settings({"WEBSEAM_CONFIG": str(tmp_path / "none")}, folder=tmp_path).unwrap()
    return ask_setup_questions(console, SetupTarget(service=SERVICE), settings, trials)


def test_a_refused_key_is_asked_for_again(tmp_path: Path) -> None:
    console = FakeConsole("wrong", "", "right", "maybe", "n")
    trials = Trials(AuthFailed(status=401, backend=NAME))

    changes = asked(console, trials, tmp_path)

    path = ("services", NAME, "api_key")
    assert changes == {path: "right"}
    assert trials.tried == [{path: "wrong"}, {path: "right"}]
    assert "Give another key? [Y/n] " in console.said
    assert "Answer y or n." in console.said
    assert "It works." in console.said


@pytest.mark.parametrize(
    ("error", "answers", "saved"),
    [
        (AuthFailed(status=401, backend=NAME), ("k", "n", ""), False),
        (AuthFailed(status=401, backend=NAME), ("k", "n", "y", "n"), True),
        (ConnectFailed(backend=NAME), ("k", ""), False),
        (ConnectFailed(backend=NAME), ("k", "yes", "n"), True),
    ],
)
def test_failed_key_is_saved_after_a_yes_only(
    tmp_path: Path, error: WebError, answers: tuple[str, ...], *, saved: bool
) -> None:
    changes = asked(FakeConsole(*answers), Trials(error), tmp_path)

    assert bool(changes) is saved


@pytest.mark.parametrize(
    ("words", "answers", "name", "block"),
    [
        ((), ("model", "opnai", "openai"), "openai", "providers"),
        ((), ("x",), "xai", "providers"),
        ((), ("nothing", "tavily"), "tavily", "services"),
        (("search",), ("brave",), "brave", "services"),
        ((), ("", "brave"), "brave", "services"),
    ],
)
def test_setup_asks_until_a_known_name_is_given(
    tmp_path: Path, words: tuple[str, ...], answers: tuple[str, ...], name: str, block: str
) -> None:
    settings = load_settings({"WEBSEAM_CONFIG": str(tmp_path / "none")}, folder=tmp_path).unwrap()

    target = ask_setup_target(FakeConsole(*answers), words, read_setup_targets(settings).unwrap())

    assert (target.service.name, target.block) == (name, block)
