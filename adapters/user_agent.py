"""The name that servers see."""

from importlib import import_module

# By name, because the package declares the names of every room.
USER_AGENT = f"webseam/{import_module('webseam').__version__}"


def user_agent_with_contact(contact: str | None) -> str:
    """Return the User-Agent of requests for pages: name, version, and where to complain.

    >>> user_agent_with_contact("https://a.example/bot").removeprefix(USER_AGENT)
    ' (+https://a.example/bot)'
    """
    return f"{USER_AGENT} (+{contact})" if contact else USER_AGENT
