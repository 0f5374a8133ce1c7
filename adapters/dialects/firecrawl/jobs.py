"""Jobs looked at: how far they are, what failed, and their end."""

from collections.abc import Callable, Sequence

from ...dialect.asks import JobKind, JobView, ListAsk, LookAsk
from ...dialect.declaration import Reading
from ...dialect.wire import Call, Reply, json_reply
from .documents import document_of, unread
from .refusals import code_of
from .versions import Version


def status(kind: JobKind, version: Version) -> Callable[[Call], Reading]:
    """Return what reads a look at a job."""

    def read(call: Call) -> Reading:
        return LookAsk(kind=kind, id=call.rest, write=lambda view: _view(view, version))

    return read


def _view(view: JobView, version: Version) -> Reply:
    formats = view.memo or ("markdown",)
    documents = [
        document_of(page.result, formats) if page.result is not None else unread(page)
        for page in view.pages
    ]
    fields: dict[str, object] = {
        "success": True,
        "status": view.state,
        "completed": len(view.pages),
        "total": view.total,
        "creditsUsed": 0,
        "expiresAt": view.expires,
        "data": [document for document in documents if document is not None],
    }
    # The JavaScript client of v1 follows a next that is there, whatever it is.
    return json_reply(fields if version == "v1" else {**fields, "next": None})


def errors(kind: JobKind) -> Callable[[Call], Reading]:
    """Return what reads a question for the pages that failed."""

    def write(view: JobView) -> Reply:
        failed = [
            {
                "id": f"{view.id}-{place}",
                "url": page.url,
                "error": page.refusal.message,
                "code": code_of(page.refusal),
                "timestamp": view.expires,
            }
            for place, page in enumerate(view.pages)
            if page.refusal is not None and unread(page) is None
        ]
        return json_reply({"success": True, "errors": failed, "robotsBlocked": []})

    return lambda call: LookAsk(kind=kind, id=call.rest, write=write)


def cancel(kind: JobKind) -> Callable[[Call], Reading]:
    """Return what reads the end of a job."""

    def write(_view: JobView) -> Reply:
        return json_reply({"success": True, "status": "cancelled"})

    return lambda call: LookAsk(kind=kind, id=call.rest, cancel=True, write=write)


def active(_call: Call) -> Reading:
    """Read a question for the crawls under way."""

    def write(views: Sequence[JobView]) -> Reply:
        crawls = [{"id": view.id, "teamId": "", "url": "", "options": None} for view in views]
        return json_reply({"success": True, "crawls": crawls})

    return ListAsk(kind="crawl", write=write)
