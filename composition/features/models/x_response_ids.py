"""The ids of stored answers about X, each marked for the caller who got it.

xAI stores an answer under its id for the account that asked. Behind a gateway many keys share this
account, so an id alone would let each go on from the answers of all others. A key therefore gets
the id with a mark that only this account can make for this key, and goes on only from such ids.
The user, who has the account, gets the ids as they are.
"""

import hashlib
import hmac

from webseam.adapters.call_context import CALL_OWNER
from webseam.ports.secrets import Secret

# How the doors name the user of this machine and the holder of the gateway's token.
_USERS = ("", "local", "owner")
_MARK_CHARS = 32


def current_key() -> str | None:
    """Return the id of the key that calls, or None for the user."""
    owner = CALL_OWNER.get()
    return None if owner in _USERS else owner


def mark_response_id(response_id: str, key: str, account: Secret) -> str:
    """Return an id that only ``key`` can go on from.

    >>> marked = mark_response_id("r1", "ann", Secret("k"))
    >>> unmark_response_id(marked, "ann", Secret("k")), unmark_response_id(marked, "b", Secret("k"))
    ('r1', None)
    """
    return f"{response_id}.{_response_mark(response_id, key, account)}"


def unmark_response_id(text: str, key: str, account: Secret) -> str | None:
    """Return the id that was marked for ``key``; None for any other text."""
    response_id, _, mark = text.strip().rpartition(".")
    expected = _response_mark(response_id, key, account)
    return (
        response_id
        if hmac.compare_digest(mark.encode("utf-8", "surrogatepass"), expected.encode())
        else None
    )


def _response_mark(response_id: str, key: str, account: Secret) -> str:
    message = f"{key}\n{response_id}".encode("utf-8", "surrogatepass")
    secret = b"webseam x" + account.reveal().encode()
    return hmac.new(secret, message, hashlib.sha256).hexdigest()[:_MARK_CHARS]
