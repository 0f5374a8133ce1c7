import asyncio
import subprocess
import sys

import pytest
from returns.result import Failure, Success

from webseam import WebDeps
from webseam.ports import (
    ChatRequest,
    ConnectFailed,
    UnsupportedCapability,
    WebError,
    WebSearchQuery,
    XSearchRequest,
)
from webseam.testing import (
    FakeBackend,
    FakeClock,
    FakeCompressor,
    FakeModel,
    FakeResults,
    FakeXSearch,
)

ROW = {"title": "T", "url": "https://example.com/"}
QUERY = WebSearchQuery(query="q")
URL = "https://example.com/page"


def test_a_fake_backend_hands_over_its_rows_and_remembers_the_query() -> None:
    backend = FakeBackend([ROW])

    outcome = asyncio.run(backend.search(QUERY))

    assert outcome == Success([ROW])
    assert backend.searched == [QUERY]


def test_a_fake_backend_hands_over_its_document_as_it_is() -> None:
    page = {"url": "https://example.com/other", "content": "text"}
    backend = FakeBackend(document=page)

    result = asyncio.run(backend.extract(URL))

    assert result == Success(page)
    assert backend.extracted == [URL]


def test_a_document_that_is_plain_text_is_for_whatever_page_is_asked() -> None:
    page = asyncio.run(FakeBackend(document="text").extract(URL))

    assert page == Success({"url": URL, "content": "text"})


def test_a_fake_backend_without_a_document_cannot_extract() -> None:
    page = asyncio.run(FakeBackend(name="mine").extract(URL))

    assert page == Failure(UnsupportedCapability(capability="extract", backend="mine"))


def test_an_explicit_result_stands_in_place_of_the_data() -> None:
    down = Failure(ConnectFailed())
    backend = FakeBackend([ROW], "text", search=down, extract=down)

    assert asyncio.run(backend.search(QUERY)) == down
    assert asyncio.run(backend.extract(URL)) == down


def test_an_answer_may_be_a_function_of_what_was_asked() -> None:
    async def read(url: str) -> Success[dict[str, str]]:
        return Success({"url": url, "content": "read"})

    backend = FakeBackend(search=lambda query: Success([query.query]), extract=read)

    assert asyncio.run(backend.search(QUERY)) == Success(["q"])
    assert asyncio.run(backend.extract(URL)) == Success({"url": URL, "content": "read"})


def test_an_answer_may_be_no_result_at_all() -> None:
    outcome: object = asyncio.run(FakeBackend(search="garbage").search(QUERY))

    assert outcome == "garbage"


@pytest.mark.parametrize("raises", [OSError, OSError("down")])
def test_a_fake_backend_raises_what_it_is_told_to_after_remembering(
    raises: OSError | type[OSError],
) -> None:
    backend = FakeBackend(raises=raises)

    with pytest.raises(OSError):  # noqa: PT011  a bare class has no words to match
        asyncio.run(backend.search(QUERY))
    with pytest.raises(OSError):  # noqa: PT011
        asyncio.run(backend.extract(URL))

    assert (backend.searched, backend.extracted) == ([QUERY], [URL])


def test_a_fake_compressor_says_its_text_and_remembers_the_call() -> None:
    compressor = FakeCompressor("brief")

    text = asyncio.run(compressor("long text", "be brief"))

    assert text == Success("brief")
    assert compressor.calls == [("long text", "be brief")]


def test_a_fake_compressor_gives_an_explicit_result_or_calls_a_function() -> None:
    down = Failure(ConnectFailed())

    assert asyncio.run(FakeCompressor(answer=down)("a", "b")) == down
    assert asyncio.run(FakeCompressor(answer=lambda text, _: Success(text[:1]))("abc", "")) == (
        Success("a")
    )


def test_a_fake_compressor_raises_what_it_is_told_to() -> None:
    with pytest.raises(ValueError, match="broken"):
        asyncio.run(FakeCompressor(raises=ValueError("broken"))("a", "b"))


def test_a_fake_clock_stands_still_until_it_is_moved() -> None:
    clock = FakeClock(10.0)

    before, again = clock(), clock()
    clock.advance(1.5)

    assert (before, again, clock()) == (10.0, 10.0, 11.5)


def test_a_failure_in_place_of_data_is_the_answer_of_every_fake() -> None:
    down: Failure[WebError] = Failure(ConnectFailed())
    backend, request = FakeBackend(down, down), ChatRequest(model="m", messages=())

    assert asyncio.run(FakeCompressor(down)("a", "b")) == down
    assert asyncio.run(backend.search(QUERY)) == asyncio.run(backend.extract(URL)) == down
    assert asyncio.run(FakeModel(down).complete(request)) == down
    assert asyncio.run(FakeXSearch(down).x_search(XSearchRequest(query="q"))) == down


def test_results_come_without_an_event_loop() -> None:
    rows = [{"title": "A", "url": "https://a.example/"}]
    fake = FakeResults(rows, "A page.")
    waiting = FakeResults(deps=WebDeps(backend=FakeBackend(search=lambda _: asyncio.sleep(0))))

    assert fake.search("q").unwrap().rows[0].url == "https://a.example/"
    assert fake.extract(URL).unwrap().content == "A page."
    with pytest.raises(RuntimeError, match="waits"):
        waiting.search("q")


def test_an_injected_transport_needs_none_of_the_packages_of_ours() -> None:
    program = """
import sys, httpx
from webseam import check_row, json_backend
from webseam.testing import FakeResults, ScriptedTransport
transport = ScriptedTransport([httpx.Response(200, json={"results": []})])
json_backend(search_url="https://api.example/", transport=transport).unwrap()
found = FakeResults([{"title": "A", "url": "https://a.example/"}]).search("q").unwrap()
check_row(found.rows[0]).unwrap()
tops = {name.partition(".")[0] for name in sys.modules} - set(sys.stdlib_module_names)
print(*sorted(tops & {"httptools", "yaml", "platformdirs", "jsonschema_rs", "turbohtml"}))
"""
    ran = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, check=False, text=True
    )

    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "\n", "")
