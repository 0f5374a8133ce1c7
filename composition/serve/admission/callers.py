"""Who calls, and whether they may: the key in a call, or this machine's own user without one."""

import hmac
import time
from collections.abc import Callable, Sequence

import msgspec
from returns.result import Failure

from ....adapters.dialect.refusal import Refusal, refusal_of
from ....adapters.stores.keys.file import KeyFile
from ....ports.keys import KeyRecord, KeyTool
from ....ports.secrets import Secret
from ...guesses import TOO_MANY_GUESSES, Guesses

_MINUTE = 60.0
_NO_KEY = "A key is needed, and there is none in this request."
_BAD_KEY = "Incorrect API key provided: no key in use here is that one."


class Caller(msgspec.Struct, frozen=True, kw_only=True):
    """Whose a call is. ``record`` is None for the owner of this gateway."""

    name: str
    record: KeyRecord | None = None

    @property
    def id(self) -> str:
        """What tells callers apart."""
        return "" if self.record is None else self.record.id

    def refusal(self, tool: KeyTool) -> Refusal | None:
        """Return why a tool may not be called, None when it may."""
        if self.record is None or self.record.may(tool):
            return None
        return Refusal(kind="forbidden", message=f"This key may not {_DOING[tool]}.")


_DOING: dict[KeyTool, str] = {
    "search": "search",
    "extract": "read pages",
    "more": "go on in pages",
    "x": "search X",
    "ask": "ask questions",
}
OWNER = Caller(name="owner")
LOCAL = Caller(name="local")


class Door(msgspec.Struct, frozen=True, kw_only=True):
    """How callers are told apart. ``open`` says that this machine's own need no key."""

    keys: KeyFile
    token: Secret
    open: bool
    guesses: Guesses = msgspec.field(default_factory=Guesses)

    def admit(self, texts: Sequence[str], *, local: bool, address: str) -> Caller | Refusal:
        """Return whose one of the keys in a call is, or why it is refused.

        Where no key is needed, any is ignored as long as there is none to compare it with: most
        clients cannot do without one.
        """
        wait = self.guesses.wait(address) if texts else None
        for text in texts:
            caller = self._owner_of(text, guessing=wait is not None)
            if caller is not None:
                return caller
        if self.open and local and (not texts or not self._has_keys()):
            return LOCAL
        if not texts:
            return Refusal(kind="unauthorized", message=_NO_KEY)
        self.guesses.count(address, len(texts))
        if wait is not None:
            return Refusal(kind="rate", message=TOO_MANY_GUESSES, retry_after=wait)
        return Refusal(kind="unauthorized", message=_BAD_KEY)

    def _owner_of(self, text: str, *, guessing: bool) -> Caller | Refusal | None:
        token = self.token.reveal().encode()
        if token and not guessing and hmac.compare_digest(token, text.encode()):
            return OWNER
        known = self.keys.find(text)
        if isinstance(known, Failure):
            return refusal_of(known.failure())
        record = known.unwrap()
        return None if record is None else Caller(name=record.name, record=record)

    def _has_keys(self) -> bool:
        """Tell whether any key is in use; when nobody knows, there may be."""
        records = self.keys.records()
        return isinstance(records, Failure) or any(
            record.revoked is None for record in records.unwrap()
        )


class Buckets:
    """How many calls each key may still make: a minute's worth at once, then as they come in."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        """Count by the clock ``now``."""
        self._now = now
        self._levels: dict[str, tuple[float, float]] = {}

    def take(self, caller: Caller) -> Refusal | None:
        """Count one call, or say when to come back."""
        rate = None if caller.record is None else caller.record.rate
        if rate is None:
            return None
        now, most = self._now(), max(rate, 1.0)
        level, then = self._levels.get(caller.id, (most, now))
        level = min(most, level + (now - then) * rate / _MINUTE)
        if level < 1.0:
            self._levels[caller.id] = (level, now)
            wait = (1.0 - level) * _MINUTE / rate
            message = f"This key may make {rate:g} calls a minute."
            return Refusal(kind="rate", message=message, retry_after=wait)
        self._levels[caller.id] = (level - 1.0, now)
        return None
