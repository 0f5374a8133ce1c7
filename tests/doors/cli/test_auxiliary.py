"""Pictures from the command line, against a model on this machine."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.answering import Asked, Reply, answering
from tests.doors.cli.run import Ran, webseam

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


def test_without_a_model_that_sees_the_setting_is_named(picture: str) -> None:
    ran = webseam("read", picture)

    assert ran.code == 4
    assert "vision.provider" in ran.err
