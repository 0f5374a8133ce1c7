"""What a fetch brings back, before anybody has read it."""

from collections.abc import Mapping

import msgspec


class Fetched(msgspec.Struct, frozen=True, kw_only=True):
    """A page's bytes, decompressed, and where they came from.

    ``url`` is as asked for; ``final_url`` is where the redirects led, after ``hops`` of them.
    ``content_type`` is the header as sent, blank when there was none; ``headers`` holds the few
    others that say something about the page.
    """

    url: str
    final_url: str
    status: int
    content_type: str
    headers: Mapping[str, str]
    body: bytes
    hops: int
