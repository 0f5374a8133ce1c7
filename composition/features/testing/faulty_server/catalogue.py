"""Every fault by name, and the control paths of the server."""

import json
from typing import Final

from .answer_faults import API, STATUS
from .body_faults import CODING, CONTENT
from .connection_faults import CONNECTION, SOCKET, TIMING, TLS
from .conversation import JSON, Conversation, Fault, FaultPlay
from .framing_faults import FRAMING
from .listeners import TLS_HOST
from .redirect_faults import CONTROL, REDIRECT
from .text_faults import CHARSET, INJECTION, MARKUP

_FAULT_GROUPS = (
    CONTROL, TIMING, CONNECTION, FRAMING, REDIRECT, STATUS, CODING, CHARSET, CONTENT, MARKUP,
    INJECTION, API, SOCKET, TLS,
)  # fmt: skip
FAULTS: Final[dict[str, Fault]] = {
    fault.name: fault for group in _FAULT_GROUPS for fault in group.faults
}


async def show_faults(talk: Conversation) -> None:
    """Send the catalogue."""
    await _send_fault_json(talk, [fault.row() for fault in FAULTS.values()])


async def show_fault_stats(talk: Conversation) -> None:
    """Send the counts."""
    server = talk.server
    stats = {
        "hits": server.hits,
        "open_now": server.open_now,
        "open_peak": server.open_peak,
        "canary_hits": server.canary_hits,
        "ports": server.ports,
    }
    await _send_fault_json(talk, stats)


async def reset_fault_counts(talk: Conversation) -> None:
    """Reset the counts."""
    talk.server.reset()
    await talk.reply(kind="text/plain", body=b"reset\n")


async def echo_faulty_request(talk: Conversation) -> None:
    """Send the request back as JSON."""
    request = {
        "method": talk.method,
        "target": talk.target,
        "headers": talk.headers,
        "body": talk.body.decode("latin-1"),
        "note": "MARKER-OK",
    }
    await _send_fault_json(talk, request)


async def send_downgrade_fault(talk: Conversation) -> None:
    """Redirect from https to http."""
    await talk.redirect(f"http://{TLS_HOST}:{talk.server.ports['main']}/ok")


async def answer_unknown_fault(talk: Conversation) -> None:
    """Answer 404: there is no such fault."""
    await talk.reply("404 Not Found", "text/plain", b"no such fault\n")


async def _send_fault_json(talk: Conversation, value: object) -> None:
    await talk.reply(kind=JSON, body=json.dumps(value).encode())


_CONTROL_PATHS = {
    "_faults": show_faults, "_stats": show_fault_stats, "_reset": reset_fault_counts,
    "_echo": echo_faulty_request, "_downgrade": send_downgrade_fault,
}  # fmt: skip


def fault_play(name: str) -> FaultPlay:
    """Return the function that answers on a path."""
    fault = FAULTS.get(name)
    play = fault.play if fault is not None else None
    return play or _CONTROL_PATHS.get(name, answer_unknown_fault)
