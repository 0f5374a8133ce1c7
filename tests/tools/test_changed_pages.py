"""What is known of the rest of a page survives a plugin, and a plugin may change it."""

import asyncio
import json
from typing import Any

from returns.result import Success

from webseam.ports.backends import Served
from webseam.ports.pages import LeftOut, PagePart, PageReading
from webseam.ports.web import WebExtractResult
from webseam.testing import FakeBackend

from .bench import URL, Bench

READING = PageReading(
    view="rendered",
    complete=False,
    cuts=("page_chars",),
    left_out=(LeftOut(kind="comments", words=2),),
    notes=("removed 3 invisible characters",),
    parts=(PagePart(kind="comments", text="It leaks."),),
)


def changed_page(**changes: object) -> WebExtractResult:
    """Return the page of which a plugin changed fields of the JSON."""
    served = Served(answer={"url": URL, "content": "Boils fast."}, reading=READING)
    bench = Bench(FakeBackend(extract=lambda _: Success(served)))

    def change(**told: Any) -> str:
        envelope = json.loads(told["result"])
        envelope["data"]["results"][0] |= changes
        return json.dumps(envelope)

    bench.hears("transform_tool_result", change)
    page = asyncio.run(bench.tools.ask("web_extract", {"urls": [URL]})).outcome
    assert isinstance(page, WebExtractResult)
    return page


def test_page_facts_survive_a_change_of_the_content() -> None:
    page = changed_page(content="Boils.")

    assert page.content == "Boils."
    assert (page.view, page.complete, page.cuts) == ("rendered", False, ("page_chars",))
    assert page.left_out == (LeftOut(kind="comments", words=2),)
    assert page.notes == ("removed 3 invisible characters",)


def test_a_plugin_changes_what_is_known_of_the_rest() -> None:
    page = changed_page(
        complete=None, left_out=[{"kind": "menus", "words": 4}], notes=["masked"], cuts=[]
    )

    assert (page.complete, page.cuts, page.notes) == (None, (), ("masked",))
    assert page.left_out == (LeftOut(kind="menus", words=4),)


def test_a_change_that_is_no_value_of_its_field_is_the_plugins_failure() -> None:
    served = Served(answer={"url": URL, "content": "Boils fast."}, reading=READING)
    bench = Bench(FakeBackend(extract=lambda _: Success(served)))

    def change(**told: Any) -> str:
        envelope = json.loads(told["result"])
        envelope["data"]["results"][0]["complete"] = "perhaps"
        return json.dumps(envelope)

    failure = bench.hears("transform_tool_result", change).extract()["failure"]

    assert (failure["kind"], failure["plugin"]) == ("middleware_failed", "p")
