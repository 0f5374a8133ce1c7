"""What one POST of the older revision holds: a message, or a batch whose answers come as one."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from ..batches import BatchAnswers
from ..json_rpc import (
    INVALID_REQUEST,
    Batch,
    Id,
    Json,
    Message,
    Notification,
    Response,
    RpcError,
    RpcRequest,
    Unreadable,
    error_message,
)
from .running_requests import ReplyChannel
from .sessions import MessageStream

_UNDER_WAY = RpcError(INVALID_REQUEST, "A request with this id is under way.")


class PostBody(msgspec.Struct, frozen=True, kw_only=True):
    """Its messages: those to answer, those to heed, and those that cannot be either."""

    whole: Message | Batch
    requests: tuple[RpcRequest, ...]
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

    def way(self, stream: MessageStream) -> ReplyChannel:
        """Return the way back for each request, through one stream."""
        if not isinstance(self.whole, Batch):
            return stream
        answers = BatchAnswers(self.whole, stream.reply)
        for each in self.refused:
            answers.take(error_message(each.id, each.refusal))
        return _Together(stream, answers)


class _Together:
    """A stream that several requests share."""

    def __init__(self, stream: MessageStream, answers: BatchAnswers) -> None:
        self.add = stream.add
        self.reply = answers.take


def sort_messages(message: Message | Batch, busy: Iterable[Id]) -> PostBody:
    """Sort what came; ``busy`` are the ids of requests that are under way."""
    known = set(busy)
    requests: list[RpcRequest] = []
    heeded: list[Notification | Response] = []
    refused: list[Unreadable] = []
    for each in message.messages if isinstance(message, Batch) else (message,):
        if isinstance(each, Notification | Response):
            heeded.append(each)
        elif isinstance(each, Unreadable):
            refused.append(each)
        elif each.id in known:
            refused.append(Unreadable(id=each.id, refusal=_UNDER_WAY))
        else:
            known.add(each.id)
            requests.append(each)
    return PostBody(
        whole=message, requests=tuple(requests), heeded=tuple(heeded), refused=tuple(refused)
    )
