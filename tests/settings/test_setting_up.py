"""``webseam setup``: what is asked, what is written, and what is left alone."""

import contextlib
import io
import os
import pty
import select
import signal
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest
from returns.result import Success

from tests.doors.cli.run import Ran, webseam_process
from tests.interrupts import interruptible
from tests.settings.support import FakeConsole
from tests.surroundings import STARTING
from webseam.adapters.services.declaration import Offer, Option, Service, ServiceAddress, api_key
from webseam.composition.doors.cli import main
from webseam.composition.features.models.commands.setup import ask_setup_questions
from webseam.composition.features.models.search_model_rows import custom_model_service
from webseam.composition.features.models.setup import ask_setup_service
from webseam.composition.settings.changes import (
    Changes,
    SetupTarget,
    change_settings_file,
    write_settings_file,
)
from webseam.composition.settings.loader import load_settings
from webseam.composition.terminal.console import Console
from webseam.composition.wiring.service_backends import installed_services

NAME = next(
    name
    for name, service in installed_services().items()
    if [option.name for option in service.options] == ["api_key"]
    and not service.address.env
    and not service.options[0].pattern
)
INTERRUPT = b"(interrupt)"
# A process of ours counts for coverage too.
LUMEN = Service(
    name="lumen",
    title="Lumen",
    site="https://lumen.example/keys",
    address=ServiceAddress(base_url="https://api.lumen.example", env=("LUMEN_URL",)),
    options=(
        api_key("LUMEN_API_KEY", pattern="lu-[a-z]+", help="begins with lu-"),
        Option(name="engine", title="Engine", required=False, default="std"),
        Option(name="mail", title="Mail", required=False),
    ),
)
OWN = Service(
    name="own",
    aliases=("mine",),
    title="Own",
    address=ServiceAddress(base_url=""),
    offer=Offer(keyless=("search",)),
)
SERVICES = {service.name: service for service in (OWN, LUMEN)}


Here: TypeAlias = Callable[..., Ran]


def asked(console: Console, tmp_path: Path, config: str = "", **environment: str) -> object:
    path = tmp_path / "config.yaml"
    path.write_text(config)
    settings = load_settings({"WEBSEAM_CONFIG": str(path), **environment}, folder=tmp_path)
    target = SetupTarget(service=ask_setup_service(console, SERVICES, settings.unwrap()))
    return ask_setup_questions(console, target, settings.unwrap())


def test_the_questions_are_what_the_service_declares(tmp_path: Path) -> None:
    console = FakeConsole("lumne", "Lumen", "", "lu-abc", "", "me@a.example", "")

    changes = asked(console, tmp_path)

    assert changes == {
        ("services", "lumen", "api_key"): "lu-abc",
        ("services", "lumen", "mail"): "me@a.example",
        ("backend",): "lumen",
    }
    assert console.said == [
        "\nWith a key, by price",
        "  lumen  Lumen",
        "\nOn a server of your own",
        "  own    Own",
        "\nWhich service? [lumen] ",
        "There is no 'lumne'. Did you mean lumen?",
        "\nWhich service? [lumen] ",
        "\nLumen: https://lumen.example/keys",
        "[secret] API key (begins with lu-): ",
        "It is needed. Ctrl-C leaves everything as it was.",
        "[secret] API key (begins with lu-): ",
        "Engine (empty: std): ",
        "Mail (may be empty): ",
        "Use Lumen from now on? [Y/n] ",
    ]


def test_setup_keeps_known_values_and_names_the_variable_that_wins(tmp_path: Path) -> None:
    config = "backend: own\nservices: {lumen: {mail: x}}\n"
    console = FakeConsole("lumen", "", "large", "", "n")

    changes = asked(console, tmp_path, config, LUMEN_API_KEY="lu-x")

    assert changes == {("services", "lumen", "engine"): "large"}
    assert "  lumen  Lumen (set up)" in console.said
    assert "(LUMEN_API_KEY wins over what is written to the file.)" in console.said
    assert "Mail (empty: keep it): " in console.said
    assert console.said[-1] == "Use Lumen from now on instead of own? [Y/n] "


def test_a_key_that_does_not_look_like_one_is_kept_only_on_purpose(tmp_path: Path) -> None:
    console = FakeConsole("lumen", "xyz", "", "odd", "y", "", "", "no")

    changes = asked(console, tmp_path)

    assert changes == {("services", "lumen", "api_key"): "odd"}
    assert "That does not look like one. Keep it anyway? [y/N] " in console.said


def test_service_without_its_key_is_set_up_in_part(tmp_path: Path) -> None:
    console = FakeConsole("lumen", "lu-a", "", "", "n")

    asked(console, tmp_path, "services: {lumen: {mail: x}}\n")

    assert "  lumen  Lumen (set up in part)" in console.said


def test_an_address_is_asked_for_where_there_is_none(tmp_path: Path) -> None:
    console = FakeConsole("mine", "", "http://localhost:8080")

    changes = asked(console, tmp_path, "backend: own\n")

    assert changes == {("services", "own", "base_url"): "http://localhost:8080"}
    assert console.said[-1] == "Address (such as http://localhost:8080): "


def test_a_search_model_of_ones_own_can_be_set_up(tmp_path: Path) -> None:
    path = tmp_path / "config.yaml"
    settings = load_settings({"WEBSEAM_CONFIG": str(path)}, folder=tmp_path).unwrap()
    model = custom_model_service()
    console = FakeConsole("llm.example", "n", "https://llm.example/v1", "sk-1", "", "")

    changes = ask_setup_questions(console, SetupTarget(service=model), settings)

    assert changes == {
        ("custom_api_key",): "sk-1",
        ("custom_base_url",): "https://llm.example/v1",
        ("backend",): "custom",
    }
    assert console.said[0:5] == [
        "Address (such as http://localhost:8080): ",
        "That does not look like one. Keep it anyway? [y/N] ",
        "Address (such as http://localhost:8080): ",
        "[secret] API key (may be empty): ",
        "Model (empty: sonar): ",
    ]


def test_a_search_model_goes_into_our_block_of_a_file_of_hermes(tmp_path: Path) -> None:
    path = tmp_path / "config.yaml"
    path.write_text("model: x\nweb:\n  custom_model: sonar\n")

    change_settings_file(path, {("custom_model",): "sonar-pro", ("custom_api_key",): "k"}).unwrap()

    assert path.read_text() == (
        "model: x\nweb:\n  custom_model: sonar\n"
        "webseam:\n  custom_model: sonar-pro\n  custom_api_key: k\n"
    )
    settings = load_settings({"WEBSEAM_CONFIG": str(path)}).unwrap()
    assert settings.custom_model == "sonar-pro"


def test_setup_keeps_the_settings_of_hermes(tmp_path: Path) -> None:
    path = tmp_path / "config.yaml"
    path.write_text("model: x\nweb:\n  backend: webseam\n")

    change_settings_file(path, {("backend",): "brave"}).unwrap()

    assert path.read_text() == "model: x\nweb:\n  backend: webseam\nwebseam:\n  backend: brave\n"
    assert load_settings({"WEBSEAM_CONFIG": str(path)}).unwrap().backend == "brave"


def test_a_file_is_changed_in_place_and_readable_by_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "config.yaml"
    path.write_bytes(b"# mine\r\nbackend: a # for now\r\n")
    path.chmod(0o644)

    done = change_settings_file(
        path, {("backend",): "b", ("services", "lumen", "api_key"): "12345"}
    )

    assert done == Success(None)
    assert path.read_bytes() == (
        b'# mine\r\nbackend: b # for now\r\nservices:\r\n  lumen:\r\n    api_key: "12345"\r\n'
    )
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [each.name for each in tmp_path.iterdir()] == ["config.yaml"]


def test_a_file_of_hermes_keeps_its_shape(tmp_path: Path) -> None:
    path = tmp_path / "config.yaml"
    path.write_text("model: x\nweb:\n  backend: a\nagent: {}\n")

    change_settings_file(
        path, {("backend",): "lumen", ("services", "lumen", "api_key"): "k"}
    ).unwrap()

    assert path.read_text() == (
        "model: x\nweb:\n  backend: a\nagent: {}\n"
        "webseam:\n  backend: lumen\n  services:\n    lumen:\n      api_key: k\n"
    )


def test_a_block_that_is_written_as_one_value_stays_one(tmp_path: Path) -> None:
    path = tmp_path / "config.yaml"
    path.write_text("render: auto # mine\ncache: false\n")

    change_settings_file(path, {("render", "mode"): "never"}).unwrap()
    refused = change_settings_file(path, {("cache", "minutes"): 5}).failure()

    assert path.read_text() == "render: never # mine\ncache: false\n"
    assert refused.reason.startswith("cache is one value there, not a block")


def test_a_link_stays_a_link_and_folders_are_made(tmp_path: Path) -> None:
    target, link = tmp_path / "dotfiles" / "webseam.yaml", tmp_path / "config.yaml"
    link.symlink_to(target)

    change_settings_file(link, {("backend",): "a"}).unwrap()

    assert link.is_symlink()
    assert target.read_text() == "backend: a\n"


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"backend: [\n", "is not valid YAML (did not find expected node content)"),
        (b"\xff", "is not UTF-8 text"),
        (b"bakend: a\n", "is not a setting; backend is"),
        (
            b"backend:\n- a\n",
            "backend holds several values and cannot be changed safely; please edit the file by hand",
        ),
        (b"timeout: soon\n", "must be a number, not a text"),
        (b"policy: {ports: [0]}\n", "0 is not a port"),
        (b"#" * (1024 * 1024 + 1), "is larger than 1048576 bytes"),
    ],
)
def test_a_file_that_cannot_be_read_is_never_overwritten(
    tmp_path: Path, content: bytes, reason: str
) -> None:
    path = tmp_path / "config.yaml"
    path.write_bytes(content)

    failure = change_settings_file(path, {("backend",): "a"}).failure()

    assert failure.reason == reason
    assert path.read_bytes() == content


def test_a_folder_or_no_name_at_all_is_no_settings_file(tmp_path: Path) -> None:
    change: Changes = {("backend",): "a"}

    assert (
        change_settings_file(tmp_path, change).failure().reason == "cannot be read: is a directory"
    )
    assert (
        change_settings_file(Path("a\0b"), change).failure().reason
        == "cannot be read: it is no file name"
    )


def test_setup_keeps_a_file_that_changed_meanwhile(tmp_path: Path) -> None:
    path = tmp_path / "config.yaml"
    path.write_text("theirs")

    failure = write_settings_file(path, b"ours", b"before").failure()

    assert failure.reason == "was changed by another program; try again"
    assert path.read_text() == "theirs"
    assert list(tmp_path.iterdir()) == [path]


def test_a_place_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    failure = write_settings_file(tmp_path / "file" / "config.yaml", b"x", None).failure()

    assert failure.reason == "cannot be written: not a directory" or "exists" in failure.reason


@pytest.fixture
def config(tmp_path: Path) -> Path:
    return tmp_path / "new" / "config.yaml"


def setup(config: Path, *arguments: str, given: str = "") -> Ran:
    return webseam_process("setup", *arguments, given=given, WEBSEAM_CONFIG=str(config))


@pytest.fixture
def here(config: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Here:
    """Run setup in this process, which is faster."""
    monkeypatch.setenv("WEBSEAM_CONFIG", str(config))
    monkeypatch.setattr(sys, "stdin", io.StringIO())

    def run(*arguments: str) -> Ran:
        code = main(["setup", *arguments])
        printed = capsys.readouterr()
        return Ran(code, printed.out, printed.err)

    return run


def test_values_can_be_given_without_questions(config: Path) -> None:
    ran = setup(config, NAME, "--no-try", "--set", "api_key=k=1", "--use")

    assert (ran.code, "can be seen by others on this machine" in ran.err) == (0, True)
    assert ran.out == (
        f"✓ Saved to {config}: services.{NAME}.api_key, backend\n"
        f"  Next  webseam search tide tables --backend {NAME}\n"
    )
    assert config.read_text() == f"services:\n  {NAME}:\n    api_key: k=1\nbackend: {NAME}\n"
    assert stat.S_IMODE(config.stat().st_mode) == 0o600


def test_any_setting_can_be_given_and_a_number_is_written_as_one(config: Path, here: Here) -> None:
    ran = here(
        "--json",
        "--set",
        "cache.minutes=5",
        "--set",
        "keyless=off",
        "--set",
        "policy.deny_domains=a.example, b.example",
        "--set",
        "custom_api_key=123",
    )

    assert (ran.code, ran.err) == (0, "")
    assert '"set": [\n      "cache.minutes",' in ran.out
    assert config.read_text() == (
        "cache:\n  minutes: 5.0\nkeyless: false\npolicy:\n  deny_domains: [a.example, b.example]\n"
        'custom_api_key: "123"\n'
    )


def test_a_key_that_is_given_again_is_one_more(config: Path, here: Here) -> None:
    keys = ("--set", "api_key=k-1", "--set", "api_key=k-2", "--set", "api_key=k-3")

    ran = here(NAME, "--no-try", *keys)

    assert ran.code == 0
    assert config.read_text() == f"services:\n  {NAME}:\n    api_key: [k-1, k-2, k-3]\n"


def test_a_search_model_is_given_like_a_service(config: Path, here: Here) -> None:
    given = ("--set", "base_url=https://llm.example/v1", "--set", "model=sonar-pro", "--use")

    ran = here("--service", "custom", "--no-try", *given)
    wrong = here("--service", "custom", "--set", "engine=x")

    assert (ran.code, ran.err) == (0, "")
    assert config.read_text() == (
        'custom_base_url: "https://llm.example/v1"\ncustom_model: sonar-pro\nbackend: custom\n'
    )
    assert wrong.code == 2
    assert "'engine' is not an option of custom; there are api_key, model, base_url" in wrong.err


def test_setup_refuses_a_wrong_description_before_asking(config: Path, here: Here) -> None:
    config.parent.mkdir()
    config.write_text("json: {mine: {preset: none}}\n")

    ran = here("--set", "backend=mine")

    assert (ran.code, "json.mine.preset: must be one of" in ran.err) == (3, True)


def test_a_file_that_cannot_be_changed_is_said(config: Path, here: Here) -> None:
    config.parent.mkdir()
    config.write_text("plugins:\n- a\n")

    ran = here("--set", "plugins=b")

    assert (ran.code, "by hand" in ran.err) == (3, True)
    assert config.read_text() == "plugins:\n- a\n"


def test_a_key_can_come_from_standard_input(config: Path) -> None:
    ran = setup(config, NAME, "--no-try", given="from-input\n")

    assert ran.code == 0
    assert "api_key: from-input\n" in config.read_text()
    assert "from-input" not in ran.out + ran.err


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        ((), 2, "setup: asks questions and needs a terminal"),
        (("--use",), 2, "--use: needs the NAME of what is set up."),
        (("--set", "x"), 2, "--set: must be KEY=VALUE."),
        (("--set", "backend="), 2, "--set: 'backend' has no value."),
        (("--set", "bakend=x"), 2, "--set: 'bakend' is not a setting; backend is."),
        (("--set", "timeout=x"), 3, "--set: timeout: must be a number, not a text."),
        (("--set", "policy.ports=0"), 3, "--set: policy.ports: 0 is not a port."),
        (
            ("--service", NAME, "--set", "apikey=x"),
            2,
            f"--set: 'apikey' is not an option of {NAME}; there are api_key, base_url.",
        ),
        (("--service", NAME, "--set", "base_url=x"), 2, "Not a usable URL"),
        (("--service", "nobody"), 2, "nobody"),
    ],
)
def test_refused_setup_writes_nothing(
    config: Path, here: Here, arguments: tuple[str, ...], code: int, said: str
) -> None:
    ran = here(*arguments)

    assert ran.code in (code, 3)
    assert said in ran.err
    assert not config.exists()
    assert "Traceback" not in ran.err


def at_a_terminal(config: Path, *answers: bytes) -> tuple[int, str]:
    """Run setup at a terminal of its own, answer each question, return its code and all it showed."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        interruptible("webseam.composition.doors.cli", "setup", "--service", NAME, "--no-try"),
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env={"WEBSEAM_CONFIG": str(config), "HOME": str(config.parent), **STARTING},
        start_new_session=True,
    )
    os.close(theirs)
    shown, waiting = b"", list(answers)
    # The end of a terminal whose program has gone is an error on Linux.
    with contextlib.suppress(OSError):
        for _ in range(60):
            if not select.select([ours], [], [], 1)[0]:
                # An interrupt just before a read begins is only heeded after it: interrupt again.
                if answers[-1] == INTERRUPT and not waiting:
                    process.send_signal(signal.SIGINT)
                continue
            shown += os.read(ours, 1000)
            if waiting and shown.endswith((b": ", b"] ")):
                _answer(process, ours, waiting.pop(0))
    os.close(ours)
    return process.wait(60), shown.decode()


def _answer(process: subprocess.Popen[bytes], terminal: int, answer: bytes) -> None:
    if answer == INTERRUPT:
        process.send_signal(signal.SIGINT)
    else:
        os.write(terminal, answer)


def test_at_a_terminal_a_key_is_not_shown_while_it_is_typed(config: Path) -> None:
    code, shown = at_a_terminal(config, b"hunter2secret\n", b"y\n")

    assert (code, "hunter2" in shown) == (0, False)
    assert config.read_text() == (
        f"services:\n  {NAME}:\n    api_key: hunter2secret\nbackend: {NAME}\n"
    )


def test_the_end_of_input_leaves_the_file_as_it_was(config: Path) -> None:
    code, shown = at_a_terminal(config, b"\x04")

    assert code == 2
    assert "nothing was changed" in shown
    assert not config.exists()


def test_an_interrupt_leaves_the_file_as_it_was(config: Path) -> None:
    code, shown = at_a_terminal(config, b"some-key\n", INTERRUPT)

    assert code == 130
    assert "stopped, so nothing was changed" in shown
    assert "Traceback" not in shown
    assert not config.exists()


def test_services_are_listed_free_ones_first_then_by_price_and_the_first_is_recommended(
    tmp_path: Path,
) -> None:
    console = FakeConsole("")
    settings = load_settings({"WEBSEAM_CONFIG": str(tmp_path / "none")}, folder=tmp_path).unwrap()
    services = installed_services()

    chosen = ask_setup_service(console, services, settings)

    listed = [line.split()[0] for line in console.said if line.startswith("  ")]
    kinds = [
        next(kind for kind in ("search", "price", "") if _is_listed_as(services[name], kind))
        for name in listed
        if services[name].offer.scope == "web" and services[name].address.base_url
    ]
    assert sorted(listed) == sorted(services)
    assert kinds == sorted(kinds, key=("search", "price", "").index)
    assert chosen.name == listed[0]
    assert "search" in chosen.offer.keyless


def _is_listed_as(service: Service, kind: str) -> bool:
    has_price = service.offer.price is not None and service.offer.price.search is not None
    return {"search": "search" in service.offer.keyless, "price": has_price, "": True}[kind]
