"""Jobs and full texts that several machines share, whatever server keeps them."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar
from uuid import uuid4

import msgspec
import pytest
from returns.result import Failure, Result, Success

from webseam.adapters.stores.text_files import RemoteTexts, SharedTexts, TextFiles
from webseam.ports import InvalidQuery, StoreAway, StoreFailed, WebError
from webseam.ports.jobs import JobName, JobRecord, JobStore, KnownJob
from webseam.ports.secrets import Secret

Value = TypeVar("Value")
BOTH = ("postgres", "valkey")
MakeJobs = Callable[[float], JobStore]
MakeTexts = Callable[[str], RemoteTexts]
SOON = 0.05


@pytest.fixture(params=BOTH)
def jobs(request: pytest.FixtureRequest) -> MakeJobs:
    url = Secret(request.getfixturevalue(request.param).url)
    if request.param == "postgres":
        from webseam.adapters.stores.postgres.jobs import PostgresJobs  # noqa: PLC0415  an extra

        return lambda lease: PostgresJobs(url, lease=lease)
    from webseam.adapters.stores.valkey.jobs import ValkeyJobs  # noqa: PLC0415  an extra

    return lambda lease: ValkeyJobs(url, lease=lease)


@pytest.fixture(params=BOTH)
def texts(request: pytest.FixtureRequest) -> MakeTexts:
    url = Secret(request.getfixturevalue(request.param).url)
    if request.param == "postgres":
        from webseam.adapters.stores.postgres.texts import PostgresTexts  # noqa: PLC0415  an extra

        return lambda scope: PostgresTexts(url, scope)
    from webseam.adapters.stores.valkey.texts import ValkeyTexts  # noqa: PLC0415  an extra

    return lambda scope: ValkeyTexts(url, scope)


def record(again: str = "", owner: str | None = None, seconds: float = 3600.0) -> JobRecord:
    return JobRecord(
        name=JobName(owner or uuid4().hex, str(uuid4())),
        kind="batch",
        total=2,
        expires=time.time() + seconds,
        memo=("markdown", "html"),
        again=again,
    )


def on(
    make: MakeJobs, use: Callable[[JobStore, JobStore], Awaitable[Value]], lease: float = 10.0
) -> Value:
    """Have two machines with one server."""

    async def run() -> Value:
        one, other = make(lease), make(lease)
        try:
            return await use(one, other)
        finally:
            await one.aclose()
            await other.aclose()

    return asyncio.run(run())


def test_a_job_is_known_with_its_pages_in_their_order(jobs: MakeJobs) -> None:
    job = record()

    async def use(one: JobStore, other: JobStore) -> list[object]:
        began = await one.begin(job)
        added = await one.add(job.name, 0, (b"a", b"\x00\xff"))
        # Not known to be written, it is written again: what is there stays.
        again = await one.add(job.name, 1, (b"\x00\xff", b"c"))
        found = await other.find(job.name)
        return [began.unwrap(), added.unwrap(), again.unwrap(), found.unwrap()]

    began, added, again, found = on(jobs, use)

    assert began == job.name
    assert (added, again) == (True, True)
    assert found == KnownJob(record=job, state="scraping", pages=(b"a", b"\x00\xff", b"c"))


def test_a_job_is_nobody_elses(jobs: MakeJobs) -> None:
    job = record()
    stranger = JobName("somebody", job.name.id)

    async def use(one: JobStore, _other: JobStore) -> list[object]:
        await one.begin(job)
        return [
            (await one.find(stranger)).unwrap(),
            (await one.add(stranger, 0, (b"x",))).unwrap(),
            (await one.renew_job(stranger)).unwrap(),
            (await one.end(stranger, "cancelled")).unwrap(),
            (await one.running_jobs("somebody")).unwrap(),
            (await one.find(job.name)).unwrap(),
        ]

    *strange, own = on(jobs, use)

    assert strange == [None, False, None, None, ()]
    assert own == KnownJob(record=job, state="scraping")


def test_the_same_words_are_the_same_job_for_one_owner(jobs: MakeJobs) -> None:
    job = record("once")
    same, other_owner = record("once", job.name.owner), record("once")
    another = record("", job.name.owner)

    async def use(one: JobStore, other: JobStore) -> list[object]:
        began = [await one.begin(job), await other.begin(same), await other.begin(other_owner)]
        began += [await one.begin(another), await one.begin(another)]
        return [each.unwrap() for each in began]

    assert on(jobs, use) == [job.name, job.name, other_owner.name, another.name, another.name]


def test_one_of_many_who_begin_at_once_with_the_same_words_begins(jobs: MakeJobs) -> None:
    owner = uuid4().hex

    async def use(one: JobStore, other: JobStore) -> set[JobName]:
        stores = [one, other] * 10
        began = await asyncio.gather(*[store.begin(record("once", owner)) for store in stores])
        return {each.unwrap() for each in began}

    assert len(on(jobs, use)) == 1


def test_a_job_ends_once_and_whoever_works_on_it_hears_of_it(jobs: MakeJobs) -> None:
    job = record()

    async def use(one: JobStore, other: JobStore) -> list[object]:
        await one.begin(job)
        states = [await one.renew_job(job.name), await other.end(job.name, "cancelled")]
        states += [await one.renew_job(job.name), await one.end(job.name, "completed")]
        found = (await other.find(job.name)).unwrap()
        assert found is not None
        under_way = (await other.running_jobs(job.name.owner)).unwrap()
        return [*(each.unwrap() for each in states), found.state, under_way]

    assert on(jobs, use) == ["scraping", "scraping", "cancelled", "cancelled", "cancelled", ()]


def test_a_job_that_nobody_works_on_any_more_has_failed(jobs: MakeJobs) -> None:
    job = record()

    async def use(one: JobStore, other: JobStore) -> list[object]:
        await one.begin(job)
        before = (await other.running_jobs(job.name.owner)).unwrap()
        await asyncio.sleep(2 * SOON)
        found = (await other.find(job.name)).unwrap()
        cancelled = (await other.end(job.name, "cancelled")).unwrap()
        under_way = (await other.running_jobs(job.name.owner)).unwrap()
        assert found is not None
        # Who was only slow goes on.
        await one.renew_job(job.name)
        back = (await other.find(job.name)).unwrap()
        assert back is not None
        return [len(before), found.state, cancelled, under_way, back.state]

    assert on(jobs, use, lease=SOON) == [1, "failed", "failed", (), "scraping"]


def test_a_job_is_forgotten_when_its_time_is_over(jobs: MakeJobs) -> None:
    job = record("once", seconds=1.0)

    async def use(one: JobStore, _other: JobStore) -> list[object]:
        await one.begin(job)
        await one.add(job.name, 0, (b"a",))
        await asyncio.sleep(1.1)
        found = (await one.find(job.name)).unwrap()
        return [found, (await one.begin(record("once", job.name.owner))).unwrap() == job.name]

    assert on(jobs, use) == [None, False]


def test_a_text_is_found_by_another_machine_and_in_no_other_scope(
    texts: MakeTexts, tmp_path: Path
) -> None:
    text = f"Größe {uuid4().hex}\n" * 1000

    async def use() -> list[object]:
        stores = [
            SharedTexts(TextFiles(tmp_path / place), texts(scope))
            for place, scope in (("one", "ann"), ("two", "ann"), ("three", "bob"))
        ]
        handle = (await stores[0].save(text)).unwrap()
        loads = [await store.load(handle) for store in stores]
        wrong = await stores[0].load("../x")
        for store in stores:
            await store.aclose()
        return [*loads, wrong]

    own, elsewhere, strange, wrong = asyncio.run(use())

    assert own == elsewhere == Success(text)
    assert strange == Failure(InvalidQuery(field="handle", reason="no text is stored under it"))
    assert isinstance(wrong, Failure)


class FakeFar:
    """A server that gives one answer to everything."""

    def __init__(self, answer: Result[str, WebError]) -> None:
        self._answer = answer

    async def save(self, _text: str, /) -> Result[str, WebError]:
        return self._answer

    async def load(self, _handle: str, /) -> Result[str, WebError]:
        return self._answer

    async def aclose(self) -> None:
        pass


AWAY: Failure[WebError] = Failure(StoreAway(store="texts", setting="stores.valkey"))


def test_local_text_is_found_while_the_server_is_away(tmp_path: Path) -> None:
    texts = SharedTexts(TextFiles(tmp_path), FakeFar(AWAY))

    async def use() -> list[object]:
        handle = (await texts.save("long")).unwrap()
        return [await texts.load(handle), await texts.load("0" * 24)]

    assert asyncio.run(use()) == [Success("long"), AWAY]


def test_a_text_that_was_changed_here_is_taken_from_the_others(tmp_path: Path) -> None:
    near = TextFiles(tmp_path)
    handle = asyncio.run(near.save("long")).unwrap()
    (tmp_path / f"{handle}.md").write_text("other")

    loads = [
        asyncio.run(SharedTexts(near, FakeFar(answer)).load(handle))
        for answer in (Success("long"), Failure(InvalidQuery(field="handle", reason="none")))
    ]

    assert loads[0] == Success("long")
    assert loads[1] == Failure(StoreFailed(store="texts", reason="the stored text was changed"))


def test_a_full_disk_is_no_trouble_while_the_server_has_room(tmp_path: Path) -> None:
    place = tmp_path / "file"
    place.write_text("")
    handle = "0" * 24

    texts = SharedTexts(TextFiles(place), FakeFar(Success(handle)))

    assert asyncio.run(texts.save("long")) == Success(handle)


def test_invalid_job_record_is_a_failure(jobs: MakeJobs) -> None:
    job = record()

    async def use(one: JobStore, _other: JobStore) -> Result[KnownJob | None, WebError]:
        # A number where a word belongs.
        broken = msgspec.structs.replace(job, kind=7)
        await one.begin(broken)
        return await one.find(job.name)

    assert isinstance(on(jobs, use).failure(), StoreFailed)
