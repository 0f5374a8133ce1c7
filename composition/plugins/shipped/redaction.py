"""Redaction: mask e-mail addresses, phone, card, account and id numbers in queries.

It is closed: when it fails, the query is not sent.
"""

from webseam.kernel.text.personal_data import redact_personal_data
from webseam.kernel.text.redaction import redact

from ..context import PluginContext


def register(ctx: PluginContext) -> None:
    """Mask every text argument but URLs, because a masked URL is another page."""

    def mask(*, args: dict[str, object], **_: object) -> dict[str, object] | None:
        texts = {name: text for name, text in args.items() if isinstance(text, str)}
        texts.pop("urls", None)
        masked = {name: redact_personal_data(redact(text)) for name, text in texts.items()}
        if not (changed := sorted(name for name, value in masked.items() if value != args[name])):
            return None
        reason = f"masked personal data in {', '.join(changed)}"
        return {"args": {**args, **masked}, "source": ctx.manifest.key, "reason": reason}

    ctx.register_middleware("tool_request", mask, on_error="closed")
