"""Remedies for errors, as sentences with the commands to run."""

from webseam.ports import errors as e
from webseam.ports.errors.error_fields import MAX_PAUSE_SECONDS

INDEX_REMEDY = "Run `webseam index add PATH_OR_URL`."
SETUP_REMEDY = (
    "Give a key with `webseam setup`, or make an index of your own documents with "
    "`webseam index add PATH_OR_URL`."
)
OFFLINE_REMEDY = "`webseam index add` stores your documents for searches without a network."
MODEL_REMEDY = "Give a key with `webseam setup model`; `webseam models` lists the providers."


def retry_after(error: e.WebError) -> float | None:
    """Return the seconds until a retry makes sense, at most a day; None if unknown."""
    seconds: float | None = getattr(error, "retry_after", None)
    if seconds is None:
        seconds = getattr(error, "again_in", None)
    return None if seconds is None else min(seconds, MAX_PAUSE_SECONDS)


def retry_advice(error: e.WebError) -> str:
    """Return advice to retry, unless the message already gives a time."""
    return "Trying again may help." if error.retryable and retry_after(error) is None else ""


def provider_choice_remedy(name: str) -> str:
    """Return how to choose one of several providers, with ``name`` as the example."""
    return f"Pass --provider, or set a default: `webseam setup model {name} --use`."


def plugin_remedy(key: str) -> str:
    """Return what to do about a required plugin that cannot be loaded."""
    return f"Fix the plugin, or run `webseam plugins disable {key}`."
