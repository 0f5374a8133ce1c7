"""Explanations why third-party code could not be imported."""


def explain_import_error(error: BaseException) -> str:
    """Return a clause that begins with "it" and names the missing module or the exception.

    >>> explain_import_error(ModuleNotFoundError("No module named 'acme'", name="acme"))
    "it needs the module 'acme', which is not installed"
    >>> explain_import_error(ValueError("a secret"))
    'it raised ValueError while it was loaded'
    """
    missing = error.name if isinstance(error, ModuleNotFoundError) else None
    if missing:
        return f"it needs the module {missing!r}, which is not installed"
    return f"it raised {type(error).__name__} while it was loaded"
