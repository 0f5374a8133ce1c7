"""The same plan on a cluster: the same bytes, whoever is lost, and each host asked by one alone."""

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path
from shutil import rmtree

import msgspec
import pytest
from returns.result import Failure, Result

from tests.features.bulk.farm import Answer, Site, local_policy, page, sites, text
from tests.features.bulk.nodes import FakeNodes
from tests.features.bulk.samples import digests, outcomes, packed, rows, run
from tests.workers.observe import children
from webseam.adapters.features.bulk.crawling.group_results import (
    AttemptResults,
    FetchResult,
    FetchTask,
    count_page_bytes,
    host_group,
    read_group_records,
    read_onward_tasks,
    write_group_results,
)
from webseam.composition.features.bulk.bulk_run import RunEnd
from webseam.composition.features.bulk.cluster.group_ownership import GroupOwnership
from webseam.composition.features.bulk.cluster.rounds import RunIdentity, explain_misfit
from webseam.composition.features.bulk.conversion import RunWatch
from webseam.composition.features.bulk.fetching import fetch_task_group
from webseam.composition.features.bulk.options import BulkOptions, maker_versions
from webseam.ports.errors import StoreFailed, WebError


def test_a_cluster_makes_the_bytes_of_one_machine_whatever_it_does_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("pages.warc.gz").write_bytes(b"".join(map(packed, range(5))) + b"torn")
    nodes = FakeNodes(times=2)
    entries: list[int] = []
    watch = RunWatch(nodes=nodes, on_shard=lambda entry: entries.append(entry.shard))
    run(tmp_path / "here", "pages.warc.gz", per_shard=3).unwrap()

    end = run(tmp_path / "there", "pages.warc.gz", per_shard=3, engine="ray", watch=watch).unwrap()

    assert end.summary is not None
    assert digests(tmp_path / "there") == digests(tmp_path / "here")
    assert sorted(entries) == [0, 1]
    assert nodes.orders == [("read_shard_on_node", 1.0)] * 2


def test_a_node_reads_one_shard_after_the_other_with_the_same_worker(tmp_path: Path) -> None:
    source = tmp_path / "pages.warc.gz"
    source.write_bytes(b"".join(map(packed, range(4))))
    before = children()
    workers: list[set[int]] = []
    watch = RunWatch(
        nodes=FakeNodes(processors=1), on_shard=lambda _entry: workers.append(children() - before)
    )

    run(tmp_path / "out", source, per_shard=1, engine="ray", watch=watch).unwrap()

    assert len(workers) == 4
    assert len(set().union(*workers)) == 1


def farm() -> tuple[Site, Site]:
    first = Site(
        {
            "/robots.txt": text("User-agent: *\nDisallow: /private"),
            "/a": page("First"),
            "/moved": Answer(302, headers={"Location": "ELSEWHERE/b"}),
            "/lost": Answer(302, headers={"Location": "ELSEWHERE/private"}),
            "/c": page("Third"),
        }
    )
    second = Site(
        {
            "/robots.txt": text("User-agent: *\nDisallow: /private"),
            "/b": page("Second"),
            "/round": Answer(302, headers={"Location": "ELSEWHERE/round"}),
        }
    )
    return first, second


def link(site: Site, other: Site) -> None:
    for path, answers in site.pages.items():
        site.pages[path] = [
            answer._replace(
                headers={
                    name: value.replace("ELSEWHERE", other.root)
                    for name, value in answer.headers.items()
                }
            )
            for answer in answers
        ]


def test_pages_that_move_between_hosts_are_asked_by_the_owner_of_each(tmp_path: Path) -> None:
    first, second = farm()
    listed = tmp_path / "urls.txt"
    with sites(first, second):
        first.pages["/round"] = [Answer(302, headers={"Location": f"{second.root}/round"})]
        link(first, second)
        link(second, first)
        lines = ["/a", "/moved", "/private/x", "/lost", "/round", "/c", "no address"]
        listed.write_text("\n".join(f"{first.root}{x}" if x[0] == "/" else x for x in lines))
        policy = local_policy(first, second)
        run(tmp_path / "here", listed, policy=policy, delay=0.0).unwrap()
        local = [list(first.paths), list(second.paths)]
        first.asked.clear()
        second.asked.clear()

        end = run(
            tmp_path / "there",
            listed,
            policy=policy,
            delay=0.0,
            engine="ray",
            watch=RunWatch(nodes=FakeNodes()),
        ).unwrap()

    assert end.summary is not None
    assert outcomes(tmp_path / "there") == [
        ("First", None),
        ("Second", None),
        (None, "call_refused"),
        (None, "call_refused"),
        (None, "too_many_redirects"),
        ("Third", None),
        (None, "invalid_url"),
    ]
    there, here = (
        [{**row, "fetched_at": None, "receipt": None} for row in rows(tmp_path / name)]
        for name in ("there", "here")
    )
    assert [row | {"offset": 0} for row in there] == [row | {"offset": 0} for row in here]
    assert [sorted(first.paths), sorted(second.paths)] == [sorted(each) for each in local]
    assert not (tmp_path / "there" / "_fetching").exists()


def test_caps_hold_over_all_groups_and_a_stop_keeps_what_came(tmp_path: Path) -> None:
    listed, stopping = tmp_path / "urls.txt", False

    class Stopping(Site):
        def answer(self, path: str, headers: Mapping[str, str]) -> Answer:
            nonlocal stopping
            stopping = stopping or path == "/2"
            return super().answer(path, headers)

    site = Stopping({f"/{number}": page(f"Page {number}") for number in range(6)})
    with sites(site):
        listed.write_text("\n".join(f"{site.root}/{number}" for number in range(6)))

        def fetch(watch: RunWatch) -> RunEnd:
            return run(
                tmp_path / "out",
                listed,
                policy=local_policy(site),
                watch=watch,
                delay=0.6,
                engine="ray",
                max_bytes=10**6,
            ).unwrap()

        stopped = fetch(RunWatch(nodes=FakeNodes(), is_stopping=lambda: stopping))
        early = list(site.paths)
        whole = fetch(RunWatch(nodes=FakeNodes()))

    assert stopped.summary is None
    assert 3 < len(early) < 7
    assert whole.summary is not None
    assert whole.summary.ok == 6
    pages = [path for path in site.paths if path != "/robots.txt"]
    assert sorted(pages) == [f"/{number}" for number in range(6)]
    # The second owner cannot know when the first one asked last.
    before, after = site.asked[len(early) - 1], site.asked[len(early)]
    assert after.began - before.ended >= 0.6


def test_a_node_says_why_it_is_unfit(tmp_path: Path) -> None:
    options = BulkOptions(inputs=(), folder=str(tmp_path))
    place = RunIdentity(options=options, base="", makers=maker_versions())

    unseen = explain_misfit(place)
    (tmp_path / "_plan.json").write_text('{"inputs": [], "settings": {}, "makers": {}}')
    fit = explain_misfit(place)
    other = explain_misfit(
        msgspec.structs.replace(place, makers={**maker_versions(), "webseam": "9"})
    )

    assert unseen is not None
    assert "must share that folder" in unseen.message
    assert fit is None
    assert other is not None
    assert "instead of 9" in other.message


def test_part_missing_from_the_shared_folder_stops_the_run(tmp_path: Path) -> None:
    source = tmp_path / "pages.warc.gz"
    source.write_bytes(packed(1))

    class Elsewhere(FakeNodes):
        async def run(self, work, order, *, processors=1.0):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202  as it is
            done = await super().run(work, order, processors=processors)
            (tmp_path / "out" / "part-000000.parquet").unlink()
            return done

    ended = run(tmp_path / "out", source, engine="ray", watch=RunWatch(nodes=Elsewhere()))

    assert isinstance(ended, Failure)
    assert "must share that folder" in ended.failure().message
    assert "part-000000.parquet" in ended.failure().message


def test_an_engine_that_is_none_and_a_cluster_out_of_reach_are_said(tmp_path: Path) -> None:
    source = tmp_path / "pages.warc.gz"
    source.write_bytes(packed(1))

    unknown = run(tmp_path / "out", source, engine="spark").failure()
    with_ray = run(tmp_path / "out", source, engine="ray:127.0.0.1:1").failure()

    assert "local, ray or ray:HOST:PORT" in unknown.message
    assert "webseam[bulk,ray]" in with_ray.message or "No Ray cluster is at" in with_ray.message
    # Known before the inputs are looked into, which may take an hour.
    assert not (tmp_path / "out").exists()


def test_an_owner_whose_group_was_taken_over_asks_no_more(tmp_path: Path) -> None:
    moment = 0.0
    owner, stop = tmp_path / "owner", tmp_path / "stop"
    first = GroupOwnership(owner, "one", stop, now=lambda: moment)
    second = GroupOwnership(owner, "two", stop, now=lambda: moment)

    at_once = first.is_stopping()
    moment = 1.0
    later, new = first.is_stopping(), second.is_stopping()
    stop.touch()
    moment = 2.0

    assert (at_once, later, new) == (False, True, False)
    assert second.is_stopping()
    owner.unlink()
    assert first.is_stopping()


def test_attempts_find_what_others_brought_and_a_harvest_gives_rows_back(tmp_path: Path) -> None:
    onward = FetchTask(number=7, url="https://b.example/", asked="https://a.example/", hops=1)
    one = AttemptResults(tmp_path / "group", "one")
    one.add_result(7, FetchResult(records=b"seven", onward=onward, size=5))
    two = AttemptResults(tmp_path / "group", "two")
    two.add_result(2, FetchResult(records=b"two", size=3))
    path = tmp_path / "group.harvest"
    write_group_results(path, two.read_results())

    assert (one.is_first, two.is_first) == (True, False)
    assert [number in two for number in (2, 7, 3)] == [True, True, False]
    assert list(read_group_records(path, 0, 3)) == [(2, b"two")]
    assert list(read_group_records(path, 3, 100)) == [(7, b"seven")]
    assert list(read_group_records(path, 8, 1)) == []
    assert read_onward_tasks(path) == [onward]
    assert count_page_bytes(path) == 8
    one.close()
    two.close()


def test_a_round_that_is_damaged_says_what_to_do(tmp_path: Path) -> None:
    listed = tmp_path / "urls.txt"
    listed.write_text("http://10.0.0.1/")
    plan = tmp_path / "out" / "_fetching" / "round-00" / "plan.json"
    plan.parent.mkdir(parents=True)
    plan.write_bytes(b'{"number": 0, "cou')

    def again() -> Result[RunEnd, WebError]:
        watch = RunWatch(nodes=FakeNodes())
        return run(tmp_path / "out", listed, engine="ray", watch=watch)

    failure = again().failure()
    rmtree(plan.parents[1])
    whole = again().unwrap()

    assert isinstance(failure, StoreFailed)
    assert f"{plan} is damaged; remove {plan.parents[1]}, and" in failure.message
    assert whole.summary is not None


@pytest.mark.parametrize("content", [b'{"number": 0}', b"\xff\n", b"[]"])
def test_errands_that_are_damaged_stop_the_run(tmp_path: Path, content: bytes) -> None:
    listed = tmp_path / "urls.txt"
    listed.write_text("http://10.0.0.1/")

    class Damaging(FakeNodes):
        async def run(self, work, order, *, processors=1.0):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202  as it is
            for path in (tmp_path / "out" / "_fetching").glob("round-*/*.jsonl"):
                path.write_bytes(content)
            return await super().run(work, order, processors=processors)

    watch = RunWatch(nodes=Damaging())
    failure = run(tmp_path / "out", listed, engine="ray", watch=watch).failure()

    assert isinstance(failure, StoreFailed)
    assert ".jsonl is damaged; remove" in failure.message


@pytest.mark.parametrize("kept", [0, 5, 30, -1])
@pytest.mark.parametrize(
    "read", [read_onward_tasks, count_page_bytes, lambda path: [*read_group_records(path, 0, 9)]]
)
def test_a_harvest_that_is_damaged_is_told(
    tmp_path: Path, kept: int, read: Callable[[Path], object]
) -> None:
    path = tmp_path / "group-00.harvest"
    write_group_results(
        path, [(number, FetchResult(records=b"r" * 9, size=9)) for number in range(3)]
    )
    path.write_bytes(path.read_bytes()[:kept])

    with pytest.raises(OSError, match="is damaged; without it"):
        read(path)


def test_hosts_are_spread_over_groups() -> None:
    groups = [host_group(f"host{number}.example", 16) for number in range(1000)]

    assert set(groups) == set(range(16))


def test_a_full_disk_among_tasks_is_raised_as_what_it_is() -> None:
    async def full() -> None:
        raise OSError(28, "No space left on device")

    async def work() -> None:
        async with fetch_task_group() as tasks:
            tasks.create_task(full())
            tasks.create_task(full())

    with pytest.raises(OSError, match="No space left"):
        asyncio.run(work())
