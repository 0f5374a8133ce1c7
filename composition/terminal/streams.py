"""The standard streams, whatever stands behind them: a closed one, a full disk."""

import os
import sys
from contextlib import redirect_stdout
from typing import TextIO, cast


def prepare_standard_streams() -> None:
    """Replace closed streams with the null device; escape letters a stream cannot encode."""
    if sys.stdin is None:
        # Otherwise the next opened file becomes the standard input of child processes.
        sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: PTH123, SIM115  until the end
    sys.stdout = _make_stream_writable(sys.stdout)
    sys.stderr = _make_stream_writable(sys.stderr)


def redirect_prints() -> redirect_stdout[TextIO]:
    """Send prints of plugins to standard error: standard output is for results."""
    return redirect_stdout(sys.stderr)


def can_stdout_encode(text: str) -> bool:
    """Tell whether standard output can encode a text."""
    try:
        text.encode(getattr(sys.stdout, "encoding", None) or "utf-8")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def discard_stdout() -> None:
    """Drop standard output, so that Python does not fail to flush it at exit."""
    sys.stdout = cast("TextIO", None)


def _make_stream_writable(stream: TextIO | None) -> TextIO:
    if stream is None:
        return open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123  open until the end
    reconfigure = getattr(stream, "reconfigure", None)
    # Python uses surrogateescape where the locale is C.
    if reconfigure is not None and getattr(stream, "errors", "") in ("strict", "surrogateescape"):
        reconfigure(errors="backslashreplace")
    return stream
