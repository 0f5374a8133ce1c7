"""Identify callers by key, or as the local user without one."""

import hmac
from collections.abc import Sequence

import msgspec
from returns.result import Failure

from webseam.adapters.features.gateway.replies import Refusal, refusal_for_error
from webseam.adapters.features.gateway.sealed_turns import caller_secret
from webseam.kernel.policy.session_memory import SessionMemory
from webseam.ports.keys import KeyRecord, KeyTool
from webseam.ports.secrets import Secret

from ...wiring.store_setup import KeyRing
from .key_guessing import TOO_MANY_GUESSES_MESSAGE, GuessLimiter

_NO_KEY_MESSAGE = "A key is needed, and there is none in this request."
_BAD_KEY_MESSAGE = "Incorrect API key provided: no key in use here is that one."
_TOOL_VERBS: dict[KeyTool, str] = {
    "search": "search", "extract": "read pages", "more": "go on in pages",
    "data": "read values of pages", "x": "search X", "ask": "ask questions",
}  # fmt: skip


class GatewayCaller(msgspec.Struct, frozen=True, kw_only=True):
    """A caller. ``record`` is None for the owner; ``memory`` is that of the caller's session.

    ``secret`` is made of the caller's key: what is sealed with it is for this caller alone. Callers
    without a key are all the user of this machine.
    """

    name: str
    record: KeyRecord | None = None
    memory: SessionMemory | None = None
    secret: Secret = msgspec.field(default_factory=lambda: caller_secret(""))

    @property
    def id(self) -> str:
        """The id of the key; empty for the owner."""
        return "" if self.record is None else self.record.id

    @property
    def key_name(self) -> str:
        """The name of the key; empty for the owner."""
        return "" if self.record is None else self.record.name

    def explain_refusal(self, tool: KeyTool) -> Refusal | None:
        """Return a refusal if the key forbids a tool; None if it may be called."""
        if self.record is None or self.record.may_call(tool):
            return None
        return Refusal(kind="forbidden", message=f"This key may not {_TOOL_VERBS[tool]}.")


OWNER = GatewayCaller(name="owner")
LOCAL_CALLER = GatewayCaller(name="local")


class CallerIdentifier(msgspec.Struct, frozen=True, kw_only=True):
    """Identifies callers. If ``open``, callers on this machine need no key."""

    keys: KeyRing
    token: Secret
    open: bool
    guesses: GuessLimiter = msgspec.field(default_factory=GuessLimiter)

    async def admit(
        self, texts: Sequence[str], *, local: bool, address: str
    ) -> GatewayCaller | Refusal:
        """Return the caller of the first valid key, or a refusal.

        An open gateway for which no key was ever made ignores any key, as most clients always send
        one.
        """
        wait = self.guesses.guess_delay(address) if texts else None
        for text in texts:
            if (caller := await self._find_caller(text, guessing=wait is not None)) is not None:
                return caller
        if self.open and local and (not texts or not await self.keys.has_any()):
            return LOCAL_CALLER
        if not texts:
            return Refusal(kind="unauthorized", message=_NO_KEY_MESSAGE)
        self.guesses.count_guess(address, len(texts))
        if wait is not None:
            return Refusal(kind="rate", message=TOO_MANY_GUESSES_MESSAGE, retry_after=wait)
        return Refusal(kind="unauthorized", message=_BAD_KEY_MESSAGE)

    async def _find_caller(self, text: str, *, guessing: bool) -> GatewayCaller | Refusal | None:
        token = self.token.reveal().encode()
        if token and not guessing and hmac.compare_digest(token, text.encode()):
            return msgspec.structs.replace(OWNER, secret=caller_secret(text))
        if isinstance(lookup := await self.keys.find(text), Failure):
            return refusal_for_error(lookup.failure())
        record = lookup.unwrap()
        if record is None:
            return None
        return GatewayCaller(name=record.name, record=record, secret=caller_secret(text))
