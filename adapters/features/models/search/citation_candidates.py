"""Candidates for citations: a URL, and the facts about the page beside it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal, TypeAlias

import msgspec

from webseam.adapters.values.field_values import first
from webseam.adapters.values.json_values import as_list, as_mapping, as_objects, text

# Where it was found: ``results`` are search results, ``links`` are links in the prose.
Tier: TypeAlias = Literal["results", "annotations", "citations", "sources", "links"]

_URL_FIELDS = ("url", "uri", "link", "href", "source_url")
_TITLE_FIELDS = ("title", "name")
SNIPPET_FIELDS = ("snippet", "cited_text", "content", "text", "description")
# Not Anthropic's ``page_age``: it says when a site was updated, not when a page was published.
_DATE_FIELDS = ("date", "published_date", "publishedDate", "publish_date", "published_at")
# Some APIs wrap the page in one of these objects.
_WRAPPER_FIELDS = ("url_citation", "web", "source", "document")


class CitationCandidate(msgspec.Struct, frozen=True, kw_only=True):
    """One mention of a page. ``url`` is unchecked text.

    ``snippet`` is text of the page, ``claim`` is the text of the answer that cites it.
    """

    tier: Tier
    url: str
    title: str = ""
    snippet: str = ""
    claim: str = ""
    published: object = None


def read_citation(
    entry: object, tier: Tier, *, claim: str = "", snippets: Sequence[str] = SNIPPET_FIELDS
) -> CitationCandidate | None:
    """Read one entry, an object or a bare URL; None if it is not a citation.

    An entry with a type or sources and without a URL is a place in a file, or its sources are read
    separately; it does not count as a broken citation.
    """
    if isinstance(entry, str):
        return CitationCandidate(tier=tier, url=entry.strip(), claim=claim)
    fields = _unwrap(as_mapping(entry))
    url = first(*(fields.get(name) for name in _URL_FIELDS)).strip()
    if not url and ("type" in fields or "sources" in fields):
        return None
    return CitationCandidate(
        tier=tier,
        url=url,
        title=first(*(fields.get(name) for name in _TITLE_FIELDS)),
        snippet=first(*(fields.get(name) for name in snippets), _join_snippets(fields)),
        claim=claim,
        published=next((fields[name] for name in _DATE_FIELDS if fields.get(name)), None),
    )


def read_citations(entries: Iterable[object], tier: Tier) -> Iterator[CitationCandidate]:
    """Yield the candidates in entries, including those in a nested list."""
    for entry in entries:
        if isinstance(entry, list | tuple):
            # A gateway adds at most one level, so deeper lists are skipped.
            flat = (item for item in entry if not isinstance(item, list | tuple))
            yield from read_citations(flat, tier)
        elif (candidate := read_citation(entry, tier)) is not None:
            yield candidate


def citation_entries(value: object) -> Sequence[object]:
    """Return the entries of a list; a bare URL counts as a list of one."""
    return (value,) if isinstance(value, str) else as_list(value)


def _unwrap(entry: Mapping[str, object]) -> Mapping[str, object]:
    if any(entry.get(name) for name in _URL_FIELDS):
        return entry
    inner = next(
        (as_mapping(entry[name]) for name in _WRAPPER_FIELDS if as_mapping(entry.get(name))), {}
    )
    return {**entry, **inner}


def _join_snippets(entry: Mapping[str, object]) -> str:
    """Return the joined passages of a page: Bedrock's, or a list of snippets."""
    parts = as_objects(entry.get("sourceContent"))
    extracts = (snippet for snippet in as_list(entry.get("snippets")) if isinstance(snippet, str))
    return " ".join([*(text(part.get("text")) for part in parts), *extracts])
