"""xAI on a socket of this machine, as far as chaining goes: it knows only what it stored."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tests.answering import Asked, Reply, answering
from tests.features.models.x_search.serving import reply

NOT_TOGETHER = "Argument not supported: instructions and previous_response_id together"


class Imitation:
    """Answers, keeps what it is told to keep, and refuses to go on from anything else."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.more: dict[str, Any] = {}
        self.kept: list[str] = []
        self.asked: list[dict[str, Any]] = []
        self.url = ""

    def answer(self, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        self.asked.append(body)
        previous = body.get("previous_response_id")
        if previous is not None and "instructions" in body:
            return 400, {"code": "400", "error": NOT_TOGETHER}
        if previous is not None and previous not in self.kept:
            return 404, {"code": "404", "error": f"there is no response {previous}"}
        name = f"response-{len(self.asked)}"
        if body["store"]:
            self.kept.append(name)
        return 200, reply(self.text.replace("#", str(len(self.asked))), id=name, **self.more)


@contextmanager
def imitation(text: str = "Answer #.") -> Iterator[Imitation]:
    xai = Imitation(text)

    def answer(asked: Asked) -> Reply:
        status, words = xai.answer(asked.body)
        return Reply(words, status=status)

    with answering(answer) as address:
        xai.url = f"{address}/v1"
        yield xai
