"""What mends a failure that no single setting mends: whole sentences, with the commands to run."""

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


# What mends a failure that no single setting mends: whole sentences, with the commands to run.

INDEX_REMEDY = "Run `webseam index add PATH_OR_URL`."
SETUP_REMEDY = (
    "Give a key with `webseam setup`, or make an index of your own documents with "
    "`webseam index add PATH_OR_URL`."
)
OFFLINE_REMEDY = "webseam index add keeps documents of yours, which are searched without a network."
MODEL_REMEDY = "Give a key with `webseam setup model`; `webseam models` lists who could answer."


def provider_choice_remedy(name: str) -> str:
    """Return how to say which of several providers answers, one of them as the example."""
    return f"Name one with --provider, or choose for good: `webseam setup model {name} --use`."


def plugin_remedy(key: str) -> str:
    """Return what to do about a required plugin that cannot be loaded."""
    return f"Mend it, or run `webseam plugins disable {key}`."
