"""Who is calling, for gateways that want to know. Always this project, never another client."""

AGENT = ("user-agent", "webseam")
TITLE = ("x-title", "webseam")
