"""Lists of URLs, fetched as a guest and kept as WARC."""

import json
from functools import partial
from itertools import pairwise
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.features.bulk.farm import Answer, Site, local_policy, page, sites, text
from tests.features.bulk.samples import Here, digests, html, outcomes, rows, run
from webseam.composition.features.bulk.conversion import RunWatch
from webseam.composition.features.bulk.dataset_status import read_run_status
from webseam.composition.features.bulk.report_lines import run_status_lines


def test_pages_come_in_the_order_of_the_list_whatever_becomes_of_each(tmp_path: Path) -> None:
    site = Site(
        {
            "/robots.txt": text("User-agent: *\nDisallow: /private"),
            "/a": page("First"),
            "/moved": Answer(302, headers={"Location": "/b"}),
            "/b": page("Second"),
        }
    )
    with sites(site):
        lines = ["/a", "/moved", "/private/c", "/gone", "# not this", "", "/a b\tc"]
        listed = tmp_path / "urls.txt"
        listed.write_text(
            "\n".join(f"{site.root}{line}" if line.startswith("/") else line for line in lines)
        )
        end = run(tmp_path / "out", listed, policy=local_policy(site), delay=0.0).unwrap()
        again = run(tmp_path / "again", tmp_path / "out" / "_warc" / "part-000000.warc.gz").unwrap()

    assert outcomes(tmp_path / "out") == [
        ("First", None),
        ("Second", None),
        (None, "call_refused"),
        (None, "http_status"),
        (None, "invalid_url"),
    ]
    assert [row["final_url"] for row in rows(tmp_path / "out")][:2] == [
        f"{site.root}/a",
        f"{site.root}/b",
    ]
    assert end.summary is not None
    assert end.summary.rows == 5
    assert sorted(site.paths) == ["/a", "/b", "/gone", "/moved", "/robots.txt"]
    assert again.summary == end.summary
    assert digests(tmp_path / "again") == digests(tmp_path / "out")


def test_steps_in_a_path_do_not_lead_around_robots_txt(tmp_path: Path) -> None:
    rules = text("User-agent: *\nDisallow: /private")
    site = Site({"/robots.txt": rules, "/a": page("First"), "/private/c": page("Closed")})
    with sites(site):
        paths = ("/x/../private/c", "/x/%2e%2E/private/c", "/x/../a", "/a")
        listed = tmp_path / "urls.txt"
        listed.write_text("\n".join(f"{site.root}{path}" for path in paths))
        run(tmp_path / "out", listed, policy=local_policy(site), delay=0.0).unwrap()

    closed, first = (None, "call_refused"), ("First", None)
    assert outcomes(tmp_path / "out") == [closed, closed, first, first]
    assert site.paths == ["/robots.txt", "/a"]


def test_a_page_that_is_listed_twice_is_asked_for_once(tmp_path: Path) -> None:
    site = Site(
        {
            "/a": page("First"),
            "/moved": Answer(302, headers={"Location": "/b"}),
            "/b": page("Second"),
            "/c": page("Third"),
        }
    )
    with sites(site):
        lines = ["/a", "/moved", "/a#part", "/gone", "/c", "/moved", "/a", "/gone", "http://[x"]
        urls = [f"{site.root}{line}" if line.startswith("/") else line for line in lines]
        listed = tmp_path / "urls.txt"
        listed.write_text("\n".join([*urls, urls[-1]]))
        policy = local_policy(site)
        run(tmp_path / "out", listed, policy=policy, per_shard=2, delay=0.0, robots=False).unwrap()

    assert outcomes(tmp_path / "out") == [
        ("First", None),
        ("Second", None),
        ("First", None),
        (None, "http_status"),
        ("Third", None),
        ("Second", None),
        ("First", None),
        (None, "http_status"),
        (None, "invalid_url"),
        (None, "invalid_url"),
    ]
    assert [row["url"] for row in rows(tmp_path / "out")] == [*urls, urls[-1]]
    assert sorted(site.paths) == ["/a", "/b", "/c", "/gone", "/moved"]
    assert not (tmp_path / "out" / "_fetching").exists()


def test_redirect_to_a_fetched_page_is_not_fetched_again(tmp_path: Path) -> None:
    site = Site(
        {
            "/new": page("New"),
            "/old": Answer(301, headers={"Location": "/new"}),
            "/older": Answer(301, headers={"Location": "/old"}),
            "/home": page("Home"),
            "/dead": Answer(302, headers={"Location": "/home"}),
            "/gone": Answer(302, headers={"Location": "/home#top"}),
            "/circle": Answer(302, headers={"Location": "/circle"}),
        }
    )
    with sites(site):
        urls = [f"{site.root}/{path}" for path in ["new", "old", "older", "dead", "gone", "circle"]]
        listed = tmp_path / "urls.txt"
        listed.write_text("\n".join(urls))
        run(tmp_path / "out", listed, policy=local_policy(site), delay=0.0, robots=False).unwrap()

    assert outcomes(tmp_path / "out") == [
        ("New", None),
        ("New", None),
        ("New", None),
        ("Home", None),
        ("Home", None),
        (None, "too_many_redirects"),
    ]
    finals = [row["final_url"] for row in rows(tmp_path / "out")][:5]
    assert finals == [f"{site.root}/{path}" for path in ("new", "new", "new", "home", "home")]
    assert sorted(site.paths) == ["/circle", "/dead", "/gone", "/home", "/new", "/old", "/older"]


XML = {"Content-Type": "application/xml"}
INDEX = b"<sitemapindex><sitemap><loc>ROOT/map.xml</loc></sitemap></sitemapindex>"
MAP = b"<urlset><url><loc>ROOT/a</loc></url><url><loc>ROOT/b</loc></url></urlset>"
FEED = (
    b'<rss version="2.0"><channel><title>t</title><item><title>x</title><link>ROOT/a</link></item>'
    b"<item><title>y</title><link>ROOT/b</link></item></channel></rss>"
)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("list.csv", "name,url\nx,ROOT/a\ny,ROOT/b\n"),
        ("list.tsv", "url\tname\nROOT/a\tx\nROOT/b\ty\n"),
        ("list.jsonl", '{"url": "ROOT/a"}\n{"url": "ROOT/b"}\n'),
        ("list.jsonl", '{"URL": "ROOT/a"}\n{"Url": "ROOT/b", "html": 1}\n'),
        ("-", "ROOT/a\nROOT/b"),
        ("-", '{"url": "ROOT/a"}\n{"url": "ROOT/b"}\n'),
        ("ROOT/sitemap.xml", ""),
        ("feed:ROOT/feed", ""),
    ],
)
def test_urls_are_found_in_every_sort_of_list(name: str, content: str, tmp_path: Path) -> None:
    site = Site(
        {
            "/a": page("First"),
            "/b": page("Second"),
            "/sitemap.xml": Answer(body=INDEX, headers=XML),
            "/map.xml": Answer(body=MAP, headers=XML),
            "/feed": Answer(body=FEED, headers=XML),
        }
    )
    with sites(site):
        written = content.replace("ROOT", site.root)
        place: object = name.replace("ROOT", site.root)
        if name.startswith("list"):
            place = tmp_path / name
            (tmp_path / name).write_text(written)
        policy = local_policy(site)
        run(tmp_path / "out", place, policy=policy, delay=0.0, stdin=written.encode()).unwrap()

    assert outcomes(tmp_path / "out") == [("First", None), ("Second", None)]


def test_urls_in_a_column_of_parquet_and_one_on_the_command_line(tmp_path: Path) -> None:
    site = Site({"/a": page("First")})
    with sites(site):
        pq.write_table(pa.table({"link": [f"{site.root}/a", None]}), tmp_path / "list.parquet")
        inputs = (tmp_path / "list.parquet", f"{site.root}/a")
        run(tmp_path / "out", *inputs, policy=local_policy(site), delay=0.0, column="link").unwrap()

    expected = [("First", None), (None, "invalid_url"), ("First", None)]
    assert outcomes(tmp_path / "out") == expected


def test_urls_on_the_command_line_are_one_shard_in_their_place(tmp_path: Path) -> None:
    site = Site({"/a": page("First"), "/b": page("Second")})
    (tmp_path / "page.html").write_bytes(html("Third"))
    with sites(site):
        inputs = (f"{site.root}/b", f"{site.root}/a", tmp_path / "page.html", f"{site.root}/a")
        run(tmp_path / "out", *inputs, policy=local_policy(site), delay=0.0).unwrap()

    parts = sorted(path.name for path in (tmp_path / "out").glob("part-*"))
    assert parts == [f"part-{number:06}.parquet" for number in range(3)]
    titles = [title for title, _ in outcomes(tmp_path / "out")]
    assert titles == ["Second", "First", "Third", "First"]


@pytest.mark.parametrize("per_host", [1, 3])
def test_the_delay_that_a_host_asks_for_is_kept_from_the_first_question_on(
    per_host: int, tmp_path: Path
) -> None:
    site = Site(
        {
            "/robots.txt": text("User-agent: *\nCrawl-delay: 0.2"),
            **{f"/{n}": page(str(n)) for n in range(3)},
        }
    )
    with sites(site):
        listed = tmp_path / "urls.txt"
        listed.write_text("\n".join(f"{site.root}/{number}" for number in range(3)))
        policy = local_policy(site)
        run(tmp_path / "out", listed, policy=policy, delay=0.0, per_host=per_host).unwrap()

    assert len(site.asked) == 4
    assert all(later.began - sooner.ended >= 0.2 for sooner, later in pairwise(site.asked))


@pytest.mark.parametrize(("status", "error"), [(500, "call_refused"), (404, None), (403, None)])
def test_a_robots_file_that_cannot_be_had_closes_a_host_or_opens_it(
    status: int, error: str | None, tmp_path: Path
) -> None:
    site = Site({"/robots.txt": Answer(status, headers={"Retry-After": "0"}), "/a": page("First")})
    with sites(site):
        run(tmp_path / "out", f"{site.root}/a", policy=local_policy(site), delay=0.0).unwrap()

    assert outcomes(tmp_path / "out")[0][1] == error


def test_a_host_that_is_busy_is_asked_again_after_the_time_it_names(tmp_path: Path) -> None:
    busy = Answer(429, headers={"Retry-After": "0"})
    site = Site({"/a": [busy, page("First")]})
    with sites(site):
        run(tmp_path / "out", f"{site.root}/a", policy=local_policy(site), delay=0.0).unwrap()

    assert outcomes(tmp_path / "out") == [("First", None)]
    assert site.paths.count("/a") == 2


def test_caps_on_a_host_and_on_bytes_are_rows_that_say_so(tmp_path: Path) -> None:
    site = Site({f"/{number}": page(str(number)) for number in range(4)})
    with sites(site):
        listed = tmp_path / "urls.txt"
        listed.write_text("\n".join(f"{site.root}/{number}" for number in range(4)))
        run(tmp_path / "hosts", listed, policy=local_policy(site), delay=0.0, max_per_host=2)
        run(tmp_path / "bytes", listed, policy=local_policy(site), delay=0.0, max_bytes=1)

    assert [error for _, error in outcomes(tmp_path / "hosts")] == [
        None,
        None,
        "call_refused",
        "call_refused",
    ]
    assert "call_refused" in {error for _, error in outcomes(tmp_path / "bytes")}


def test_a_page_that_has_not_changed_since_a_former_run_is_taken_from_it(tmp_path: Path) -> None:
    tagged = Answer(body=page("First").body, headers={"ETag": '"1"'})
    site = Site({"/a": tagged})
    with sites(site):
        run(tmp_path / "one", f"{site.root}/a", policy=local_policy(site), delay=0.0).unwrap()
        run(
            tmp_path / "two",
            f"{site.root}/a",
            policy=local_policy(site),
            delay=0.0,
            former=str(tmp_path / "one"),
        ).unwrap()

    assert outcomes(tmp_path / "two") == [("First", None)]
    assert [each.headers.get("If-None-Match") for each in site.asked if each.path == "/a"] == [
        None,
        '"1"',
    ]


def test_pages_that_were_fetched_before_a_stop_are_not_fetched_again(tmp_path: Path) -> None:
    site = Site({f"/{number}": page(str(number)) for number in range(5)})
    with sites(site):
        listed = tmp_path / "urls.txt"
        listed.write_text("\n".join(f"{site.root}/{number}" for number in range(5)))
        stop = RunWatch(converter=Here(), is_stopping=lambda: len(site.asked) >= 3)
        stopped = run(
            tmp_path / "out", listed, policy=local_policy(site), delay=0.0, watch=stop
        ).unwrap()
        status = read_run_status(tmp_path / "out").unwrap()
        told = run_status_lines(status)
        fetched: list[int] = []
        watch = RunWatch(converter=Here(), on_fetch=lambda: fetched.append(1))
        run(tmp_path / "out", listed, policy=local_policy(site), delay=0.0, watch=watch).unwrap()

    assert stopped.summary is None
    assert status.fetched + len(fetched) == 5
    assert told[0].startswith("0 of 5 rows (0%), 0 of 1 shard")
    assert f"{status.fetched} pages fetched, to be read" in told
    assert [title for title, _ in outcomes(tmp_path / "out")] == ["0", "1", "2", "3", "4"]
    assert all(site.paths.count(f"/{number}") == 1 for number in range(5))


def test_a_stop_does_not_wait_for_a_host_that_rests(tmp_path: Path) -> None:
    site = Site({"/a": Answer(429, headers={"Retry-After": "200"}), "/b": page("Second")})
    with sites(site):
        listed = tmp_path / "urls.txt"
        listed.write_text(f"{site.root}/a\n{site.root}/b")
        stop = RunWatch(converter=Here(), is_stopping=lambda: "/a" in site.paths)
        stopped = run(
            tmp_path / "out", listed, policy=local_policy(site), delay=0.0, watch=stop
        ).unwrap()

    assert stopped.summary is None
    assert "/b" not in site.paths


def test_a_list_without_a_url_has_a_row_without_one(tmp_path: Path) -> None:
    listed = tmp_path / "urls.csv"
    listed.write_text("url,name\n,first\n")

    run(tmp_path / "out", listed).unwrap()

    assert [(row["url"], row["error"]) for row in rows(tmp_path / "out")] == [(None, "invalid_url")]


def test_a_list_of_pages_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    site = Site({"/index.xml": Answer(body=INDEX, headers=XML), "/a.xml": page("No list")})
    with sites(site):
        policy = local_policy(site)
        gone = run(tmp_path / "one", f"{site.root}/index.xml", policy=policy, delay=0.0).failure()
        other = run(tmp_path / "two", f"{site.root}/a.xml", policy=policy, delay=0.0).failure()

    assert f"{site.root}/map.xml: " in gone.message
    assert "404" in gone.message
    assert f"{site.root}/a.xml: " in other.message
    assert "neither a sitemap nor a feed" in other.message


def test_a_budget_counts_what_an_earlier_run_of_the_folder_fetched(tmp_path: Path) -> None:
    site = Site({f"/{number}": page(f"Page {number}") for number in range(6)})
    fetched = 0

    def count() -> None:
        nonlocal fetched
        fetched += 1

    def has_come(most: int) -> bool:
        return fetched >= most

    with sites(site):
        listed = tmp_path / "urls.txt"
        listed.write_text("\n".join(f"{site.root}/{number}" for number in range(6)))
        size = len(page("Page 0").body)
        for most in (2, 3, 9):
            run(
                tmp_path / "out",
                listed,
                watch=RunWatch(
                    converter=Here(), on_fetch=count, is_stopping=partial(has_come, most)
                ),
                policy=local_policy(site),
                max_bytes=size * 4,
                delay=0.0,
                robots=False,
                per_shard=2,
            )

    assert len(site.asked) == 4
    errors = [row["error"] for row in rows(tmp_path / "out")]
    assert errors.count("call_refused") == 2


@pytest.mark.parametrize(
    ("agent", "expected"),
    [
        ("mybot/2.0 (+https://x.example)", "call_refused"),
        ("Mozilla/5.0 (compatible; MyBot/2.0)", "call_refused"),
        ("other/1.0", None),
        (None, None),
    ],
)
def test_robots_txt_is_read_as_who_asks(
    agent: str | None, expected: str | None, tmp_path: Path
) -> None:
    rules = text("User-agent: MyBot\nDisallow: /\n\nUser-agent: *\nAllow: /")
    site = Site({"/robots.txt": rules, "/a": page("First")})
    with sites(site):
        run(tmp_path / "out", f"{site.root}/a", policy=local_policy(site), user_agent=agent)

    assert [row["error"] for row in rows(tmp_path / "out")] == [expected]


def test_a_price_names_the_site_as_its_payee(tmp_path: Path) -> None:
    site = Site({"/paid": Answer(402, headers={"crawler-price": "USD 0.01"})})
    with sites(site):
        (tmp_path / "urls.txt").write_text(f"{site.root}/paid\n")
        policy = local_policy(site)
        run(tmp_path / "out", tmp_path / "urls.txt", policy=policy, robots=False).unwrap()

    error = json.loads(str(rows(tmp_path / "out")[0]["error_json"]))
    assert (error["amount"], error["payee"]) == ("0.01", "127.0.0.1")
