"""Firecrawl jobs: their progress, errors and cancellation."""

from collections.abc import Callable, Sequence
from functools import partial

from ...asks import JobKind, JobStatusRequest, JobView, ListJobsRequest, Reading
from ...replies import Call, Reply, json_reply
from .scrape_documents import Version, error_code, refused_document, scrape_document


def read_job_status(kind: JobKind, version: Version) -> Callable[[Call], Reading]:
    """Return the reader of calls for the state of a job."""
    write = partial(_job_reply, version=version)
    return lambda call: JobStatusRequest(kind=kind, id=call.rest, write=write)


def _job_reply(view: JobView, version: Version) -> Reply:
    formats = view.memo or ("markdown",)
    documents = [
        scrape_document(page, page.result, formats)
        if page.result is not None
        else refused_document(page)
        for page in view.pages
    ]
    has_failed = view.state == "completed" and view.pages and not any(documents)
    reasons = [page.refusal.message for page in view.pages if page.refusal is not None]
    fields: dict[str, object] = {
        "success": True,
        "status": "failed" if has_failed else view.state,
        **({"error": reasons[0]} if has_failed and reasons else {}),
        "completed": len(view.pages),
        "total": view.total,
        "creditsUsed": 0,
        "expiresAt": view.expires,
        "data": [document for document in documents if document is not None],
    }
    # The v1 JavaScript client follows any ``next`` field, even null.
    return json_reply(fields if version == "v1" else {**fields, "next": None})


def read_job_errors(kind: JobKind) -> Callable[[Call], Reading]:
    """Return the reader of calls for the failed pages of a job."""

    def write(view: JobView) -> Reply:
        failed = [
            {
                "id": f"{view.id}-{index}",
                "url": page.url,
                "error": page.refusal.message,
                "code": error_code(page.refusal),
            }
            for index, page in enumerate(view.pages)
            if page.refusal is not None and refused_document(page) is None
        ]
        return json_reply({"success": True, "errors": failed, "robotsBlocked": []})

    return lambda call: JobStatusRequest(kind=kind, id=call.rest, write=write)


def read_job_cancel(kind: JobKind) -> Callable[[Call], Reading]:
    """Return the reader of calls that cancel a job."""

    def write(_view: JobView) -> Reply:
        return json_reply({"success": True, "status": "cancelled"})

    return lambda call: JobStatusRequest(kind=kind, id=call.rest, cancel=True, write=write)


def read_active_crawls(_call: Call) -> Reading:
    """Read a call for the running crawls."""

    def write(views: Sequence[JobView]) -> Reply:
        crawls = [{"id": view.id, "teamId": "", "url": "", "options": None} for view in views]
        return json_reply({"success": True, "crawls": crawls})

    return ListJobsRequest(kind="crawl", write=write)
