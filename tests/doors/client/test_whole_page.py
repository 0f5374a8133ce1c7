"""``more`` and ``find`` from Python: what was left out of a page, and whether words stand in it."""

import asyncio

import pytest
from returns.result import Failure, Success

from webseam import BlockingWeb, WebseamError
from webseam.composition.features.testing.clients import fake_blocking_web, fake_web
from webseam.ports.backends import Served
from webseam.ports.errors import EmptyContent, InvalidQuery
from webseam.ports.pages import LeftOut, LeftOutKind, PagePart, PageReading
from webseam.testing import FakeBackend

URL = "https://shop.example/kettle"
READING = PageReading(
    view="as sent",
    content_type="text/html",
    complete=True,
    left_out=(
        LeftOut(kind="comments", words=4),
        LeftOut(kind="hidden", words=2),
        LeftOut(kind="walled", words=3),
    ),
    parts=(
        PagePart(kind="comments", text="Mine leaks a bit."),
        PagePart(kind="hidden", text="secret words"),
        PagePart(kind="walled", text="only for subscribers"),
    ),
)


def shop(reading: PageReading | None = READING, content: str = "Boils fast.") -> FakeBackend:
    page = {"url": URL, "title": "Kettle", "content": content}
    return FakeBackend(extract=lambda _: Success(Served(answer=page, reading=reading)))


@pytest.fixture
def web() -> BlockingWeb:
    return fake_blocking_web(shop())


def test_a_page_says_what_is_known_of_its_rest(web: BlockingWeb) -> None:
    page = web.extract(URL)

    assert (page.complete, page.cuts, page.view) == (True, (), "as sent")
    assert page.left_out is not None
    assert [(entry.kind, entry.handle is not None) for entry in page.left_out] == [
        ("comments", True),
        ("hidden", True),
        ("walled", False),
    ]
    assert "[Left out: comments (4 words), hidden (2 words), walled (3 words).]" in str(page)


def test_a_part_is_read_by_the_page_or_its_handle(web: BlockingWeb) -> None:
    page = web.extract(URL)

    assert web.more(page, part="comments").text == "Mine leaks a bit."
    assert web.more(page.receipt.handle or "", part="comments", cursor=5).text == "leaks a bit."
    assert web.more(page).text == "Boils fast."


def test_hidden_text_is_read_where_it_is_named(web: BlockingWeb) -> None:
    page = web.extract(URL)

    assert web.more(page, part="hidden").text == "secret words"


@pytest.mark.parametrize(
    ("part", "reason"),
    [
        ("walled", "--walled"),
        ("menus", "nothing of the page was left out"),
        ("x", "must be one of"),
    ],
)
def test_a_part_that_is_not_kept_is_refused_with_the_reason(
    web: BlockingWeb, part: LeftOutKind, reason: str
) -> None:
    page = web.extract(URL)

    with pytest.raises(WebseamError) as raised:
        web.more(page, part=part)

    assert isinstance(raised.value.error, InvalidQuery)
    assert raised.value.error.field == "part"
    assert reason in raised.value.error.reason


def test_a_page_of_which_nothing_is_kept_has_no_more() -> None:
    web = fake_blocking_web(shop(PageReading()))
    page = web.extract(URL)

    assert (page.complete, page.left_out, page.view) == (None, None, None)
    for wrong in (page, 7):
        with pytest.raises(WebseamError) as raised:
            web.more(wrong)  # type: ignore[arg-type]
        assert isinstance(raised.value.error, InvalidQuery)


def test_words_are_found_by_page_by_handle_and_by_address(web: BlockingWeb) -> None:
    page = web.extract(URL)

    found = web.find(page, "leaks")

    assert (found.status, found.passages[0].part) == ("found", "comments")
    assert web.find(page.receipt.handle or "", "leaks") == found
    assert web.find(URL, "leaks") == found
    assert web.find(page, "warranty").reason == "wall"


def test_words_of_another_service_s_page_are_unknown_if_they_are_not_seen() -> None:
    web = fake_blocking_web(shop(PageReading()))

    assert web.find(URL, "boils").status == "found"
    assert web.find(URL, "leaks").reason == "other_reader"


def test_a_page_that_was_cut_and_not_kept_is_looked_through_as_far_as_it_is_here(
    web: BlockingWeb,
) -> None:
    page = web.extract(URL)
    elsewhere = fake_blocking_web(shop())

    assert elsewhere.find(page, "boils").status == "found"
    assert elsewhere.find(page, "leaks").reason == "expired"
    assert elsewhere.find("text-9", "leaks").reason == "expired"


def test_a_shell_for_a_script_is_unknown_and_another_failure_is_one() -> None:
    shell = fake_blocking_web(FakeBackend(extract=Failure(EmptyContent(reason="needs_browser"))))
    empty = fake_blocking_web(FakeBackend(extract=Failure(EmptyContent(reason="soft_404"))))

    found = shell.find(URL, "kettle")

    assert (found.status, found.reason) == ("unknown", "shell")
    assert found.render == f"webseam extract {URL} --render always --find kettle"
    with pytest.raises(WebseamError):
        empty.find(URL, "kettle")


def test_async_calls_return_results() -> None:
    async def ask() -> None:
        async with fake_web(shop()) as web:
            page = (await web.extract(URL)).unwrap()
            assert (await web.more(page, part="comments")).unwrap().text == "Mine leaks a bit."
            assert (await web.find(page, "leaks")).unwrap().status == "found"
            assert isinstance(await web.find(page, " "), Failure)
            assert isinstance(await web.find(7, "leaks"), Failure)  # type: ignore[arg-type]
            assert isinstance(await web.more("gone", part="hidden"), Failure)

    asyncio.run(ask())
