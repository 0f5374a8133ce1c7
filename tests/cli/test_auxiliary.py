"""Pictures and small work from the command line, against a model on this machine."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.answering import Asked, Reply, answering
from tests.cli.run import Ran, webseam

# One white pixel (PNG, third edition, W3C 2025).
PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489"
    "0000000d49444154789c63f8ffffff7f0009fb03fd2a86e38a0000000049454e44ae426082"
)
SEEN: list[dict[str, object]] = []


def _answer(asked: Asked) -> Reply:
    if not asked.body:
        return Reply(PNG, "image/png")
    SEEN.append(asked.body)
    message = {"role": "assistant", "content": "A white pixel."}
    return Reply({"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]})


@pytest.fixture
def server() -> Iterator[str]:
    SEEN.clear()
    with answering(_answer) as address:
        yield address


def own(server: str, *arguments: str) -> Ran:
    names = {
        f"WEBSEAM_{block}_{key}": value
        for block in ("SMALL_WORK", "VISION")
        for key, value in (("PROVIDER", "lmstudio"), ("MODEL", "sees"))
    }
    return webseam(
        *arguments,
        LM_BASE_URL=f"{server}/v1",
        WEBSEAM_POLICY_ALLOW_PRIVATE="127.0.0.1",
        WEBSEAM_POLICY_PORTS="80,443," + server.rpartition(":")[2],
        **names,
    )


@pytest.fixture
def picture(tmp_path: Path) -> str:
    file = tmp_path / "pixel.png"
    file.write_bytes(PNG)
    return str(file)


def test_a_picture_in_a_file_is_read_in_words(server: str, picture: str) -> None:
    ran = own(server, "read", picture)

    assert (ran.code, ran.out) == (0, "A white pixel.\n")
    assert SEEN[0]["model"] == "sees"


def test_a_picture_on_the_web_is_a_page(server: str) -> None:
    ran = own(server, "extract", f"{server}/pixel", "--json")

    assert ran.code == 0
    assert "A white pixel." in ran.out
    assert "a model described this picture" in ran.out


@pytest.mark.parametrize("command", ["read", "describe"])
def test_without_a_model_that_sees_the_setting_is_named(command: str, picture: str) -> None:
    words = ("read",) if command == "read" else ("model", command)

    ran = webseam(*words, picture)

    assert ran.code == (4 if command == "read" else 3)
    assert "vision.provider" in ran.err


@pytest.mark.parametrize("work", ["title", "summary"])
def test_a_text_gets_a_title_and_a_summary(server: str, tmp_path: Path, work: str) -> None:
    file = tmp_path / "text.md"
    file.write_text("Twice a month the tide is high.")

    plain = own(server, "model", work, str(file))
    whole = own(server, "model", work, str(file), "--json")

    assert (plain.code, plain.out) == (0, "A white pixel.\n")
    assert json.loads(whole.out)["data"]["text"] == "A white pixel."


@pytest.mark.parametrize("work", ["title", "summary", "describe"])
def test_small_work_goes_along_its_route_and_says_who_was_asked(
    server: str, tmp_path: Path, picture: str, work: str
) -> None:
    file = tmp_path / "text.md"
    file.write_text("Twice a month the tide is high.")
    block = "VISION" if work == "describe" else "SMALL_WORK"
    variables = {
        f"WEBSEAM_{block}_ROUTE": "ollama/away, lmstudio/sees",
        "OLLAMA_BASE_URL": "http://127.0.0.1:9/v1",
        "LM_BASE_URL": f"{server}/v1",
    }
    words = ("model", work, picture if work == "describe" else str(file))

    told = webseam(*words, "--explain", **variables)
    whole = webseam(*words, "--json", **variables)

    assert (told.code, told.out) == (0, "A white pixel.\n")
    assert "nobody before it answered" in told.err
    attempts = json.loads(whole.out)["data"]["attempts"]
    assert [(one["backend"], one["outcome"]) for one in attempts] == [
        ("ollama", "connect_failed"),
        ("lmstudio", "answered"),
    ]


def test_small_work_names_each_model_of_a_failed_route(tmp_path: Path) -> None:
    file = tmp_path / "text.md"
    file.write_text("Twice a month the tide is high.")

    ran = webseam(
        *("model", "title", str(file), "--explain"),
        WEBSEAM_SMALL_WORK_ROUTE="ollama/a, lmstudio/b",
        OLLAMA_BASE_URL="http://127.0.0.1:9/v1",
        LM_BASE_URL="http://127.0.0.1:9/v1",
    )

    assert ran.code == 4
    assert "the first choice" in ran.err


def test_a_picture_is_described(server: str, picture: str) -> None:
    assert own(server, "model", "describe", picture).out == "A white pixel.\n"


@pytest.mark.parametrize(
    ("content", "reason"), [(b"\xff\xfe\xfa", "is not text in UTF-8"), (None, "cannot be read")]
)
def test_a_file_that_is_no_text_is_bad_input(
    server: str, tmp_path: Path, content: bytes | None, reason: str
) -> None:
    file = tmp_path / "text.md"
    if content is not None:
        file.write_bytes(content)

    ran = own(server, "model", "title", str(file))

    assert ran.code == 2
    assert reason in ran.err
