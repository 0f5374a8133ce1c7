"""Redaction: e-mail addresses, phone numbers, cards, accounts and ids never leave in a query.

It is closed: when it fails, the query is not sent.
"""

from ....kernel.text.personal_data import redact_personal
from ....kernel.text.redaction import redact
from ..context import PluginContext


def register(ctx: PluginContext) -> None:
    """Mask in every text of a tool's arguments but URLs, which would be other pages then."""

    def mask(*, args: dict[str, object], **_: object) -> dict[str, object] | None:
        masked = {name: _masked(value) for name, value in args.items() if name != "urls"}
        changed = sorted(name for name, value in masked.items() if value != args[name])
        if not changed:
            return None
        reason = f"masked personal data in {', '.join(changed)}"
        return {"args": {**args, **masked}, "source": ctx.manifest.key, "reason": reason}

    ctx.register_middleware("tool_request", mask, on_error="closed")


def _masked(value: object) -> object:
    return redact_personal(redact(value)) if isinstance(value, str) else value
