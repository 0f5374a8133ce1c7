import socket

import pytest

from webseam.testing import loopback_only


@pytest.mark.parametrize("host", ["192.0.2.1", "10.0.0.1", "169.254.169.254", "0.0.0.0"])  # noqa: S104
def test_a_connection_that_leaves_this_machine_is_refused_and_remembered(host: str) -> None:
    with loopback_only() as tried, socket.socket() as client, pytest.raises(OSError, match="only"):
        client.connect((host, 80))

    assert tried == [(host, 80)]


def test_a_datagram_that_leaves_this_machine_is_refused_too() -> None:
    with (
        loopback_only() as tried,
        socket.socket(type=socket.SOCK_DGRAM) as client,
        pytest.raises(OSError, match="only"),
    ):
        client.sendto(b"x", ("192.0.2.1", 53))

    assert tried == [("192.0.2.1", 53)]


@pytest.mark.parametrize("name", ["example.com", b"example.com"])
def test_no_name_is_looked_up(name: str | bytes) -> None:
    with loopback_only() as tried, pytest.raises(socket.gaierror):
        socket.getaddrinfo(name, 443)

    assert tried == [("example.com", 443)]


def test_the_older_look_up_is_refused_as_well() -> None:
    with loopback_only() as tried, pytest.raises(socket.gaierror):
        socket.gethostbyname("example.com")

    assert tried == [("example.com", 0)]


@pytest.mark.parametrize("host", ["127.0.0.1", "127.9.9.9", "localhost"])
def test_this_machine_may_be_reached(host: str) -> None:
    with socket.socket() as server:
        server.bind(("", 0))
        server.listen()
        port = server.getsockname()[1]

        with loopback_only() as tried:
            socket.create_connection((host, port), timeout=60).close()

    assert tried == []


def test_an_address_needs_no_look_up_and_a_missing_host_is_this_machine() -> None:
    with loopback_only() as tried:
        socket.getaddrinfo("192.0.2.1", 80)
        socket.getaddrinfo(None, 80)

    assert tried == []


def test_a_mapped_loopback_address_is_this_machine() -> None:
    with loopback_only() as tried, socket.socket(socket.AF_INET6) as client:
        client.settimeout(2)
        client.connect_ex(("::ffff:127.0.0.1", 1))

    assert tried == []


def test_a_local_socket_that_is_no_internet_address_is_left_alone() -> None:
    with (
        loopback_only() as tried,
        socket.socket(socket.AF_UNIX) as client,
        pytest.raises(FileNotFoundError),
    ):
        client.connect("no-such-socket")

    assert tried == []


def test_the_innermost_guard_remembers() -> None:
    with loopback_only() as outer:
        with loopback_only() as inner, pytest.raises(socket.gaierror):
            socket.getaddrinfo("a.example", 1)
        with pytest.raises(socket.gaierror):
            socket.getaddrinfo("b.example", 2)

    assert (outer, inner) == ([("b.example", 2)], [("a.example", 1)])
