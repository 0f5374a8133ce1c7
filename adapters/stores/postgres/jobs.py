"""Jobs in PostgreSQL, for gateways without a shared Valkey. Times are the server's."""

import time
from collections.abc import Callable

import msgspec
from returns.result import Result

from webseam.ports.jobs import JobName, JobRecord, JobState, KnownJob
from webseam.ports.secrets import Secret

from .pool import Connection, PostgresClient, PostgresError
from .schema import fetch_rows

JOBS_STORE = "jobs"
LEASE_SECONDS = 10.0
# The state for readers: a job whose lease has ended has failed.
_STATE_EXPRESSION = (
    "CASE WHEN state = 'scraping' AND leased < clock_timestamp() THEN 'failed' ELSE state END"
)
_JOB_DECODER = msgspec.msgpack.Decoder(JobRecord)


class PostgresJobs:
    """A ``JobStore`` that several machines share."""

    def __init__(
        self, address: Secret, *, lease: float = LEASE_SECONDS, now: Callable[[], float] = time.time
    ) -> None:
        """Store jobs at ``address``; a worker must renew its lease within ``lease`` seconds."""
        self._client = PostgresClient(address, JOBS_STORE)
        self._lease_seconds = lease
        self._now = now

    async def begin(self, record: JobRecord, /) -> Result[JobName, PostgresError]:
        """Store a job; return its name, or that of an earlier job with the same ``again`` key."""
        seconds = max(record.expires - self._now(), 1.0)

        def work(connection: Connection) -> JobName:
            connection.execute("DELETE FROM webseam_jobs WHERE expires < clock_timestamp()")
            connection.execute(
                "INSERT INTO webseam_jobs (id, owner, again, record, state, leased, expires)"
                " VALUES (%s, %s, %s, %s, 'scraping',"
                " clock_timestamp() + make_interval(secs => %s),"
                " clock_timestamp() + make_interval(secs => %s)) ON CONFLICT DO NOTHING",
                (
                    record.name.id,
                    record.name.owner,
                    record.again,
                    msgspec.msgpack.encode(record),
                    self._lease_seconds,
                    seconds,
                ),
            )
            rows = fetch_rows(
                connection,
                "SELECT id FROM webseam_jobs WHERE owner = %s AND (id = %s OR again = %s)"
                " AND (id = %s OR again <> '')",
                (record.name.owner, record.name.id, record.again, record.name.id),
                tuple[str],
            )
            return JobName(record.name.owner, rows[0][0])

        return await self._client.run_in_thread(work)

    async def add(
        self, name: JobName, first: int, pages: tuple[bytes, ...], /
    ) -> Result[bool, PostgresError]:
        """Store pages from position ``first`` on; return False when there is no such job."""

        def work(connection: Connection) -> bool:
            jobs = fetch_rows(
                connection,
                "SELECT 1 FROM webseam_jobs WHERE id = %s AND owner = %s FOR UPDATE",
                (name.id, name.owner),
                tuple[int],
            )
            for position, page in enumerate(pages if jobs else (), first):
                connection.execute(
                    "INSERT INTO webseam_job_pages (job, place, page) VALUES (%s, %s, %s)"
                    " ON CONFLICT DO NOTHING",
                    (name.id, position, page),
                )
            return bool(jobs)

        return await self._client.run_in_thread(work)

    async def renew_job(self, name: JobName, /) -> Result[JobState | None, PostgresError]:
        """Renew the lease of a job; return its state, None when there is no such job."""

        def work(connection: Connection) -> JobState | None:
            states = fetch_rows(
                connection,
                "UPDATE webseam_jobs SET leased = clock_timestamp() + make_interval(secs => %s)"
                " WHERE id = %s AND owner = %s RETURNING state",
                (self._lease_seconds, name.id, name.owner),
                tuple[JobState],
            )
            return states[0][0] if states else None

        return await self._client.run_in_thread(work)

    async def end(
        self, name: JobName, state: JobState, /
    ) -> Result[JobState | None, PostgresError]:
        """Set the final state of a running job; return its state before."""

        def work(connection: Connection) -> JobState | None:
            states = fetch_rows(
                connection,
                f"SELECT state, {_STATE_EXPRESSION} FROM webseam_jobs"  # noqa: S608  a constant
                " WHERE id = %s AND owner = %s FOR UPDATE",
                (name.id, name.owner),
                tuple[JobState, JobState],
            )
            if not states:
                return None
            stored_state, visible_state = states[0]
            if stored_state != "scraping" or (state == "cancelled" and visible_state == "failed"):
                return visible_state
            connection.execute("UPDATE webseam_jobs SET state = %s WHERE id = %s", (state, name.id))
            return stored_state

        return await self._client.run_in_thread(work)

    async def find(self, name: JobName, /) -> Result[KnownJob | None, PostgresError]:
        """Return a job of its owner, with its pages; None if there is none."""

        def work(connection: Connection) -> KnownJob | None:
            jobs = _select_jobs(connection, "id = %s AND owner = %s", (name.id, name.owner))
            if not jobs:
                return None
            pages = fetch_rows(
                connection,
                "SELECT page FROM webseam_job_pages WHERE job = %s ORDER BY place",
                (name.id,),
                tuple[bytes],
            )
            return msgspec.structs.replace(jobs[0], pages=tuple(page for (page,) in pages))

        return await self._client.run_in_thread(work)

    async def running_jobs(self, owner: str, /) -> Result[tuple[KnownJob, ...], PostgresError]:
        """Return the owner's running jobs, without their pages."""
        condition = "owner = %s AND state = 'scraping' AND leased >= clock_timestamp()"
        return await self._client.run_in_thread(
            lambda connection: tuple(_select_jobs(connection, condition, (owner,)))
        )

    async def aclose(self) -> None:
        """Leave the shared connections."""
        await self._client.aclose()


def _select_jobs(connection: Connection, condition: str, values: tuple[str, ...]) -> list[KnownJob]:
    rows = fetch_rows(
        connection,
        f"SELECT record, {_STATE_EXPRESSION} FROM webseam_jobs"  # noqa: S608  constants
        f" WHERE {condition} AND expires > clock_timestamp()",
        values,
        tuple[bytes, JobState],
    )
    return [KnownJob(record=_JOB_DECODER.decode(record), state=state) for record, state in rows]
