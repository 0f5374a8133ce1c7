"""Names: asked in threads of their own, in time, with a typed answer when there is none."""

import asyncio
import socket
from collections.abc import Sequence

import pytest
from returns.result import Failure, Success

from webseam.adapters.pages.fetch.connect import find_addresses, system_resolve
from webseam.ports import DnsNotFound, DnsUnavailable

from .support import always, run


def test_the_system_is_asked_for_this_machines_own_name() -> None:
    assert "127.0.0.1" in run(_asked("localhost"))


async def _asked(host: str) -> Sequence[str]:
    return await system_resolve(host, 80)


def test_each_address_is_named_once() -> None:
    found = run(_asked("127.0.0.1"))

    assert list(found) == ["127.0.0.1"]


@pytest.mark.parametrize(
    ("raised", "error"),
    [
        (socket.gaierror(socket.EAI_NONAME, "x"), DnsNotFound(host="a.example")),
        (socket.gaierror(socket.EAI_AGAIN, "x"), DnsUnavailable(host="a.example")),
        (socket.gaierror(socket.EAI_FAIL, "x"), DnsUnavailable(host="a.example")),
        (UnicodeError("label too long"), DnsNotFound(host="a.example")),
        (OSError("x"), DnsUnavailable(host="a.example")),
    ],
)
def test_a_name_without_an_address_is_told_from_a_name_server_without_an_answer(
    raised: Exception, error: object
) -> None:
    async def fail(_host: str, _port: int) -> Sequence[str]:
        raise raised

    assert run(find_addresses(fail, "a.example", 80, 1.0)) == Failure(error)


def test_no_addresses_is_no_such_name() -> None:
    result = run(find_addresses(always(), "a.example", 80, 1.0))

    assert result == Failure(DnsNotFound(host="a.example"))


def test_a_name_server_that_hangs_is_given_up() -> None:
    async def hang(_host: str, _port: int) -> Sequence[str]:
        await asyncio.Event().wait()
        return ()

    result = run(find_addresses(hang, "a.example", 80, 0.01))

    assert result == Failure(DnsUnavailable(host="a.example"))


def test_an_answer_is_handed_on_as_it_is() -> None:
    result = run(find_addresses(always("1.1.1.1", "1.1.1.1"), "a.example", 80, 1.0))

    assert result == Success(("1.1.1.1", "1.1.1.1"))
