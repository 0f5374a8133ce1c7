"""A recording answers the call that was recorded, and no other."""

import asyncio
import json
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings, strategies as st

import webseam
from webseam.adapters.plugins.observers.recordings import Recording, find_recording, read_recordings
from webseam.testing import FakeBackend

DAY = date(2026, 1, 1)
TEXT = "High water comes with the new moon. " * 40
CALLS = st.tuples(
    st.sampled_from(["web_search", "web_extract"]),
    st.dictionaries(
        st.sampled_from(["query", "urls", "char_limit"]), st.integers(0, 2), max_size=2
    ),
    st.sampled_from(["", "a, strict", "b, strict", "a, best-effort"]),
)


@given(recorded=st.lists(CALLS, max_size=4), asked=CALLS)
def test_recording_is_found_by_its_tool_its_arguments_and_who_answers(
    recorded: list[tuple[str, dict[str, int], str]], asked: tuple[str, dict[str, int], str]
) -> None:
    made = [
        Recording(tool=tool, args=args, scope=scope, result="r") for tool, args, scope in recorded
    ]

    found = find_recording({item.key: item for item in made}, *asked)

    tool, args, scope = asked
    fitting = [
        item
        for item in made
        if (item.tool, item.args) == (tool, args) and item.scope in ("", scope)
    ]
    assert (found in fitting) if fitting else found is None


def recorder(file: Path, mode: str) -> dict[str, Any]:
    return {
        "plugins.recorder.file": str(file),
        "plugins.recorder.mode": mode,
        "cache.enabled": False,
    }


def rows(name: str) -> list[dict[str, object]]:
    return [{"title": name, "url": f"https://{name}.example/", "snippet": ""}]


def test_rows_of_a_backend_are_not_given_for_another_one_that_is_named(tmp_path: Path) -> None:
    file = tmp_path / "tape.jsonl"

    async def hosts(mode: str) -> list[str]:
        found: list[str] = []
        async with webseam.open(
            settings=recorder(file, mode), environment={"HOME": str(tmp_path)}
        ) as web:
            for name in ("a", "b", "a"):
                backend = FakeBackend(rows(name), name=name)
                outcome = (await web.search("tides", backend=backend)).unwrap()
                found.append(outcome.rows[0].title)
        return found

    assert asyncio.run(hosts("auto")) == ["a", "b", "a"]
    assert asyncio.run(hosts("replay")) == ["a", "b", "a"]
    assert len(read_recordings(file)) == 2


def recording(file: Path, tool: str, args: dict[str, object], envelope: object) -> None:
    line = Recording(tool=tool, args=args, result=json.dumps(envelope))
    with file.open("ab") as lines:
        lines.write(msgspec.json.encode(line) + b"\n")


def frozen(folder: Path, file: Path, call: str, arguments: dict[str, object]) -> dict[str, Any]:
    async def ask() -> str:
        parts = recorder(file, "frozen")
        environment = {"HOME": str(folder)}
        backend = FakeBackend(raises=AssertionError)
        async with webseam.open(settings=parts, environment=environment, backend=backend) as web:
            return await web.call(call, arguments)

    reply: dict[str, Any] = json.loads(asyncio.run(ask()))
    return reply


HOSTS = ["a.example", "b.example", "bücher.example"]


@pytest.fixture(scope="module")
def tape(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("tape") / "tape.jsonl"
    web = [
        {
            "title": "tides",
            "url": f"https://{host}/{n}",
            "description": "tides",
            "position": n,
            "published_at": (DAY + timedelta(days=n)).isoformat(),
        }
        for host in HOSTS
        for n in range(3)
    ]
    recording(file, "web_search", {"query": "tides"}, {"success": True, "data": {"web": web}})
    pages = [
        {"url": "https://a.example/whole", "title": "t", "content": TEXT},
        {"url": "https://a.example/cut", "title": "t", "content": TEXT[:169]},
    ]
    receipts = [{"backend": "x", "omitted": 0}, {"backend": "x", "omitted": len(TEXT) - 169}]
    for page, receipt in zip(pages, receipts, strict=True):
        args: dict[str, object] = {"urls": [page["url"]], "char_limit": 169}
        recording(
            file,
            "web_extract",
            args,
            {"success": True, "data": {"results": [page]}, "receipt": {"pages": [receipt]}},
        )
    return file


QUESTIONS = st.fixed_dictionaries(
    {
        "query": st.just("when are tides"),
        "include_domains": st.lists(st.sampled_from(HOSTS), max_size=2),
        "exclude_domains": st.lists(st.sampled_from([*HOSTS, "xn--bcher-kva.example"]), max_size=2),
    },
    optional={
        "published_after": st.integers(0, 3).map(
            lambda days: (DAY + timedelta(days=days)).isoformat()
        ),
        "max_results": st.integers(1, 4),
        "language": st.just("de"),
    },
)


@settings(max_examples=25)
@given(asked=QUESTIONS)
def test_frozen_rows_keep_to_the_filters_of_the_question_or_refuse_them_by_name(
    tape: Path, asked: dict[str, Any]
) -> None:
    reply = frozen(tape.parent, tape, "web_search", asked)

    web, receipt = reply["data"]["web"], reply["receipt"]
    unwanted = {name.replace("xn--bcher-kva", "bücher") for name in asked["exclude_domains"]}
    wanted = asked["include_domains"] or HOSTS
    hosts = [host for host in wanted if host not in unwanted]
    first = date.fromisoformat(asked.get("published_after", DAY.isoformat()))
    there = len(set(hosts)) * len(range((first - DAY).days, 3))
    assert len(web) == min(there, asked.get("max_results", 10))
    assert all(row["url"].split("/")[2] in hosts for row in web)
    named = [
        name
        for name in ("include_domains", "exclude_domains", "published_after", "language")
        if asked.get(name)
    ]
    assert receipt["filters"] == named
    assert receipt["refused"] == (["language"] if "language" in asked else [])
    left_out = sum(receipt[name] for name in ("rejected", "filtered", "blocked", "trimmed"))
    assert receipt["returned"] == len(web) + left_out


def test_part_of_a_page_answers_only_the_call_that_asked_for_it(tape: Path) -> None:
    def page(name: str, **more: object) -> dict[str, Any]:
        urls = {"urls": [f"https://a.example/{name}"], **more}
        return frozen(tape.parent, tape, "web_extract", urls)

    recorded, other = page("cut", char_limit=169), page("cut", char_limit=5000)
    whole, shorter = page("whole", char_limit=5000), page("whole", char_limit=300)

    assert recorded["data"]["results"][0]["content"] == TEXT[:169]
    assert (other["success"], "not recorded" in other["error"]) == (False, True)
    assert whole["data"]["results"][0]["content"] == TEXT
    assert len(shorter["data"]["results"][0]["content"]) <= 300
    assert shorter["receipt"]["pages"][0]["omitted"] >= len(TEXT) - 300
    focused = page("whole", focus="neap tides")
    assert focused["success"] is False
