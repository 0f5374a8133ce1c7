"""What a browser tells of a page, as far as we listen. Unknown fields are passed over."""

from typing import TypeVar

import msgspec

Event = TypeVar("Event")


class Header(msgspec.Struct, frozen=True):
    """One header of an answer."""

    name: str
    value: str


class Request(msgspec.Struct, frozen=True):
    """What a page asks for."""

    url: str = ""


class Paused(msgspec.Struct, frozen=True, rename="camel"):
    """A request that waits for our word: before it is sent, or when its answer has come."""

    request_id: str
    request: Request = Request()
    frame_id: str = ""
    resource_type: str = ""
    response_status_code: int | None = None
    response_error_reason: str | None = None
    response_headers: tuple[Header, ...] = ()

    @property
    def answered(self) -> bool:
        """Whether the answer has come, or it is clear that none will."""
        return self.response_status_code is not None or self.response_error_reason is not None


class Challenge(msgspec.Struct, frozen=True):
    """Who wants a password."""

    source: str = "Server"


class AuthRequired(msgspec.Struct, frozen=True, rename="camel"):
    """A request that waits for a password."""

    request_id: str
    auth_challenge: Challenge = Challenge()


class Frame(msgspec.Struct, frozen=True, rename="camel"):
    """A frame and the document it shows."""

    id: str = ""
    loader_id: str = ""


class FrameNavigated(msgspec.Struct, frozen=True):
    """A frame shows another document."""

    frame: Frame = Frame()


class Lifecycle(msgspec.Struct, frozen=True, rename="camel"):
    """A document has come so far."""

    name: str = ""
    frame_id: str = ""
    loader_id: str = ""


def read_event(params: object, kind: type[Event]) -> Event | None:
    """Read an event's fields; None when they are not what they should be."""
    try:
        return msgspec.convert(params, kind)
    except msgspec.ValidationError:
        return None
