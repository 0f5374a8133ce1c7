"""``web_more``: parts that were left out of a page, and words in all of it."""

import asyncio
import json
from typing import Any

import pytest
from returns.result import Failure, Success

from webseam.composition.features.testing.clients import FakeTexts
from webseam.composition.session import Session
from webseam.composition.tools import Tools
from webseam.composition.tools.web_tools import extract_tool, more_tool
from webseam.kernel import Policy, WebDeps, web_extract
from webseam.kernel.envelopes import found_envelope
from webseam.kernel.pages.find import find_in_page, unread_found
from webseam.kernel.pages.page_budget import read_page_piece, web_find, web_more
from webseam.kernel.pages.page_record import PageRecord, PageSource, write_page_record
from webseam.kernel.text.trim import Budget
from webseam.ports import Hook
from webseam.ports.backends import Served
from webseam.ports.errors import EmptyContent, InvalidQuery, NotConfigured, WebError
from webseam.ports.found import Found, FoundPassage
from webseam.ports.middleware import Callbacks
from webseam.ports.pages import LeftOut, PagePart, PageReading, PartName
from webseam.testing import FakeBackend

URL = "https://shop.example/kettle"
READING = PageReading(
    view="as sent",
    complete=True,
    left_out=(
        LeftOut(kind="comments", words=4),
        LeftOut(kind="copies", words=9),
        LeftOut(kind="walled", words=1),
    ),
    parts=(PagePart(kind="comments", text="Mine leaks a bit."),),
)
RECORD = PageRecord(
    source=PageSource(url=URL, final_url=URL), content="Boils fast.", reading=READING
)


def tools(session: Session | None = None) -> Tools:
    texts = FakeTexts()
    texts.texts["h"] = write_page_record(RECORD)
    deps = Success(WebDeps(backend=FakeBackend(), texts=texts))
    return Tools((extract_tool(deps), more_tool(deps)), session or Session())


def call(box: Tools, **args: object) -> dict[str, Any]:
    envelope: dict[str, Any] = json.loads(asyncio.run(box.call("web_more", args)))
    return envelope


def allow(_source: PageSource) -> WebError | None:
    return None


def test_a_tool_gives_a_part_and_finds_words() -> None:
    assert call(tools(), handle="h", part="comments")["data"]["text"] == "Mine leaks a bit."
    data = call(tools(), handle="h", find="leaks")["data"]
    assert (data["status"], data["passages"][0]["part"]) == ("found", "comments")


@pytest.mark.parametrize(
    ("args", "field"),
    [
        ({"part": "hidden"}, "part"),
        ({"part": "walled"}, "part"),
        ({"part": "menus", "find": "x"}, "part"),
        ({"cursor": 3, "find": "x"}, "cursor"),
        ({"find": " "}, "find"),
        ({"find": "x", "max_passages": 51}, "max_passages"),
    ],
)
def test_part_that_a_tool_does_not_give_is_refused(args: dict[str, object], field: str) -> None:
    assert call(tools(), handle="h", **args)["failure"]["field"] == field


@pytest.mark.parametrize(
    ("part", "reason"),
    [
        ("walled", "is not kept; extract_walled or --walled reads it as content"),
        ("copies", "is too long to be kept"),
        ("menus", "is empty: nothing of the page was left out as menus"),
    ],
)
def test_a_part_that_is_not_kept_says_why(part: PartName, reason: str) -> None:
    refused = read_page_piece(RECORD, 0, Budget(), part)
    assert refused == Failure(InvalidQuery(field="part", reason=reason))


def test_nobody_knows_the_parts_of_a_page_that_another_service_read() -> None:
    record = PageRecord(source=RECORD.source, content="Boils fast.")

    refused = read_page_piece(record, 0, Budget(), "comments")

    assert isinstance(refused, Failure)
    assert "does not say what it left out" in refused.failure().message
    assert isinstance(read_page_piece(RECORD, 12, Budget()), Failure)


def test_a_search_in_a_page_that_is_not_kept_is_unknown() -> None:
    texts = FakeTexts()

    expired = asyncio.run(web_find("gone", "leaks", 10, texts, allow))

    assert expired.unwrap().reason == "expired"
    assert isinstance(asyncio.run(web_find(7, "leaks", 10, texts, allow)), Failure)
    assert isinstance(asyncio.run(web_find("gone", 7, 10, texts, allow)), Failure)
    assert isinstance(asyncio.run(web_more(7, 0, Budget(), texts, allow)), Failure)
    assert found_envelope(Failure(NotConfigured(reason="x")))["success"] is False


def test_a_page_of_a_denied_domain_is_not_looked_through() -> None:
    texts = FakeTexts()
    texts.texts["h"] = write_page_record(RECORD)
    policy = Policy(deny_domains=("shop.example",))
    deps = Success(WebDeps(backend=FakeBackend(), texts=texts, policy=policy))

    refused = call(Tools((more_tool(deps),), Session()), handle="h", find="leaks")

    assert refused["failure"]["kind"] == "url_denied"


def test_parts_that_are_too_long_together_are_named() -> None:
    reading = PageReading(
        complete=True,
        left_out=(LeftOut(kind="menus", words=1), LeftOut(kind="comments", words=1)),
        parts=(
            PagePart(kind="menus", text="x" * 4_000_001),
            PagePart(kind="comments", text="Mine leaks."),
        ),
    )
    served = Served(answer={"url": URL, "content": "Boils."}, reading=reading)
    deps = WebDeps(backend=FakeBackend(extract=lambda _: Success(served)), texts=FakeTexts())

    page = asyncio.run(web_extract(URL, deps)).unwrap()

    assert page.receipt.warnings == ("Too long to keep: the menus of the page.",)
    assert [entry.handle for entry in page.left_out or ()] == [None, page.receipt.handle]


def test_words_are_looked_for_in_a_page_that_is_here() -> None:
    served = Served(answer={"url": URL, "content": "Boils fast."}, reading=READING)
    deps = WebDeps(backend=FakeBackend(extract=lambda _: Success(served)))
    page = asyncio.run(web_extract(URL, deps)).unwrap()

    assert find_in_page(page, "boils").unwrap().status == "found"
    assert find_in_page(page, "leaks").unwrap().reason == "wall"
    shell = unread_found(EmptyContent(reason="needs_browser"), "leaks", URL)
    assert shell.unwrap().reason == "shell"
    assert isinstance(unread_found(EmptyContent(), "leaks", URL), Failure)


def test_a_plugin_changes_what_was_found_within_its_shape() -> None:
    def change(**told: Any) -> str:
        envelope = json.loads(told["result"])
        envelope["data"] |= changes
        return json.dumps(envelope)

    hook = Hook(name="transform_tool_result", callback=change, plugin="p")
    session = Session(callbacks=Callbacks(hooks=(hook,)))
    changes: dict[str, object] = {"passages": [], "total": 0}
    changed = asyncio.run(tools(session).ask("web_more", {"handle": "h", "find": "leaks"}))
    changes = {"status": "perhaps"}
    broken = call(tools(session), handle="h", find="leaks")

    assert isinstance(changed.outcome, Found)
    assert (changed.outcome.passages, changed.outcome.total) == ((), 0)
    assert broken["failure"]["kind"] == "middleware_failed"


def test_a_found_text_shows_its_passages_and_the_command_that_renders() -> None:
    passage = FoundPassage(part="content", offset=3, text="Boils\u200b fast.")
    found = Found(status="apart", asked="boils", passages=(passage,), render="webseam extract x")

    assert str(found) == (
        "Every word stands in this page, but no block has all of them.\n\n"
        "[content, 3] Boils fast.\n\n"
        "No script ran. To look at what a browser shows: webseam extract x"
    )
    assert Found(status="unknown", asked="x").sentence == "Unknown whether it stands in this page."
