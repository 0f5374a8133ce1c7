"""What Python people try first: loops, lengths, dicts, prints, notebooks, and options by other names."""

import asyncio
import pydoc
import traceback

import pytest
from returns.result import Failure, Success

import webseam
from webseam import AuthFailed, BlockingWeb, DeadlineExceeded, InvalidQuery, WebseamError
from webseam.composition.doors.client.web import PageOptions, QuestionOptions, SearchOptions
from webseam.kernel.laws.field_checks import guess_field
from webseam.testing import FakeBackend, fake_blocking_web, fake_web

ROWS = [{"title": "Tides", "url": "https://tides.example/"}]
URL = "https://tides.example/page"


def opened(**parts: object) -> BlockingWeb:
    return fake_blocking_web(FakeBackend(**parts))  # type: ignore[arg-type]


def test_a_call_may_name_its_backend_its_route_and_its_time() -> None:
    other = FakeBackend(rows=[{"title": "Other", "url": "https://o.example/"}], document="Other.")
    with opened(rows=ROWS, document="A page.") as web:
        assert web.search("q", backend=other)[0].title == "Other"
        assert web.search("q", timeout=5)[0].title == "Tides"
        assert web.extract(URL, backend=other).content == "Other."
        for options, field in (
            ({"backend": "nobody-here"}, None),
            ({"route": ["nobody-here"]}, None),
            ({"backend": other, "route": ["brave"]}, "route"),
            ({"route": 3}, "route"),
            ({"timeout": 0}, "timeout"),
            ({"timeout": "5"}, "timeout"),
            ({"max_age": -1}, "max_age"),
            ({"max_age": "1h"}, "max_age"),
        ):
            with pytest.raises(WebseamError) as raised:
                web.search("q", **options)
            assert getattr(raised.value.error, "field", None) == field, options


def test_a_call_that_takes_too_long_fails_typed() -> None:
    async def forever(_: object) -> object:
        await asyncio.Event().wait()
        return Success(())

    with opened(search=forever) as web, pytest.raises(WebseamError) as raised:
        web.search("q", timeout=0.01)

    assert isinstance(raised.value.error, DeadlineExceeded)


def test_a_question_takes_the_same_options() -> None:
    other = FakeBackend(rows=ROWS, document="The tide at Brest rises seven metres at springs.")
    question = "How many metres does the tide at Brest rise at springs?"
    with opened(rows=[]) as web:
        assert "seven metres" in web.ask(question, backend=other, timeout=60).text
        with pytest.raises(WebseamError, match="mean max_pages"):
            web.ask(question, max_page=3)  # type: ignore[call-arg]


def test_several_pages_come_with_a_result_for_each() -> None:
    bad = "http://10.0.0.1/"
    with opened(document="A page.") as web:
        first, refused, last = web.extract_many([URL, bad, URL])

    assert isinstance(first, webseam.WebExtractResult)
    assert isinstance(last, webseam.WebExtractResult)
    assert last.content == first.content
    assert "read once" in last.receipt.warnings[0]
    assert isinstance(refused, WebseamError)
    assert refused.error.kind == "url_blocked" or refused.error.url == bad


def test_a_list_for_one_page_is_pointed_to_the_call_for_many() -> None:
    with opened(document="A page.") as web, pytest.raises(WebseamError, match="extract_many"):
        web.extract([URL, URL])  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("limit", "max_results"),
        ("num_results", "max_results"),
        ("site", "include_domains"),
        ("engine", "backend"),
        ("max_result", "max_results"),
        ("time_out", "timeout"),
    ],
)
def test_an_option_of_another_library_is_guessed(name: str, meant: str) -> None:
    with opened(rows=ROWS) as web, pytest.raises(WebseamError, match=f"mean {meant}") as raised:
        web.search("q", **{name: 3})  # type: ignore[arg-type]

    assert isinstance(raised.value.error, InvalidQuery)
    assert raised.value.error.field == name


@pytest.mark.parametrize("options", [SearchOptions, PageOptions, QuestionOptions])
def test_every_option_is_guessed_from_a_slip_and_none_from_noise(options: type) -> None:
    names = frozenset(options.__annotations__)

    assert {guess_field(f"{name}{name[-1]}", names) for name in names} == names
    assert guess_field("zzzz", names) is None


def test_an_unknown_option_lists_the_known_ones() -> None:
    with opened(document="x") as web, pytest.raises(WebseamError, match="char_limit"):
        web.extract(URL, colour="red")  # type: ignore[call-arg]


def test_an_error_is_raised_by_its_public_name_without_inner_frames() -> None:
    refused = Failure(AuthFailed(status=401, backend="brave"))
    with opened(search=refused) as web, pytest.raises(webseam.WebseamError) as caught:
        web.search("q")
    raised = caught.value

    frames = [frame.filename for frame in traceback.extract_tb(raised.__traceback__)]
    assert frames[0] == __file__
    assert len(frames) == 2
    assert traceback.format_exception_only(raised)[0].startswith("webseam.WebseamError: brave")
    assert raised.__context__ is None


def test_a_plain_with_says_async_with() -> None:
    with pytest.raises(TypeError, match="async with"), webseam.open():
        pass  # pragma: no cover


def test_asking_has_one_name_and_the_old_ones_warn() -> None:
    async def ask() -> tuple[type, type]:
        async with fake_web(FakeBackend(rows=ROWS)) as web:
            with pytest.warns(DeprecationWarning, match="use ask"):
                old = await web.answer("How high is the water?")
            return type(old), type(await web.ask("How high is the water?"))

    old, new = asyncio.run(ask())
    assert old is new


def test_help_is_short_and_begins_with_search() -> None:
    text = pydoc.plain(pydoc.render_doc(webseam))

    assert text.index("webseam.search") < text.index("CLASSES")
    assert len(text.splitlines()) < 250
    for name in ("search", "extract", "extract_many", "ask", "more", "open_blocking"):
        assert f"    {name}(" in text
