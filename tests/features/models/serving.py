"""A server of models on this machine, for callers that have no event loop: it says what it is told."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import msgspec

from tests.answering import EVENTS, Asked, Reply, answering


class Serving:
    """What was asked, and what is answered: JSON, or events where a stream is asked for."""

    def __init__(self, answer: object, events: list[object], status: int = 200) -> None:
        self.answer = answer
        self.events = events
        self.status = status
        self.asked: list[Any] = []
        self.url = ""


@contextmanager
def serving(answer: object, *events: object, status: int = 200) -> Iterator[Serving]:
    served = Serving(answer, list(events), status)

    def reply(asked: Asked) -> Reply:
        served.asked.append(asked.body)
        if asked.body.get("stream", False):
            return Reply(b"".join(map(_event, served.events)), EVENTS, served.status)
        return Reply(msgspec.json.encode(served.answer), status=served.status)

    with answering(reply) as address:
        served.url = f"{address}/v1"
        yield served


def _event(payload: object) -> bytes:
    data = payload.encode() if isinstance(payload, str) else msgspec.json.encode(payload)
    return b"data: " + data + b"\n\n"
