"""Every fault by name, in the order of the groups."""

from typing import Final

# Two files that add to the framing group.
from . import framing_chunks, framing_heads  # noqa: F401
from .api import API
from .charset import CHARSET
from .coding import CODING
from .connection import CONNECTION
from .content import CONTENT
from .control import CONTROL
from .fault import Fault
from .framing import FRAMING
from .injection import INJECTION
from .markup import MARKUP
from .redirects import REDIRECT
from .sockets import SOCKET, TLS
from .statuses import STATUS
from .timing import TIMING

_GROUPS = (
    CONTROL,
    TIMING,
    CONNECTION,
    FRAMING,
    REDIRECT,
    STATUS,
    CODING,
    CHARSET,
    CONTENT,
    MARKUP,
    INJECTION,
    API,
    SOCKET,
    TLS,
)

FAULTS: Final[dict[str, Fault]] = {fault.name: fault for group in _GROUPS for fault in group.faults}
