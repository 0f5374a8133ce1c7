"""What may be a citation: an address, and what was said about it in that place."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal, TypeAlias

import msgspec

from ....values.field_values import first
from ....values.json_values import as_list, as_mapping, as_objects, text

# Where it stood. ``results`` are what was found, ``links`` what the prose points to.
Tier: TypeAlias = Literal["results", "annotations", "citations", "sources", "links"]

_URLS = ("url", "uri", "link", "href", "source_url")
_TITLES = ("title", "name")
SNIPPETS = ("snippet", "cited_text", "content", "text", "description")
_DATES = (
    "date",
    "published_date",
    "publishedDate",
    "publish_date",
    "published_at",
    "page_age",
    "last_updated",
)
# Some wrap the page in an object of its own.
_WRAPPERS = ("url_citation", "web", "source", "document")


class CitationCandidate(msgspec.Struct, frozen=True, kw_only=True):
    """One mention of a page. ``url`` is as it was written, and may be anything.

    ``snippet`` is what the page says, ``claim`` what the answer says on its ground.
    """

    tier: Tier
    url: str
    title: str = ""
    snippet: str = ""
    claim: str = ""
    published: object = None


def read_candidate(
    entry: object, tier: Tier, *, claim: str = "", snippets: Sequence[str] = SNIPPETS
) -> CitationCandidate | None:
    """Read one entry: an object or a bare address. None if it is about something else.

    What has a kind or sources of its own, and no address, is no broken citation: it is a place in a
    file, or its sources are read by themselves.
    """
    if isinstance(entry, str):
        return CitationCandidate(tier=tier, url=entry.strip(), claim=claim)
    fields = _unwrapped(as_mapping(entry))
    url = first(*(fields.get(name) for name in _URLS)).strip()
    if not url and ("type" in fields or "sources" in fields):
        return None
    return CitationCandidate(
        tier=tier,
        url=url,
        title=first(*(fields.get(name) for name in _TITLES)),
        snippet=first(*(fields.get(name) for name in snippets), _texts(fields)),
        claim=claim,
        published=next((fields[name] for name in _DATES if fields.get(name)), None),
    )


def read_candidates(entries: Iterable[object], tier: Tier) -> Iterator[CitationCandidate]:
    """Read entries one by one; a list among them is read like the list it is in."""
    for entry in entries:
        if isinstance(entry, list | tuple):
            yield from read_candidates(_not_lists(entry), tier)
        elif (one := read_candidate(entry, tier)) is not None:
            yield one


def list_entries(value: object) -> Sequence[object]:
    """Return the entries of a list; a bare address counts as one."""
    return (value,) if isinstance(value, str) else as_list(value)


def _not_lists(entries: Iterable[object]) -> list[object]:
    """Return what is no list: one level is what a gateway was seen to add, and enough."""
    return [entry for entry in entries if not isinstance(entry, list | tuple)]


def _unwrapped(entry: Mapping[str, object]) -> Mapping[str, object]:
    if any(entry.get(name) for name in _URLS):
        return entry
    inner = next((as_mapping(entry[name]) for name in _WRAPPERS if as_mapping(entry.get(name))), {})
    return {**entry, **inner}


def _texts(entry: Mapping[str, object]) -> str:
    """Return the passages of a page that came in parts: Bedrock's, and lists of extracts."""
    parts = as_objects(entry.get("sourceContent"))
    extracts = (each for each in as_list(entry.get("snippets")) if isinstance(each, str))
    return " ".join([*(text(part.get("text")) for part in parts), *extracts])
