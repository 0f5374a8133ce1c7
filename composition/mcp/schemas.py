"""The tools as ``tools/list`` shows them: every argument of the toolbox, in as few words as do.

A model pays for these in each conversation. What every provider takes: an object at the root,
single types, items in each array, no defaults, patterns, formats, references or unions. The kernel
checks the rest, and says which field was wrong.
"""

from .json_rpc import Json

_TEXT: Json = {"type": "string"}
_NUMBER: Json = {"type": "integer"}
_FLAG: Json = {"type": "boolean"}
_TEXTS: Json = {"type": "array", "items": _TEXT}
_OBJECT: Json = {"type": "object"}


def _shape(required: str, **properties: Json) -> Json:
    return {
        "type": "object",
        "properties": properties,
        "required": [required],
        "additionalProperties": False,
    }


def _told(part: Json, words: str) -> Json:
    return {**part, "description": words}


def _one_of(*names: str) -> Json:
    return {**_TEXT, "enum": list(names)}


# A failure has error and failure in place of data. Other keys, such as receipt, may stand beside.
_OUTPUT: Json = {
    "type": "object",
    "properties": {"success": _FLAG, "data": _OBJECT, "error": _TEXT, "failure": _OBJECT},
    "required": ["success"],
}
_X_OUTPUT: Json = {
    "type": "object",
    "properties": {"success": _FLAG, "answer": _TEXT, "error": _TEXT, "failure": _OBJECT},
    "required": ["success"],
}
_HINTS: Json = {"readOnlyHint": True, "openWorldHint": True}


def _tool(name: str, title: str, description: str, shape: Json, output: Json = _OUTPUT) -> Json:
    return {
        "name": name,
        "title": title,
        "description": description,
        "inputSchema": shape,
        "outputSchema": output,
        "annotations": _HINTS,
    }


_DAY = _told(_TEXT, "YYYY-MM-DD")

WEB_SEARCH = _tool(
    "web_search",
    "Search the web",
    "Search the web: title, url, description of each hit.",
    _shape(
        "query",
        query=_TEXT,
        max_results=_told(_NUMBER, "1-100"),
        include_domains=_TEXTS,
        exclude_domains=_TEXTS,
        published_after=_DAY,
        published_before=_DAY,
        country=_told(_TEXT, "as DE"),
        language=_told(_TEXT, "as en"),
        topic=_one_of("general", "news", "finance"),
        safe_search=_one_of("off", "moderate", "strict"),
    ),
)
WEB_EXTRACT = _tool(
    "web_extract",
    "Read web pages",
    "Read pages as markdown. A page cut short has a handle for web_more.",
    _shape(
        "urls",
        urls=_told(_TEXTS, "1-5"),
        focus=_told(_TEXT, "a question: keep what matters to it"),
        char_limit=_told(_NUMBER, "per page"),
    ),
)
WEB_MORE = _tool(
    "web_more",
    "Read on",
    "Go on in a page that was cut short.",
    _shape(
        "handle",
        handle=_TEXT,
        cursor=_told(_NUMBER, "last next_cursor"),
        char_limit=_NUMBER,
    ),
)
X_SEARCH = _tool(
    "x_search",
    "Search X",
    "Search X (Twitter): an answer and the posts it rests on.",
    _shape(
        "query",
        query=_TEXT,
        allowed_x_handles=_TEXTS,
        excluded_x_handles=_TEXTS,
        from_date=_DAY,
        to_date=_DAY,
        enable_image_understanding=_FLAG,
        enable_video_understanding=_FLAG,
        output_schema=_told(_OBJECT, "JSON Schema of the answer"),
        instructions=_TEXT,
        previous_response_id=_TEXT,
        store=_FLAG,
    ),
    _X_OUTPUT,
)
WEB_ASK = _tool(
    "web_ask",
    "Answer with sources",
    "Answer a question from the web: claims, each with a quote checked to stand in its page.",
    _shape(
        "question",
        question=_TEXT,
        max_pages=_told(_NUMBER, "1-12"),
        include_domains=_TEXTS,
        exclude_domains=_TEXTS,
    ),
)
ALWAYS = (WEB_SEARCH, WEB_EXTRACT, WEB_MORE)
KNOWN = (*ALWAYS, X_SEARCH, WEB_ASK)
