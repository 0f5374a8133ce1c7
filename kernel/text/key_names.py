"""Names of keys of the other side, fit for a receipt."""

from collections.abc import Iterable

from .display import one_line
from .redaction import redact

_MAX_NAMES = 50
_MAX_NAME_CHARS = 100


def unread_names(names: Iterable[str]) -> tuple[str, ...]:
    r"""Return names fit for a receipt: each once, on one line, without keys, at most fifty.

    >>> unread_names(["engine", "engine", "thumb\nnail"])
    ('engine', 'thumb nail')
    """
    shown = (redact(one_line(name[:_MAX_NAME_CHARS], _MAX_NAME_CHARS)) for name in names)
    return tuple(dict.fromkeys(shown))[:_MAX_NAMES]
