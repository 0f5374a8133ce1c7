"""Scripts for the scripted browser: what it tells of a page that comes, step by step."""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

TAB = "TAB"
URL = "http://127.0.0.2:8080/start"

Script: TypeAlias = Mapping[str, Sequence[object]]


def paused(url: str = URL, kind: str = "Document", frame: str = TAB, **more: object) -> object:
    params = {"requestId": url, "request": {"url": url}, "frameId": frame, "resourceType": kind}
    return {"method": "Fetch.requestPaused", "params": params | more}


def answered(
    status: int = 200, content_type: str = "text/html", url: str = URL, **headers: str
) -> object:
    fields = {"Content-Type": content_type} | headers
    pairs = [{"name": name.replace("_", "-"), "value": value} for name, value in fields.items()]
    return paused(url, responseStatusCode=status, responseHeaders=pairs)


def navigated(loader: str = "L1", frame: str = TAB) -> object:
    return {"method": "Page.frameNavigated", "params": {"frame": {"id": frame, "loaderId": loader}}}


def quiet(loader: str = "L1", frame: str = TAB, name: str = "networkIdle") -> object:
    params = {"frameId": frame, "loaderId": loader, "name": name}
    return {"method": "Page.lifecycleEvent", "params": params}


GONE: dict[str, object] = {"answer": {}}
COMING: tuple[object, ...] = (paused(), answered(), GONE, navigated(), quiet())


def script(
    *coming: object, html: str = "<p>x</p>", url: str = URL, **more: Sequence[object]
) -> Script:
    return {
        "Target.createBrowserContext": [{"answer": {"browserContextId": "CONTEXT"}}],
        "Target.createTarget": [{"answer": {"targetId": TAB}}],
        "Target.attachToTarget": [{"answer": {"sessionId": "SESSION"}}],
        "Page.navigate": coming or COMING,
        "DOM.getDocument": [{"answer": {"root": {"nodeId": 7, "documentURL": url}}}],
        "DOM.getOuterHTML": [{"answer": {"outerHTML": html}}],
    } | {name.replace("_", "."): steps for name, steps in more.items()}
