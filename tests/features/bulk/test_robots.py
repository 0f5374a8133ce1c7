"""robots.txt as it is read for a crawler: by its name, once, and again after a day."""

import asyncio
from pathlib import Path

import pytest
from returns.result import Result, Success

from tests.features.bulk.farm import Answer, Site, local_policy, page, sites
from tests.features.bulk.samples import rows, run
from webseam.adapters.features.bulk.crawling.robots import (
    MAX_AGE_SECONDS,
    MAX_ROBOTS_BYTES,
    RobotsFiles,
    RobotsRules,
)
from webseam.kernel.features.bulk.pace import crawl_robot_name
from webseam.kernel.policy import parse_target
from webseam.ports.errors import WebError
from webseam.testing import FakeClock

# Editors of Windows begin a text with a mark, which is no part of its first line.
FILE = b"\xef\xbb\xbfUser-agent: mybot\nCrawl-delay: 7\nDisallow: /x\n\nUser-agent: *\nCrawl-delay: 1\n"
TARGET = parse_target("https://a.example/x").unwrap()


def read(agent: str, *times: float, file: bytes = FILE) -> tuple[list[RobotsRules], list[str]]:
    asked: list[str] = []
    clock = FakeClock(0.0)

    async def fetch(url: str) -> Result[bytes, WebError]:
        asked.append(url)
        return Success(file)

    async def session() -> list[RobotsRules]:
        files = RobotsFiles(fetch, agent, lambda _: True, max_delay=60.0, now=clock)
        rules = []
        for time in times:
            clock.advance(time - clock())
            rules.append(await files.host_rules(TARGET))
        return rules

    return asyncio.run(session()), asked


def test_rules_and_delay_are_those_for_the_name_that_asks() -> None:
    (own,), _ = read("mybot", 0.0)
    (others,), _ = read("other", 0.0)

    assert (own.delay, others.delay) == (7.0, 1.0)
    assert own.explain_refusal(TARGET.url, "mybot") is not None
    assert others.explain_refusal(TARGET.url, "other") is None


@pytest.mark.parametrize(
    ("lines", "seconds"),
    [
        ("Crawl-delay: 1.5", 1.5),
        ("crawl-delay:1,5 # slowly", 1.5),
        ("Crawl delay 2s", 2.0),
        ("Crawl-delay: soon", None),
        ("Crawl-delay: 1e1", 10.0),
        ("Request-rate: 1/5", 5.0),
        ("Request-rate: 4/10s\nCrawl-delay: 1", 2.5),
        ("Crawl-delay: 3\nRequest-rate: 0/9", 3.0),
    ],
)
def test_a_delay_is_what_a_host_asks_for_however_it_is_written(
    lines: str, seconds: float | None
) -> None:
    (rules,), _ = read("mybot", 0.0, file=f"User-agent: *\n{lines}\n".encode())

    assert rules.delay == seconds


def test_a_delay_is_for_whom_is_named_before_it_and_rules_for_all_of_a_group() -> None:
    file = (
        b"User-agent: mybot\nCrawl-delay: 7\nUser-agent: other\nCrawl-delay: 20\nDisallow: /x\n"
        b"User-agent: *\nCrawl-delay: 1\nAllow: /x\n"
    )
    for agent, delay, is_closed in (("mybot", 7.0, True), ("other", 20.0, True), ("a", 1.0, False)):
        (rules,), _ = read(agent, 0.0, file=file)

        assert rules.delay == delay
        assert (rules.explain_refusal(TARGET.url, agent) is not None) == is_closed


@pytest.mark.parametrize(
    ("names", "is_meant"),
    [
        ("User-agent: MyBot", True),
        ("User-agent: mybot/2.0 # the old one", True),
        ("user agent MYBOT", True),
        ("User-agent: other\rUser-agent: mybot", True),
        ("User-agent: mybot\nNoindex: /z\nSitemap: /s.xml\n\nUser-agent: other", True),
        ("User-agent: mybot\nCrawl-delay: 9\nUser-agent: other", True),
        (
            "User-agent: mybot\nRequest-rate: 1/9\n\nUser-agent: a\nVisit-time: 1-2\nUser-agent: b",
            True,
        ),
        ("User-agent: my", False),
        ("User-agent: mybot-news", False),
        ("User-agent: bot", False),
    ],
)
def test_a_group_is_for_whom_it_names_not_for_names_that_begin_alike(
    names: str, *, is_meant: bool
) -> None:
    file = f"{names}\nDisallow: /y\n\nUser-agent: *\nDisallow: /x\n".encode()
    (rules,), _ = read("MyBot", 0.0, file=file)

    refused = rules.explain_refusal("https://a.example/y", "MyBot") is not None
    assert (refused, rules.explain_refusal(TARGET.url, "MyBot") is None) == (is_meant, is_meant)


_CLOSED = "User-agent: *\nDisallow: /x\n"


@pytest.mark.parametrize(
    "file",
    [
        _CLOSED.encode("utf-16"),
        _CLOSED.encode("utf-16-be"),
        b"\xfe\xff" + _CLOSED.encode("utf-16-be"),
        b"\0" + _CLOSED.encode() + b"\0\0",
        _CLOSED.encode() + b"Disallow: /caf\xe9\n",
        _CLOSED.replace("\n", "\r").encode(),
    ],
)
@pytest.mark.parametrize("kind", ["text/plain", "image/png", "application/pdf", ""])
def test_rules_hold_in_whatever_bytes_and_of_whatever_type_they_are(
    file: bytes, kind: str, tmp_path: Path
) -> None:
    rules = Answer(body=file, headers={"Content-Type": kind})
    site = Site({"/robots.txt": rules, "/x": page("Closed"), "/y": page("Open")})
    with sites(site):
        urls = [f"{site.root}/x", f"{site.root}/y"]
        run(tmp_path / "out", *urls, policy=local_policy(site), delay=0.0).unwrap()

    assert site.paths == ["/robots.txt", "/y"]
    assert [row["error"] for row in rows(tmp_path / "out")] == ["call_refused", None]


def test_a_file_of_any_length_is_read_as_far_as_it_counts(tmp_path: Path) -> None:
    long = _CLOSED.encode() + b"# nothing\n" * 2_000_000
    site = Site({"/robots.txt": Answer(body=long), "/x": page("Closed"), "/y": page("Open")})
    with sites(site):
        urls = [f"{site.root}/x", f"{site.root}/y"]
        run(tmp_path / "out", *urls, policy=local_policy(site), delay=0.0).unwrap()

    assert [row["error"] for row in rows(tmp_path / "out")] == ["call_refused", None]


def test_a_line_that_is_cut_off_is_no_rule() -> None:
    head = b"User-agent: *\nDisallow: /\n"
    blank = b"#" * (MAX_ROBOTS_BYTES - len(head) - len(b"\nAllow: /"))
    (rules,), _ = read("MyBot", 0.0, file=head + blank + b"\nAllow: /only/this\n")

    assert rules.explain_refusal(TARGET.url, "MyBot") is not None


def test_a_file_is_good_for_a_day() -> None:
    _, asked = read("mybot", 0.0, MAX_AGE_SECONDS, MAX_AGE_SECONDS + 1.0, 2 * MAX_AGE_SECONDS)

    assert asked == ["https://a.example/robots.txt"] * 2


def test_an_agent_without_a_name_goes_by_all_that_it_says() -> None:
    assert crawl_robot_name(" 007/1 ") == "007/1"
