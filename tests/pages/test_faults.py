"""The faults that concern what is on a page, through the fetcher, a worker and the kernel."""

import asyncio
import re
from collections.abc import Mapping

import pytest
from returns.result import Failure, Result

from webseam import pages_backend
from webseam.composition.planning.open_backends import close_after
from webseam.kernel import WebDeps, web_extract
from webseam.kernel.policy import PolicySettings, make_policy
from webseam.ports import EmptyContent, WebError, WebExtractResult
from webseam.testing import FAULTS, FaultyServer

GROUPS = ("control", "charset", "content", "markup", "injection")
NAMES = [name for name, fault in FAULTS.items() if fault.group in GROUPS]
FLAKY = ["flaky_reset", "flaky_503"]

Read = Mapping[str, Result[WebExtractResult, WebError]]


@pytest.fixture(scope="session")
def read() -> Read:
    return asyncio.run(read_all())


async def read_all() -> Read:
    async with FaultyServer() as server:
        allowed = (f"127.0.0.1/32:{server.ports['main']}",)
        policy = make_policy(PolicySettings(allow_private=allowed)).unwrap()
        backend = pages_backend(policy)
        deps = WebDeps(backend=backend, policy=policy)
        asked = [*NAMES, *FLAKY]
        pages = asyncio.gather(*(web_extract(server.url(name), deps) for name in asked))
        found = dict(zip(asked, await close_after(backend, pages), strict=True))
        assert server.canary_hits == 0
        return found


def kind_of(result: Result[WebExtractResult, WebError]) -> str:
    return result.failure().kind if isinstance(result, Failure) else "ok"


def test_every_page_ends_in_the_right_kind(read: Read) -> None:
    for name in (*NAMES, *FLAKY):
        assert kind_of(read[name]) in FAULTS[name].expect, name


@pytest.mark.parametrize("name", [name for name in NAMES if "MARKER-OK" in FAULTS[name].check])
def test_the_text_of_a_sound_page_arrives(read: Read, name: str) -> None:
    assert "MARKER-OK" in read[name].unwrap().content


@pytest.mark.parametrize("name", [name for name in NAMES if FAULTS[name].group == "injection"])
def test_nothing_hides_or_runs_in_what_was_read(read: Read, name: str) -> None:
    page = read[name].unwrap()

    assert not re.search(r"HIDDEN-\d", page.content)
    assert not re.search(r"(?<!\\)!\[[^\]]*\]\(https?:", page.content)
    assert not re.search(r"\]\((?:javascript|data|file|vbscript):", page.content)
    assert not re.search(
        "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u202a-\u202e\u2060-\u2069\ufeff]", page.content
    )
    assert "\n" not in page.title


def test_a_page_that_needs_a_browser_says_so(read: Read) -> None:
    failure = read["js_shell"].failure()
    assert isinstance(failure, EmptyContent)
    assert failure.reason == "needs_browser"
