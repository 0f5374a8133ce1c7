import asyncio

import httpx
import pytest

from webseam.testing import ScriptedTransport, ScriptRanOut


def ask(transport: ScriptedTransport, path: str = "/", content: bytes = b"") -> httpx.Response:
    request = httpx.Request("POST", f"https://api.example{path}", content=content)
    return asyncio.run(transport.handle_async_request(request))


def test_each_request_gets_the_next_line_of_the_script() -> None:
    transport = ScriptedTransport([httpx.Response(200, text="one"), httpx.Response(404)])

    statuses = [ask(transport, path).status_code for path in ("/a", "/b")]

    assert statuses == [200, 404]
    assert [request.url.path for request in transport.requests] == ["/a", "/b"]


def test_an_exception_in_the_script_is_raised() -> None:
    transport = ScriptedTransport([httpx.ConnectError("refused"), httpx.ReadTimeout("late")])

    with pytest.raises(httpx.ConnectError):
        ask(transport)
    with pytest.raises(httpx.ReadTimeout):
        ask(transport)


def test_a_script_may_be_a_function_of_the_request() -> None:
    transport = ScriptedTransport(lambda request: httpx.Response(200, content=request.content))

    assert ask(transport, content=b"echo").content == b"echo"


def test_a_script_that_ran_out_says_which_request_has_no_answer() -> None:
    transport = ScriptedTransport([httpx.Response(200)])
    ask(transport)

    with pytest.raises(ScriptRanOut, match=r"no answer is left for POST https://api.example/late"):
        ask(transport, "/late")


def test_a_script_that_ran_out_is_caught_by_no_except_exception() -> None:
    assert not issubclass(ScriptRanOut, Exception)


def test_the_response_knows_its_request() -> None:
    assert ask(ScriptedTransport([httpx.Response(200)])).request.method == "POST"


def test_closing_is_remembered() -> None:
    transport = ScriptedTransport()

    asyncio.run(transport.aclose())

    assert transport.closed
