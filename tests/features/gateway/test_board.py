"""Jobs of several gateways: whoever is asked knows all of them, and nobody else's."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

import msgspec
from returns.result import Failure, Result, Success

from webseam.adapters.features.gateway.asks import JobView, Page, StartJobRequest
from webseam.adapters.features.gateway.replies import Refusal, Reply, refuse_invalid
from webseam.composition.features.gateway.job_board import JobBoard
from webseam.composition.features.gateway.running_jobs import MAX_JOBS_PER_CALLER, RunningJobs, Work
from webseam.ports.errors import DnsNotFound, StoreAway, WebError
from webseam.ports.jobs import JobName, JobRecord, JobState, KnownJob

Value = TypeVar("Value")
AWAY: Failure[WebError] = Failure(StoreAway(store="jobs", setting="stores.valkey"))
UNREAD = Page(
    url="https://nowhere.example/",
    refusal=msgspec.structs.replace(
        refuse_invalid("no such host"), error=DnsNotFound(host="nowhere.example")
    ),
)


class FakeJobStore:
    """Jobs in memory. ``away`` has every call fail; ``leases`` are of those who work."""

    def __init__(self) -> None:
        self.jobs: dict[JobName, KnownJob] = {}
        self.leases: set[JobName] = set()
        self.away = False
        self.closed = 0

    async def begin(self, record: JobRecord, /) -> Result[JobName, WebError]:
        if self.away:
            return AWAY
        for name, job in self.jobs.items():
            same = record.again and job.record.again == record.again
            if same and name.owner == record.name.owner:
                return Success(name)
        self.jobs[record.name] = KnownJob(record=record, state="scraping")
        self.leases.add(record.name)
        return Success(record.name)

    async def add(
        self, name: JobName, first: int, pages: tuple[bytes, ...], /
    ) -> Result[bool, WebError]:
        if self.away:
            return AWAY
        if name not in self.jobs:
            return Success(name in self.jobs)
        job = self.jobs[name]
        noted = (*job.pages, *pages[len(job.pages) - first :])
        self.jobs[name] = msgspec.structs.replace(job, pages=noted)
        return Success(name in self.jobs)

    async def renew_job(self, name: JobName, /) -> Result[JobState | None, WebError]:
        if self.away:
            return AWAY
        self.leases.add(name)
        return Success(self.jobs[name].state if name in self.jobs else None)

    async def end(self, name: JobName, state: JobState, /) -> Result[JobState | None, WebError]:
        if self.away:
            return AWAY
        job = self.jobs.get(name)
        if job is None:
            return Success(None)
        if job.state == "scraping":
            self.jobs[name] = msgspec.structs.replace(job, state=state)
        return Success(job.state)

    async def find(self, name: JobName, /) -> Result[KnownJob | None, WebError]:
        return AWAY if self.away else Success(self.jobs.get(name))

    async def running_jobs(self, owner: str, /) -> Result[tuple[KnownJob, ...], WebError]:
        if self.away:
            return AWAY
        own = [job for name, job in self.jobs.items() if name.owner == owner]
        return Success(tuple(job for job in own if job.state == "scraping"))

    async def aclose(self) -> None:
        self.closed += 1


class Scene:
    """Two gateways with one store, and work that ends when it is told to."""

    def __init__(self) -> None:
        self.store = FakeJobStore()
        self.one = JobBoard(RunningJobs(), self.store, beat=0.0)
        self.other = JobBoard(RunningJobs(), self.store, beat=0.0)
        self.go_on = asyncio.Event()

    def work(self, *pages: Page) -> Work:
        async def work(done: Callable[[Page], None]) -> None:
            for page in pages:
                done(page)
            await self.go_on.wait()

        return work

    async def begin(self, *pages: Page, again: str = "") -> JobView:
        view = await self.one.start_job("ann", ask(again), self.work(*pages))
        assert isinstance(view, JobView)
        return view

    async def until(self, is_so: Callable[[], bool]) -> None:
        while not is_so():  # noqa: ASYNC110  the store is a fake without events
            await asyncio.sleep(0)

    def known(self, view: JobView, owner: str = "ann") -> KnownJob:
        return self.store.jobs[JobName(owner, view.id)]


def ask(again: str = "") -> StartJobRequest:
    return StartJobRequest(
        kind="batch", urls=("https://a.example/",), memo=("html",), again=again, write=_unused
    )


def _unused(_view: JobView) -> Reply:
    raise AssertionError


def run(life: Callable[[Scene], Awaitable[Value]]) -> Value:
    async def whole() -> Value:
        scene = Scene()
        try:
            return await life(scene)
        finally:
            scene.store.away = False
            await scene.one.aclose()

    return asyncio.run(whole())


def test_another_gateway_says_how_far_a_job_is_and_how_it_ended() -> None:
    async def life(scene: Scene) -> tuple[object, object, object]:
        view = await scene.begin(UNREAD)
        await scene.until(lambda: bool(scene.known(view).pages))
        meanwhile = await scene.other.find_job("ann", "batch", view.id)
        under_way = await scene.other.active_jobs("ann", "batch")
        scene.go_on.set()
        await scene.until(lambda: scene.known(view).state != "scraping")
        return meanwhile, under_way, await scene.other.find_job("ann", "batch", view.id)

    meanwhile, under_way, ended = run(life)

    assert isinstance(meanwhile, JobView)
    assert (meanwhile.state, meanwhile.pages, meanwhile.memo) == ("scraping", (UNREAD,), ("html",))
    assert under_way == [msgspec.structs.replace(meanwhile, pages=())]
    assert ended == msgspec.structs.replace(meanwhile, state="completed")


def test_a_job_is_nobody_elses_and_of_one_kind() -> None:
    async def life(scene: Scene) -> list[object]:
        view = await scene.begin()
        looks: list[object] = [
            await scene.other.find_job("bob", "batch", view.id),
            await scene.other.find_job("ann", "crawl", view.id),
            await scene.other.find_job("ann", "batch", "../x:lease"),
            await scene.other.cancel_job("bob", "batch", view.id),
        ]
        return [*looks, await scene.other.active_jobs("bob", "batch")]

    *looks, active = run(life)

    assert [look.kind for look in looks if isinstance(look, Refusal)] == ["missing"] * 4
    assert active == []


def test_a_job_that_is_cancelled_elsewhere_stops_and_keeps_its_pages() -> None:
    async def life(scene: Scene) -> tuple[object, object, int, object]:
        view = await scene.begin(UNREAD)
        await scene.until(lambda: bool(scene.known(view).pages))
        cancelled = await scene.other.cancel_job("ann", "batch", view.id)
        await scene.until(lambda: scene.one.running == 0)
        again = await scene.other.cancel_job("ann", "batch", view.id)
        return (
            cancelled,
            again,
            scene.one.running,
            await scene.one.find_job("ann", "batch", view.id),
        )

    cancelled, again, _, here = run(life)

    assert isinstance(cancelled, JobView)
    assert cancelled.state == "cancelled"
    assert isinstance(again, Refusal)
    assert again.kind == "conflict"
    assert isinstance(here, JobView)
    assert (here.state, here.pages) == ("cancelled", (UNREAD,))


def test_the_same_words_are_the_same_job_wherever_they_are_said() -> None:
    async def life(scene: Scene) -> tuple[object, object]:
        view = await scene.begin(again="once")
        return view.id, await scene.other.start_job("ann", ask("once"), scene.work())

    began, again = run(life)

    assert isinstance(again, JobView)
    assert again.id == began


def test_many_jobs_on_one_gateway_leave_no_room_on_another() -> None:
    async def life(scene: Scene) -> object:
        for _ in range(MAX_JOBS_PER_CALLER):
            await scene.begin()
        return await scene.other.start_job("ann", ask(), scene.work())

    refused = run(life)

    assert isinstance(refused, Refusal)
    assert refused.kind == "rate"


def test_while_the_store_is_away_jobs_go_on_and_are_told_when_it_is_back() -> None:
    async def life(scene: Scene) -> tuple[object, object, object, object]:
        scene.store.away = True
        view = await scene.begin(UNREAD)
        await asyncio.sleep(0)
        here = await scene.one.find_job("ann", "batch", view.id)
        elsewhere = await scene.other.find_job("ann", "batch", view.id)
        under_way = await scene.one.active_jobs("ann", "batch")
        scene.store.away = False
        await scene.until(lambda: JobName("ann", view.id) in scene.store.jobs)
        await scene.until(lambda: bool(scene.known(view).pages))
        return here, elsewhere, under_way, await scene.other.find_job("ann", "batch", view.id)

    here, elsewhere, under_way, back = run(life)

    assert isinstance(here, JobView)
    assert isinstance(elsewhere, Refusal)
    assert elsewhere.kind == "unavailable"
    assert under_way == [here] == [back]


def test_a_store_that_stays_away_ends_no_job_late() -> None:
    async def life(scene: Scene) -> tuple[str, object]:
        view = await scene.begin()
        scene.store.away = True
        scene.go_on.set()
        await scene.until(lambda: scene.one.running == 0)
        refused = await scene.one.cancel_job("ann", "batch", view.id)
        assert isinstance(refused, Refusal)
        return (refused.kind, await scene.one.find_job("ann", "batch", view.id))

    kind, ended = run(life)

    assert kind == "conflict"
    assert isinstance(ended, JobView)
    assert ended.state == "completed"


def test_a_cancellation_that_cannot_be_noted_is_told() -> None:
    class Half(FakeJobStore):
        async def end(self, name: JobName, state: JobState, /) -> Result[JobState | None, WebError]:
            return AWAY if state == "cancelled" else await super().end(name, state)

    async def life(scene: Scene) -> object:
        store = Half()
        one, other = (
            JobBoard(RunningJobs(), store, beat=0.0),
            JobBoard(RunningJobs(), store, beat=0.0),
        )
        view = await one.start_job("ann", ask(), scene.work())
        assert isinstance(view, JobView)
        refused = await other.cancel_job("ann", "batch", view.id)
        await one.aclose()
        return refused

    refused = run(life)

    assert isinstance(refused, Refusal)
    assert refused.kind == "unavailable"


def test_a_gateway_that_ends_leaves_its_jobs_as_failed() -> None:
    async def life(scene: Scene) -> object:
        view = await scene.begin(UNREAD)
        await asyncio.sleep(0)
        await scene.one.aclose()
        return await scene.other.find_job("ann", "batch", view.id)

    left = run(life)

    assert isinstance(left, JobView)
    assert (left.state, left.pages) == ("failed", (UNREAD,))


def test_pages_of_another_release_are_not_taken_for_ours() -> None:
    async def life(scene: Scene) -> object:
        view = await scene.begin()
        name = JobName("ann", view.id)
        await scene.store.add(name, 0, (b"?",))
        return await scene.other.find_job("ann", "batch", view.id)

    refused = run(life)

    assert isinstance(refused, Refusal)
    assert refused.kind == "unavailable"
