"""The shapes that services declare: a description that is one reads what its service reads."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml

from webseam.adapters.services.calls import Reply
from webseam.adapters.services.json_api.block import read_json_search, service_presets
from webseam.adapters.services.json_api.encoding import json_search_service
from webseam.adapters.services.operations import SearchAsk
from webseam.composition.wiring.service_backends import installed_services
from webseam.ports import WebSearchQuery

SAMPLES = Path(__file__).parents[1] / "services" / "samples"
OWNERS = {
    name: service
    for service in installed_services().values()
    for name in (service.name, *service.aliases)
}


def replies(name: str) -> list[Any]:
    """Give the bodies that the service's own sample answers a plain search with."""
    text = (SAMPLES / f"{OWNERS[name].name}.yaml").read_text(encoding="utf-8")
    return [
        exchange["reply"]["body"]
        for case in yaml.safe_load(text)["cases"]
        if set(case.get("search", ())) == {"query"} and "rows" in case and len(case["rows"]) > 0
        for exchange in case["exchanges"]
    ]


def unscored(rows: Sequence[object]) -> list[object]:
    """Leave the scores out: a service may find them worth nothing."""
    plain = [row for row in rows if isinstance(row, Mapping)]
    return [{name: row[name] for name in row if name != "score"} for row in plain]


def test_there_are_presets_for_two_shapes_by_three_names() -> None:
    assert len(service_presets()) >= 3
    assert len({id(shape) for shape in service_presets().values()}) >= 2


@pytest.mark.parametrize("name", sorted(service_presets()))
def test_a_preset_reads_what_its_service_reads(name: str) -> None:
    block = {"preset": name, "endpoint": "https://a.example"}
    service = json_search_service("mine", read_json_search(block).unwrap())
    owner = OWNERS[name]
    assert service.search is not None
    assert owner.search is not None

    for body in replies(name):
        reply = Reply(status=200, payload=body)
        ours = unscored(service.search.decode(reply).unwrap())
        assert ours == unscored(owner.search.decode(reply).unwrap())
        assert service.classify(reply) is None
    assert replies(name)


@pytest.mark.parametrize("name", sorted(service_presets()))
def test_a_preset_asks_where_its_service_asks(name: str) -> None:
    block = {"preset": name, "endpoint": "https://a.example/", "parameters": {"more": "1"}}
    service, owner = json_search_service("mine", read_json_search(block).unwrap()), OWNERS[name]
    assert service.search is not None
    assert owner.search is not None
    ask = SearchAsk(query=WebSearchQuery(query="tides"))

    ours, theirs = service.search.encode(ask), owner.search.encode(ask)

    assert (ours.method, ours.path) == (theirs.method, theirs.path)
    assert set(ours.parameters) - {("more", "1")} <= set(theirs.parameters)
    assert ("more", "1") in ours.parameters


def test_an_address_with_a_path_of_its_own_keeps_it() -> None:
    name = min(service_presets())
    block = {"preset": name, "endpoint": "https://a.example/prefix/api"}

    assert read_json_search(block).unwrap().path == "/prefix/api"
