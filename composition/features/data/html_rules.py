"""What pages teach about the template of their site, in this process; a worker loads this."""

import msgspec
from returns.result import Failure, Result

from webseam.adapters.features.data.page_parts import read_data_page
from webseam.kernel.features.data.examples import keep_reproduced, observe_page
from webseam.ports.data_rules import ObserveTask, ReproduceTask
from webseam.ports.errors import ParseFailed, WebError
from webseam.ports.pages import ReadPage

_TASK_DECODER = msgspec.json.Decoder(ObserveTask | ReproduceTask)


def learn_body(body: bytes, task: str, url: str) -> Result[ReadPage, WebError]:
    """Do a task in JSON on the HTML of a page; the content of the answer is JSON."""
    try:
        wanted = _TASK_DECODER.decode(task)
    except msgspec.DecodeError:
        # The fork server converts an example page before its first fork.
        return Failure(ParseFailed(reason="corrupt", detail="there is no such task"))
    page = read_data_page(body, url, "text/html; charset=utf-8")
    if isinstance(page, Failure):
        return page
    answer: object
    if isinstance(wanted, ObserveTask):
        answer = observe_page(page.unwrap(), wanted.schema)
    else:
        answer = keep_reproduced(wanted.rules, page.unwrap(), wanted.example)
    return page.map(lambda _: ReadPage(title="", content=msgspec.json.encode(answer).decode()))
