"""Several callers over one cache and one ledger: nobody sees or spends what is another's."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.run import webseam

from .asgi import Site
from .test_server import Backend


@pytest.fixture
def backend() -> Iterator[Backend]:
    one = Backend()
    yield one
    one.server.shutdown()
    one.server.server_close()


def site_over(home: Path, backend: Backend, price: float) -> Site:
    (home / "config.yaml").write_text(
        f"services: {{tavily: {{api_key: k, base_url: '{backend.url.removesuffix('/search')}', price: {price}}}}}\n"
    )
    return Site(home, "settings")


def key(site: Site, name: str, *arguments: str) -> str:
    ran = webseam("keys", "add", name, *arguments, "--json", XDG_DATA_HOME=str(site.home / "data"))
    return f"Bearer {json.loads(ran.out)['data']['key']}"


def cached(site: Site, bearer: str, query: str = "tides") -> bool:
    answer = site.post("/api/search", {"query": query}, authorization=bearer)
    assert answer.status == 200, answer.body
    return bool(answer.json["receipt"]["cached"])


def test_answers_are_kept_for_each_scope_alone(tmp_path: Path, backend: Backend) -> None:
    site = site_over(tmp_path, backend, 0.0)
    ann, ben, eve = (
        key(site, "ann", "--cache", "team"),
        key(site, "ben", "--cache", "team"),
        key(site, "eve"),
    )

    seen = [cached(site, bearer) for bearer in (ann, ann, ben, eve, eve, "")]

    assert seen == [False, True, True, False, True, False]
    assert len(backend.asked) == 3


def test_a_budget_is_a_keys_own(tmp_path: Path, backend: Backend) -> None:
    site = site_over(tmp_path, backend, 0.01)
    ann, eve = key(site, "ann", "--day", "0.025"), key(site, "eve")

    paid = [
        site.post("/tavily/search", {"query": f"tides {number}"}, authorization=ann)
        for number in range(3)
    ]
    other = site.post("/tavily/search", {"query": "tides"}, authorization=eve)
    native = site.post("/api/search", {"query": "tides 9"}, authorization=ann)

    assert [answer.status for answer in paid] == [200, 200, 432]
    assert "the budget of this key" in paid[-1].json["detail"]["error"]
    assert (other.status, native.status) == (200, 402)
    assert len(backend.asked) == 3
