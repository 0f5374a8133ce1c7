"""A loopback server of the pages: ``/page/7`` is page 7.

Run as ``python -m benchmarks.bulk.server``: it prints its port, and stops when its input is closed.
"""

import asyncio

from benchmarks.server import Answer, serve

from .pages import NUMBER, make_pages

_HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/html; charset=utf-8\r\ncontent-length: %d\r\n\r\n"


def answers() -> Answer:
    """Return what answers: each page is made when it is asked for."""
    kinds = make_pages()

    def answer(path: bytes) -> bytes | None:
        number = path.removeprefix(b"/page/")
        if not number.isdigit():
            return None
        body = kinds[int(number) % len(kinds)].replace(NUMBER, number)
        return _HEAD % len(body) + body

    return answer


if __name__ == "__main__":
    asyncio.run(serve(answers()))
