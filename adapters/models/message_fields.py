"""Fields of messages that some providers refuse."""

from collections.abc import Sequence

from ...ports.models import Message


def without_fields(
    messages: Sequence[Message], fields: frozenset[str], *, role: str | None = None
) -> Sequence[Message]:
    """Return the messages, or those of one role, without some of their fields."""
    return tuple(
        {name: value for name, value in message.items() if name not in fields}
        if role is None or message.get("role") == role
        else message
        for message in messages
    )
