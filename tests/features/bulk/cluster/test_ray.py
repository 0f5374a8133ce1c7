"""Bulk work on a real Ray cluster: the same bytes as on one machine, whatever is killed.

Run by ``make ray``, in an environment with ``webseam[bulk,ray]``. ``KILLS`` is how many nodes and
workers are lost at random.
"""

import asyncio
import os
import random
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path

import pytest

# Not imported yet: what it reads of the environment is set before that.
if find_spec("ray") is None:
    pytest.skip("Ray is in the environment of `make ray`", allow_module_level=True)

from returns.result import Result

import webseam.bulk
from tests.features.bulk.cluster.loopback import Nodes, busy_workers, cluster, kill
from tests.features.bulk.farm import Answer, Site, local_policy, page, sites, text
from tests.features.bulk.samples import digests, html, packed
from webseam.composition.features.bulk.bulk_run import RunEnd, run_extract
from webseam.composition.features.bulk.conversion import RunWatch
from webseam.composition.features.bulk.options import BulkOptions
from webseam.kernel.policy.policy_rules import Policy
from webseam.ports.bulk import BulkRow
from webseam.ports.errors import WebError

KILLS = int(os.environ.get("KILLS", "10"))
NODE_SHARE = 0.15
PER_SHARD = 40
PAGES = 1000


@pytest.fixture(scope="module")
def nodes() -> Iterator[Nodes]:
    with cluster(3) as made:
        yield made


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Pages of different lengths, some broken, in two files."""
    folder = tmp_path_factory.mktemp("warc")
    chance = random.Random(20)
    for number in range(2):
        with (folder / f"{number}.warc.gz").open("wb") as stream:
            for row in range(PAGES // 2):
                words = " ".join(
                    chance.choices(["tide", "moon", "ship", "harbour", "rope"], k=2000)
                )
                stream.write(packed(row, html(f"Page {row}", words) if row % 50 else b"\x00"))
                if row % 100 == 99:
                    stream.write(b"torn")
    return folder


def run(
    folder: Path,
    *inputs: Path,
    engine: str,
    watch: RunWatch | None = None,
    policy: Policy | None = None,
    **options: object,
) -> Result[RunEnd, WebError]:
    wanted = BulkOptions(
        inputs=tuple(map(str, inputs)),
        folder=str(folder),
        engine=engine,
        workers=2,
        **options,  # type: ignore[arg-type]
    )
    return asyncio.run(run_extract(wanted, policy or Policy(), watch or RunWatch()))


@pytest.fixture(scope="module")
def reference(source: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    out = tmp_path_factory.mktemp("reference")
    end = run(out, *sorted(source.iterdir()), engine="local", per_shard=PER_SHARD).unwrap()
    assert end.summary is not None
    return digests(out)


def test_three_nodes_make_the_same_bytes(
    nodes: Nodes, source: Path, reference: dict[str, str], tmp_path: Path
) -> None:
    rows: list[int] = []

    def on_row(row: BulkRow) -> None:
        rows.append(row.row)

    summary = webseam.bulk.extract(
        sorted(source.iterdir()),
        tmp_path,
        engine=f"ray:{nodes.address}",
        per_shard=PER_SHARD,
        on_row=on_row,
    )

    assert digests(tmp_path) == reference
    assert sorted(rows) == list(range(summary.rows))


def test_nodes_and_workers_that_are_lost_lose_and_double_nothing(
    nodes: Nodes, source: Path, reference: dict[str, str], tmp_path: Path
) -> None:
    chance, lost = random.Random(1), {"node": 0, "worker": 0}
    inputs, number = sorted(source.iterdir()), 0
    while sum(lost.values()) < KILLS:
        out = tmp_path / f"run-{number}"
        number += 1
        with ThreadPoolExecutor(1) as beside:
            going = beside.submit(
                run, out, *inputs, engine=f"ray:{nodes.address}", per_shard=PER_SHARD
            )
            _lose(nodes, going, lost, chance)
            end = going.result().unwrap()
        assert end.summary is not None
        assert digests(out) == reference
        assert not list(out.glob(".*.tmp"))

    assert sum(lost.values()) == KILLS


def _lose(
    nodes: Nodes,
    going: "Future[Result[RunEnd, WebError]]",
    lost: dict[str, int],
    chance: random.Random,
) -> None:
    while sum(lost.values()) < KILLS and not going.done():
        time.sleep(chance.uniform(0.05, 1.0))
        workers = busy_workers()
        if not workers:
            continue
        # A node takes its time to come back, a worker a second.
        if chance.random() < NODE_SHARE:
            nodes.lose(chance.randrange(3))
            nodes.add()
            lost["node"] += 1
        else:
            kill(chance.choice(workers))
            lost["worker"] += 1


def farm() -> list[Site]:
    """Ten hosts; pages of each move to the next one."""
    return [
        Site(
            {
                "/robots.txt": text("User-agent: *\nDisallow: /private"),
                **{f"/{row}": page(f"Page {host} {row}") for row in range(5)},
                "/moved": Answer(302, headers={"Location": "NEXT/0"}),
            }
        )
        for host in range(10)
    ]


def test_hosts_keep_their_pace_over_the_cluster_though_workers_are_lost(
    nodes: Nodes, tmp_path: Path
) -> None:
    hosts, delay = farm(), 0.3
    listed = tmp_path / "urls.txt"
    with sites(*hosts):
        for host, following in zip(hosts, hosts[1:] + hosts[:1], strict=True):
            host.pages["/moved"] = [Answer(302, headers={"Location": f"{following.root}/0"})]
        paths = [*map(str, range(5)), "moved", "private/x", "gone"]
        listed.write_text("\n".join(f"{host.root}/{path}" for path in paths for host in hosts))
        with ThreadPoolExecutor(1) as beside:
            going = beside.submit(
                run,
                tmp_path / "out",
                listed,
                engine=f"ray:{nodes.address}",
                policy=local_policy(*hosts),
                delay=delay,
                per_shard=20,
            )
            killed = 0
            while killed < 2 and not going.done():
                time.sleep(0.3)
                if any(len(host.asked) > 2 for host in hosts) and (busy := busy_workers()):
                    kill(busy[0])
                    killed += 1
            end = going.result().unwrap()

    assert end.summary is not None
    assert end.summary.rows == 80
    assert end.summary.errors == {"call_refused": 10, "http_status": 10}
    for host in hosts:
        assert not any(path.startswith("/private") for path in host.paths)
        asked = sorted(host.asked, key=lambda each: each.began)
        gaps = [after.began - before.ended for before, after in pairwise(asked)]
        assert min(gaps) >= delay * 0.95, gaps


def test_a_stop_finishes_what_is_under_way_and_the_same_command_goes_on(
    nodes: Nodes, source: Path, reference: dict[str, str], tmp_path: Path
) -> None:
    stop = threading.Event()
    watch = RunWatch(on_shard=lambda _entry: stop.set(), is_stopping=stop.is_set)
    inputs = sorted(source.iterdir())
    options = {"engine": f"ray:{nodes.address}", "per_shard": PER_SHARD}

    stopped = run(tmp_path, *inputs, watch=watch, **options).unwrap()  # type: ignore[arg-type]
    parts = sorted(path.name for path in tmp_path.glob("part-*"))
    whole = run(tmp_path, *inputs, **options).unwrap()  # type: ignore[arg-type]

    assert stopped.summary is None
    assert 0 < len(parts) < len(reference) - 1
    assert whole.summary is not None
    assert digests(tmp_path) == reference


def test_unreachable_cluster_is_refused_with_the_reason(source: Path, tmp_path: Path) -> None:
    began = time.monotonic()

    refused = run(tmp_path, *source.iterdir(), engine="ray:127.0.0.1:1").failure()
    malformed = run(tmp_path, *source.iterdir(), engine="ray:ray://somewhere").failure()

    assert "No Ray cluster is at" in refused.message
    assert "HOST:PORT" in malformed.message
    assert time.monotonic() - began < 60
