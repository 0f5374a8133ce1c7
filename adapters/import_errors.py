"""Why somebody else's code could not be loaded, in words that name what is missing."""


def why_not_loaded(error: BaseException) -> str:
    """Return the module that is missing, or what was raised, for a sentence that begins with "it".

    >>> why_not_loaded(ModuleNotFoundError("No module named 'acme'", name="acme"))
    "it needs the module 'acme', which is not installed"
    >>> why_not_loaded(ValueError("a secret"))
    'it raised ValueError while it was loaded'
    """
    missing = error.name if isinstance(error, ModuleNotFoundError) else None
    if missing:
        return f"it needs the module {missing!r}, which is not installed"
    return f"it raised {type(error).__name__} while it was loaded"
