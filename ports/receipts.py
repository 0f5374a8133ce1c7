"""What really happened on a call that worked, as data."""

import msgspec


class SearchReceipt(msgspec.Struct, frozen=True, kw_only=True):
    """Which backend served, what it was asked, and what was changed on the way."""

    backend: str
    query: str
    asked_max_results: int | None
    max_results: int | None
    clamped: bool
    filters: tuple[str, ...]
    returned: int
    rejected: int
    trimmed: int


class ExtractReceipt(msgspec.Struct, frozen=True, kw_only=True):
    """Which backend served the page, where it ended up, and whether it was compressed."""

    backend: str
    url: str
    final_url: str
    characters: int
    compressed: bool
    compressed_characters: int | None
