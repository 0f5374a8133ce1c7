"""``webseam.search`` and its like: they block, raise, and share one loop in a thread."""

import asyncio
import os
import pickle
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from returns.result import Failure, Result, Success

import webseam
from webseam import AuthFailed, BlockingWeb, RateLimited, WebError, WebseamError
from webseam.testing import FakeBackend

ROWS = [{"title": "Tides", "url": "https://tides.example/"}]
URL = "https://tides.example/page"


@pytest.fixture(autouse=True)
def _own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)


def opened(**parts: object) -> BlockingWeb:
    return webseam.open_blocking(backend=FakeBackend(**parts))  # type: ignore[arg-type]


def test_a_search_returns_the_outcome_itself() -> None:
    with opened(rows=ROWS) as web:
        assert [row.url for row in web.search("tide tables").rows] == ["https://tides.example/"]


def test_pages_and_their_rest() -> None:
    with opened(document="word " * 1000) as web:
        page = web.extract(URL, char_limit=100)

        assert page.receipt.handle is not None
        assert web.more(page.receipt.handle, char_limit=20).text.startswith("word word")


def test_a_failure_is_raised_with_its_message_its_remedy_and_itself() -> None:
    error = AuthFailed(status=401, backend="brave")

    with opened(search=Failure(error)) as web, pytest.raises(WebseamError) as raised:
        web.search("q")

    assert raised.value.error == error
    assert str(raised.value) == (
        "brave refused the key (401).\n"
        "`webseam setup brave` tries another key; `webseam doctor brave` shows where the key is from."
    )


def test_an_error_survives_the_way_to_another_process() -> None:
    error = WebseamError(RateLimited(retry_after=2.0))

    assert pickle.loads(pickle.dumps(error)).error == error.error  # noqa: S301  our own


def test_it_works_inside_a_running_loop() -> None:
    async def notebook() -> int:
        with opened(rows=ROWS) as web:
            return len(web.search("q").rows)

    assert asyncio.run(notebook()) == 1


def test_it_works_from_many_threads_at_once() -> None:
    with opened(rows=ROWS) as web, ThreadPoolExecutor(16) as pool:
        result = list(pool.map(lambda number: web.search(f"q{number}").rows[0].title, range(100)))

    assert result == ["Tides"] * 100


def test_a_client_that_was_closed_opens_again() -> None:
    web = opened(rows=ROWS)
    web.search("q")

    web.close()

    assert len(web.search("q").rows) == 1
    web.close()
    web.close()


def test_a_key_that_is_set_later_counts_from_the_next_call_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("WEBSEAM_KEYLESS", "false")
    with webseam.open_blocking() as web:
        with pytest.raises(WebseamError) as raised:
            web.search("q")
        monkeypatch.setenv("WEBSEAM_BACKEND", "nobody")
        with pytest.raises(WebseamError) as again:
            web.search("q")

    assert raised.value.error.kind == "not_configured"
    assert again.value.error.kind == "unknown_backend"


def test_a_call_from_the_loop_itself_is_refused_instead_of_waiting_for_ever() -> None:
    web = opened(rows=ROWS)

    def ask(_query: object) -> Result[object, WebError]:
        web.extract(URL)
        return Success([])

    with opened(search=ask) as outer, pytest.raises(WebseamError) as raised:
        outer.search("q")

    assert raised.value.error.kind == "backend_crashed"


def test_the_json_of_a_tool_can_be_had_too() -> None:
    with opened(rows=ROWS) as web:
        assert '"success":true' in web.call("web_search", {"query": "q"})

        assert '"success":true' in asyncio.run(web.acall("web_search", {"query": "q"}))


def test_cancelled_waiter_cancels_its_call() -> None:
    begun, ended = threading.Event(), threading.Event()

    async def ask(_query: object) -> Result[object, WebError]:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()
        return Success([])

    async def give_up(web: BlockingWeb) -> None:
        task = asyncio.create_task(web.acall("web_search", {"query": "q"}))
        await asyncio.to_thread(begun.wait, 30)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    with opened(search=ask) as web:
        asyncio.run(give_up(web))

        assert ended.wait(30)


SCRIPT = """
import os, sys
import webseam
from webseam.testing import FakeBackend
web = webseam.open_blocking(backend=FakeBackend(rows=[{"title": "T", "url": "https://a.example/"}]))
print(len(web.search("q").rows), flush=True)
"""
FORK = (
    SCRIPT
    + """
child = os.fork()
if child == 0:
    print(len(web.search("again").rows), flush=True)
    web.close()
    sys.exit(0)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
print(len(web.search("still").rows), flush=True)
"""
)


def script(text: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", text],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env=dict(os.environ),
    )


def test_a_script_that_closes_nothing_ends_cleanly() -> None:
    done = script(SCRIPT)

    assert (done.returncode, done.stdout, done.stderr) == (0, "1\n", "")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="Windows does not fork")
def test_a_forked_process_has_a_loop_of_its_own() -> None:
    done = script(FORK)

    assert (done.returncode, done.stdout.split()) == (0, ["1", "1", "0", "1"]), done.stderr
