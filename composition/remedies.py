"""What mends a failure that no single setting mends: whole sentences, with the commands to run."""

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
