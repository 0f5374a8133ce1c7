"""Whether and when to ask again, after a failure."""

from ..ports import errors as e


def retry_after(error: e.WebError) -> float | None:
    """Return in how many seconds it is worth asking again, which the message says too, if known."""
    for name in ("retry_after", "again_in"):
        value: float | None = getattr(error, name, None)
        if value is not None:
            return value
    return None


def retry_advice(error: e.WebError) -> str:
    """Return whether trying again may help, where the message does not say when it does."""
    return "Trying again may help." if error.retryable and retry_after(error) is None else ""
