"""Tool replies in Hermes's format."""

from ...kernel.envelopes import ToolReply


def hermes_search_reply(reply: ToolReply) -> dict[str, object]:
    """Return ``{"success", "data": {"web": [...]}}``, or the failure with its kind."""
    if reply.error is not None:
        return _hermes_failure(reply)
    data = reply.envelope.get("data")
    fields = data if isinstance(data, dict) else {"text": data}
    if not isinstance(fields.get("web"), list):
        # A plugin may send text instead of rows: Hermes needs a list, so it is empty.
        fields = {**fields, "web": []}
    return {"success": True, "data": fields}


def hermes_page_entry(url: str, reply: ToolReply) -> dict[str, object]:
    """Return one entry of Hermes's list: a page, or the URL with its error."""
    if reply.error is not None:
        failure = _hermes_failure(reply)
        return {
            "url": url,
            "title": "",
            "content": "",
            "error": failure["error"],
            "failure": failure["failure"],
        }
    page = _envelope_page(reply.envelope.get("data"))
    content = str(page.get("content") or page.get("text") or "")
    metadata = page.get("metadata")
    source = {"sourceURL": page.get("final_url") or url, "title": page.get("title") or ""}
    return {
        "url": url,
        "title": str(page.get("title") or ""),
        "content": content,
        "raw_content": str(page.get("raw_content") or content),
        "metadata": {**(metadata if isinstance(metadata, dict) else {}), **source},
    }


def _envelope_page(data: object) -> dict[str, object]:
    """Return the only page of an envelope, or the fields that a plugin sent instead."""
    fields = data if isinstance(data, dict) else {}
    results = fields.get("results")
    page = results[0] if isinstance(results, list) and results else fields
    return page if isinstance(page, dict) else {}


def _hermes_failure(reply: ToolReply) -> dict[str, object]:
    names = ("error", "failure")
    return {"success": False, **{name: reply.envelope[name] for name in names}}
