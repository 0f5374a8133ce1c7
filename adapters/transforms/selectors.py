"""Check the CSS selector of a user; no page is read here."""

from returns.result import Failure, Result, Success
from turbohtml import SelectorSyntaxError, parse

from webseam.ports.errors import InvalidQuery

MAX_SELECTOR_CHARS = 500


def check_selector(selector: str) -> Result[str, InvalidQuery]:
    """Return a selector that can be used, or what is wrong with it.

    >>> check_selector("main > p").unwrap()
    'main > p'
    """
    if len(selector) > MAX_SELECTOR_CHARS:
        reason = f"is longer than {MAX_SELECTOR_CHARS} characters"
        return Failure(InvalidQuery(field="select", reason=reason))
    try:
        parse("").select(selector)
    except SelectorSyntaxError as error:
        reason = f"is no CSS selector: {str(error).rpartition(': ')[2]}"
        return Failure(InvalidQuery(field="select", reason=reason))
    return Success(selector)
