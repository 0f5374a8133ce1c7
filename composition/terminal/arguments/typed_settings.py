"""Settings that are typed as options: a wrong one is bad input, and named as it was typed."""

from collections.abc import Mapping

from returns.result import Failure, Result, Success

from ....ports.errors import InvalidQuery, InvalidSetting, WebError


def typed_settings(
    block: str, options: Mapping[str, object]
) -> Result[dict[str, object], InvalidQuery]:
    """Return the settings of ``block`` that were given as options; an empty one is refused.

    >>> typed_settings("serve", {"port": 80, "host": None}).unwrap()
    {'serve.port': 80}
    """
    given = {name: value for name, value in options.items() if value is not None}
    empty = next((name for name, value in given.items() if value == ""), None)
    if empty is not None:
        return Failure(InvalidQuery(field=f"--{empty}", reason="must not be empty"))
    return Success({f"{block}.{name}": value for name, value in given.items()})


def as_typed(error: WebError, settings: Mapping[str, object]) -> WebError:
    """Return an error about one of ``settings``, which were typed, as one about its option."""
    if not isinstance(error, InvalidSetting) or error.setting not in settings:
        return error
    option = error.setting.rpartition(".")[2]
    return InvalidQuery(field=f"--{option}", reason=error.reason)
