"""The name of a question: equal only when everything that decides the answer is equal.

A key is a hash, so a cache file tells nobody what was asked. No credential goes into it.
"""

import hashlib
import re
import unicodedata
from typing import Literal, TypeAlias

import msgspec

from ....ports.web import WebSearchQuery

Operation: TypeAlias = Literal["search", "extract"]

# Part of every key: raise it when what is kept changes its shape.
_KEY_VERSION = 1
_BLANKS = re.compile(r"\s+")


class Asker(msgspec.Struct, frozen=True, kw_only=True):
    """Who asks whom, and under which policy."""

    backend: str
    scope: str
    policy_version: str


def search_key(asker: Asker, query: WebSearchQuery) -> bytes:
    """Return the key of a search; spelling that no backend could care about is evened out."""
    return _key("search", asker, canonical_query(query))


def page_key(asker: Asker, canonical_url: str) -> bytes:
    """Return the key of a page."""
    return _key("extract", asker, canonical_url)


def canonical_query(query: WebSearchQuery) -> WebSearchQuery:
    """Return the query as equal ones are written. Idempotent. Case stays: NOT is not not."""
    return msgspec.structs.replace(
        query,
        query=_BLANKS.sub(" ", unicodedata.normalize("NFC", query.query)).strip(),
        include_domains=_domains(query.include_domains),
        exclude_domains=_domains(query.exclude_domains),
        country=query.country and query.country.upper(),
        language=query.language and query.language.lower(),
    )


def _domains(names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(sorted({name.lower() for name in names}))


def _key(operation: Operation, asker: Asker, question: object) -> bytes:
    whole = msgspec.json.encode((_KEY_VERSION, operation, asker, question))
    return hashlib.blake2b(whole, digest_size=32).digest()
