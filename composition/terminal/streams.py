"""The standard streams, whatever stands behind them: a closed one, a full disk."""

import os
import sys
from contextlib import redirect_stdout
from typing import TextIO, cast


def prepare_streams() -> None:
    """Make all fit to use: one that is closed swallows or is empty, one without letters escapes.

    To a Python without a standard error, an error would be something for standard output.
    """
    if sys.stdin is None:
        # Whatever is opened next must not become the standard input of our processes.
        sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: PTH123, SIM115  until the end
    sys.stdout = _make_stream_writable(sys.stdout)
    sys.stderr = _make_stream_writable(sys.stderr)


def redirect_prints() -> redirect_stdout[TextIO]:
    """Have what plugins print go to standard error: standard output is the result's alone."""
    return redirect_stdout(sys.stderr)


def can_write(text: str) -> bool:
    """Tell whether standard output has all the letters of a text."""
    try:
        text.encode(getattr(sys.stdout, "encoding", None) or "utf-8")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def discard_output() -> None:
    """Write nothing more: Python would try to at exit, and complain."""
    sys.stdout = cast("TextIO", None)


def _make_stream_writable(stream: TextIO | None) -> TextIO:
    if stream is None:
        return open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123  open until the end
    reconfigure = getattr(stream, "reconfigure", None)
    # The second is what Python has where the locale is C.
    if reconfigure is not None and getattr(stream, "errors", "") in ("strict", "surrogateescape"):
        reconfigure(errors="backslashreplace")
    return stream
