"""The seam: a sentinel at every key of a row or a page comes out, or its key is named.

One law over every kind of backend. What the services' own adapters leave out stands in
``tests/services/left_out.yaml``; doors are another law.
"""

import asyncio
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from hypothesis import example, given, strategies as st
from returns.result import Success

from webseam import json_backend
from webseam.adapters.services.calls import Access
from webseam.adapters.services.json_api.block import read_json_search
from webseam.adapters.services.json_api.encoding import json_search_service
from webseam.adapters.services.service_backend import ServiceBackend
from webseam.composition.features.testing.seam_law import lost_document_keys, lost_row_keys
from webseam.composition.wiring.service_backends import service_deps
from webseam.kernel import WebDeps, web_extract, web_search
from webseam.kernel.laws.unread import FOREIGN_NAMES
from webseam.ports import WebBackend
from webseam.testing import FakeBackend

URL = "https://a.example/"
SENTINELS: dict[str, object] = {
    "title": "sentinel title", "snippet": "sentinel snippet", "published_at": "2026-01-31",
    "score": 0.123, "origin": "model",
}  # fmt: skip
PAGE_SENTINELS: dict[str, object] = {
    "title": "sentinel title", "content": "sentinel content", "raw_content": "sentinel raw",
    "final_url": "https://a.example/final", "metadata": {"author": "sentinel author"},
}  # fmt: skip
# The names that a described service takes for ours.
TAKEN = {
    "description": "snippet", "content": "snippet", "body": "snippet", "text": "snippet",
    "abstract": "snippet", "summary": "snippet", "link": "url", "href": "url", "name": "title",
}  # fmt: skip
KEYS = st.text(min_size=1, max_size=12).filter(lambda key: key.strip() == key and key.isprintable())
ODD = ["snipet", "Score", "published", "author", "links", "engine", "description", "name", "text"]
more_keys = st.dictionaries(st.sampled_from(ODD) | KEYS, st.just("sentinel"), max_size=6)


def own(rows: list[dict[str, object]]) -> WebBackend:
    return FakeBackend(rows)


def plain_api(rows: list[dict[str, object]]) -> WebBackend:
    transport = httpx.MockTransport(lambda _: httpx.Response(200, json={"results": rows}))
    return json_backend(search_url="https://api.example/", transport=transport).unwrap()


def described(rows: list[dict[str, object]]) -> WebBackend:
    block = {"url_template": "https://api.example/?q={query}", "results_path": "results"}
    service = json_search_service("mine", read_json_search(block).unwrap())
    transport = httpx.MockTransport(lambda _: httpx.Response(200, json={"results": rows}))
    access = Access(base_url=service.address.base_url)
    return ServiceBackend(service, [access], service_deps(transport))


def row_with(more: dict[str, Any], left_out: str) -> dict[str, object]:
    row = {"url": URL, **SENTINELS, **{key: more[key] for key in more if key not in SENTINELS}}
    return {key: value for key, value in row.items() if key != left_out}


@pytest.mark.parametrize("make", [own, plain_api, described])
@given(more=more_keys, left_out=st.sampled_from(["", "published_at", "score", "origin"]))
@example(more=dict.fromkeys(ODD, "sentinel"), left_out="")
def test_every_key_of_a_row_comes_out_or_is_named(
    make: Any,  # noqa: ANN401  a factory of backends
    more: dict[str, Any],
    left_out: str,
) -> None:
    row = row_with(more, left_out)

    outcome = asyncio.run(web_search("q", WebDeps(backend=make([row])))).unwrap()

    assert lost_row_keys([row], outcome) == ()


@pytest.mark.parametrize("make", [plain_api, described])
@pytest.mark.parametrize(("name", "field"), TAKEN.items())
def test_a_usual_name_alone_is_taken_and_told(
    make: Any,  # noqa: ANN401  a factory of backends
    name: str,
    field: str,
) -> None:
    row: dict[str, object] = {"url": URL, "title": "sentinel title", "snippet": "sentinel snippet"}
    row[name] = row.pop(field)

    outcome = asyncio.run(web_search("q", WebDeps(backend=make([row])))).unwrap()

    (found,) = outcome.rows
    assert (found.url, found.title, found.snippet) == (URL, "sentinel title", "sentinel snippet")
    assert outcome.receipt.unread == ()
    told = " ".join(outcome.receipt.warnings)
    # A plain JSON API calls it so by its documentation.
    is_documented = make is plain_api and name == "description"
    assert is_documented is (told == "")
    assert is_documented or f"`{name}` as `{field}`" in told


SPELLINGS: list[Callable[[str], str]] = [str, str.title, str.upper, lambda name: f"_{name}"]


@pytest.mark.parametrize("spell", SPELLINGS)
@pytest.mark.parametrize("name", FOREIGN_NAMES["snippet"])
@pytest.mark.parametrize("snippet", [{}, {"snippet": ""}])
def test_text_under_a_foreign_name_is_refused_or_warned_of(
    name: str, spell: Callable[[str], str], snippet: dict[str, object]
) -> None:
    row = {"url": URL, "title": "T", **snippet, spell(name): "High and low."}

    answered = asyncio.run(web_search("q", WebDeps(backend=own([row]))))

    meant = f"`{spell(name)}` is not read; the seam's name is `snippet`"
    if isinstance(answered, Success):
        assert answered.unwrap().receipt.warnings == (meant,)
    else:
        assert f"`{name}`" in answered.failure().message


def own_page(document: dict[str, object]) -> WebBackend:
    return FakeBackend(document=document)


def plain_page(document: dict[str, object]) -> WebBackend:
    transport = httpx.MockTransport(lambda _: httpx.Response(200, json=document))
    return json_backend(extract_url="https://api.example/", transport=transport).unwrap()


@pytest.mark.parametrize("make", [own_page, plain_page])
@given(more=more_keys)
@example(more=dict.fromkeys(ODD, "sentinel"))
def test_every_key_of_a_page_comes_out_or_is_named(
    make: Any,  # noqa: ANN401  a factory of backends
    more: dict[str, Any],
) -> None:
    own_keys = {"url": URL, **PAGE_SENTINELS}
    document = {**own_keys, **{key: more[key] for key in more if key not in own_keys}}

    page = asyncio.run(web_extract(URL, WebDeps(backend=make(document)))).unwrap()

    assert lost_document_keys(document, page) == ()
