"""What one POST of the older revision holds: a message, or a batch whose answers come as one."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from ..batches import Answers
from ..wire import (
    INVALID_REQUEST,
    Batch,
    Id,
    Json,
    Message,
    Notification,
    Refusal,
    Request,
    Response,
    Unreadable,
    error_message,
)
from .running import Way
from .sessions import Stream

_UNDER_WAY = Refusal(INVALID_REQUEST, "A request with this id is under way.")


class Post(msgspec.Struct, frozen=True, kw_only=True):
    """Its messages: those to answer, those to heed, and those that cannot be either."""

    whole: Message | Batch
    requests: tuple[Request, ...]
    heeded: tuple[Notification | Response, ...]
    refused: tuple[Unreadable, ...]

    @property
    def errors(self) -> Json | list[Json] | None:
        """What is said of those that are refused; None if none is."""
        told = [error_message(each.id, each.refusal) for each in self.refused]
        return told if told and isinstance(self.whole, Batch) else next(iter(told), None)

    @property
    def cancelled(self) -> list[object]:
        """The ids of requests that are not wanted any more."""
        notifications = [each for each in self.heeded if isinstance(each, Notification)]
        return [
            each.params.get("requestId")
            for each in notifications
            if each.method == "notifications/cancelled"
        ]

    def way(self, stream: Stream) -> Way:
        """Return the way back for each request, through one stream."""
        if not isinstance(self.whole, Batch):
            return stream
        answers = Answers(self.whole, stream.reply)
        for each in self.refused:
            answers.take(error_message(each.id, each.refusal))
        return _Together(stream, answers)


class _Together:
    """A stream that several requests share."""

    def __init__(self, stream: Stream, answers: Answers) -> None:
        self.add = stream.add
        self.reply = answers.take


def opened(whole: Message | Batch, busy: Iterable[Id]) -> Post:
    """Sort what came; ``busy`` are the ids of requests that are under way."""
    known = set(busy)
    requests: list[Request] = []
    heeded: list[Notification | Response] = []
    refused: list[Unreadable] = []
    for each in whole.messages if isinstance(whole, Batch) else (whole,):
        if isinstance(each, Notification | Response):
            heeded.append(each)
        elif isinstance(each, Unreadable):
            refused.append(each)
        elif each.id in known:
            refused.append(Unreadable(id=each.id, refusal=_UNDER_WAY))
        else:
            known.add(each.id)
            requests.append(each)
    return Post(whole=whole, requests=tuple(requests), heeded=tuple(heeded), refused=tuple(refused))
