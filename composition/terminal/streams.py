"""The standard streams, whatever stands behind them: a closed one, a full disk."""

import io
import os
import stat
import sys
from contextlib import redirect_stdout
from typing import TYPE_CHECKING, TextIO, cast

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


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


def stop_if_unread(stream: TextIO) -> None:
    """Raise ``BrokenPipeError`` where nobody reads a stream any more, to end paid work early."""
    buffer = getattr(stream, "buffer", None)
    if getattr(getattr(buffer, "raw", buffer), "is_unread", False):
        raise BrokenPipeError


class _PipeFile(io.FileIO):
    """A pipe that drops everything once its reader has gone: the exit code stays the command's."""

    is_unread = False

    def write(self, data: "ReadableBuffer", /) -> int:
        try:
            return super().write(data)
        except BrokenPipeError:
            self.is_unread = True
            return memoryview(data).nbytes


def _make_stream_writable(stream: TextIO | None) -> TextIO:
    if stream is None:
        return open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123  open until the end
    if isinstance(stream, io.TextIOWrapper) and _is_pipe(stream):
        file = _PipeFile(stream.fileno(), "w", closefd=False)
        stream.flush()
        stream = io.TextIOWrapper(
            cast("io.BufferedWriter", file) if stream.write_through else io.BufferedWriter(file),
            encoding=stream.encoding,
            errors=stream.errors,
            line_buffering=stream.line_buffering,
            write_through=stream.write_through,
        )
    reconfigure = getattr(stream, "reconfigure", None)
    # Python uses surrogateescape where the locale is C.
    if reconfigure is not None and getattr(stream, "errors", "") in ("strict", "surrogateescape"):
        reconfigure(errors="backslashreplace")
    return stream


def _is_pipe(stream: io.TextIOWrapper) -> bool:
    try:
        mode = os.fstat(stream.fileno()).st_mode
    except OSError:
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)
