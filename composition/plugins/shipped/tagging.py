"""Request tagging: whose request it is, in each receipt and each model request.

Settings: ``tags``, an object such as ``{"team": "search"}``.
"""

from collections.abc import Mapping

from ..context import PluginContext


def register(ctx: PluginContext) -> None:
    """Tag with what the settings say."""
    given = ctx.settings.get("tags") or {}
    if not isinstance(given, Mapping) or not given:
        message = 'set what to tag with: --set tags=\'{"team": "search"}\''
        raise ValueError(message)
    tags = {str(name): str(value) for name, value in given.items()}
    reason = ", ".join(f"{name}={value}" for name, value in tags.items())

    def tag_tool(*, args: dict[str, object], **_: object) -> dict[str, object]:
        # The arguments stay as they are: what is new is the trace, which the receipt keeps.
        return {"args": args, "source": ctx.manifest.key, "reason": reason}

    def tag_model(*, request: dict[str, object], **_: object) -> dict[str, object]:
        extra = request.get("extra_body")
        body = dict(extra) if isinstance(extra, Mapping) else {}
        held = body.get("metadata")
        metadata = {**(held if isinstance(held, Mapping) else {}), **tags}
        tagged = {**request, "extra_body": {**body, "metadata": metadata}}
        return {"request": tagged, "source": ctx.manifest.key, "reason": reason}

    ctx.register_middleware("tool_request", tag_tool)
    ctx.register_middleware("llm_request", tag_model)
