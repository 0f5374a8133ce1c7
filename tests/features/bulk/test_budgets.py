"""Budgets of a run: bytes in all, and URLs of a host."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from tests.features.bulk.farm import Answer, Site, local_policy, page, sites, text
from tests.features.bulk.nodes import FakeNodes
from tests.features.bulk.samples import Here, rows, run
from webseam.composition.features.bulk.bulk_run import RunEnd
from webseam.composition.features.bulk.conversion import RunWatch


def test_hosts_that_wait_for_their_turn_do_not_spend_a_budget_that_is_spent(tmp_path: Path) -> None:
    many = [Site({"/robots.txt": text(""), "/": page("Page")}) for _ in range(6)]
    with sites(*many):
        urls = [f"{site.root}/" for site in many]
        run(
            tmp_path / "out",
            *urls,
            policy=local_policy(*many),
            delay=0.0,
            at_once=1,
            max_bytes=2 * len(page("Page").body),
        ).unwrap()

    assert sum(site.paths.count("/") for site in many) == 2
    refused = [row["error_json"] for row in rows(tmp_path / "out") if row["error"]]
    assert len(refused) == 4
    assert all('"by":"--max-bytes"' in str(each) for each in refused)


def test_a_budget_counts_a_page_once_however_many_rows_it_stands_in(tmp_path: Path) -> None:
    pages: dict[str, Answer | list[Answer]] = {f"/{number}": page("Page") for number in range(4)}
    site = Site({**pages, "/moved": Answer(302, headers={"Location": "/0"})})
    fetched = 0

    def count() -> None:
        nonlocal fetched
        fetched += 1

    def has_come(most: int) -> bool:
        return fetched >= most

    with sites(site):
        listed = tmp_path / "urls.txt"
        listed.write_text(
            "\n".join(f"{site.root}/{place}" for place in [0, 0, 0, "moved", 1, 2, 3])
        )
        for most in (4, 99):
            run(
                tmp_path / "out",
                listed,
                watch=RunWatch(
                    converter=Here(), on_fetch=count, is_stopping=partial(has_come, most)
                ),
                policy=local_policy(site),
                max_bytes=4 * len(page("Page").body),
                delay=0.0,
                robots=False,
                per_shard=2,
            )

    assert [row["error"] for row in rows(tmp_path / "out")] == [None] * 7


def test_a_budget_does_not_count_what_a_former_run_had(tmp_path: Path) -> None:
    tagged = Answer(body=page("Page").body, headers={"ETag": '"1"'})
    site = Site({"/a": tagged, "/b": page("Page")})
    with sites(site):
        urls = [f"{site.root}/a", f"{site.root}/b"]
        run(tmp_path / "one", urls[0], policy=local_policy(site), delay=0.0).unwrap()
        stop = RunWatch(converter=Here(), is_stopping=lambda: site.paths.count("/a") > 1)
        for watch in (stop, None):
            run(
                tmp_path / "two",
                *urls,
                watch=watch,
                policy=local_policy(site),
                delay=0.0,
                former=str(tmp_path / "one"),
                max_bytes=1,
            ).unwrap()

    assert [row["error"] for row in rows(tmp_path / "two")] == [None, None]


@pytest.mark.parametrize("other", ["http://xn--4ca.invalid/", "http://\u00c4.invalid./"])
def test_a_host_has_one_cap_however_it_is_spelt(other: str, tmp_path: Path) -> None:
    urls = ["http://\u00e4.invalid/1", f"{other}2", "http:///a", "http:///b"]
    listed = tmp_path / "urls.txt"
    listed.write_text("\n".join(urls), "utf-8")
    run(tmp_path / "out", listed, delay=0.0, max_per_host=1).unwrap()

    by_cap = ['"by":"--max-per-host"' in str(row["error_json"]) for row in rows(tmp_path / "out")]
    assert by_cap == [False, True, False, False]


def test_another_port_is_another_host_with_a_cap_of_its_own(tmp_path: Path) -> None:
    urls = ["http://a.invalid/1", "http://a.invalid:8001/2", "http://a.invalid:80/3"]
    listed = tmp_path / "urls.txt"
    listed.write_text("\n".join(urls), "utf-8")
    end = run(tmp_path / "out", listed, delay=0.0, max_per_host=1).unwrap()

    by_cap = ['"by":"--max-per-host"' in str(row["error_json"]) for row in rows(tmp_path / "out")]
    assert by_cap == [False, False, True]
    assert end.plan.hosts == [("a.invalid", 1), ("a.invalid:8001", 1)]


def _is_left_out(row: dict[str, object]) -> bool:
    return '"by":"--max-bytes"' in str(row["error_json"])


@pytest.mark.parametrize("most", [3 * len(page("Page").body), None])
def test_a_larger_budget_goes_on_with_what_was_left_out(most: int | None, tmp_path: Path) -> None:
    pages = {f"/{number}": page("Page") for number in range(8)}
    rules = text("User-agent: *\nDisallow: /7")
    site = Site({"/robots.txt": rules, **pages, "/moved": Answer(302, headers={"Location": "/5"})})
    with sites(site):
        paths = [0, 1, 7, "moved", 4, 4, 5]
        listed = tmp_path / "urls.txt"
        listed.write_text("\n".join(f"{site.root}/{path}" for path in paths))

        def budget(size: int | None) -> list[dict[str, object]]:
            end = run(
                tmp_path / "out",
                listed,
                policy=local_policy(site),
                delay=0.0,
                at_once=1,
                per_shard=4,
                max_bytes=size,
            ).unwrap()
            made = rows(tmp_path / "out")
            assert end.left_out == sum(map(_is_left_out, made))
            return made

        small = budget(len(page("Page").body))
        told = tmp_path / "out" / "_duplicates.parquet"
        told.touch()
        asked, again = len(site.asked), budget(len(page("Page").body))
        assert len(site.asked) == asked
        assert told.exists()
        large = budget(most)
        assert not told.exists()
        whole = budget(None)

    assert again == small
    assert [row["error"] for row in small] == [None, *["call_refused"] * 6]
    assert [row["url"] for row in large] == [row["url"] for row in small]
    assert sum(map(_is_left_out, large)) in ({0} if most is None else range(1, 5))
    assert [row["error"] for row in whole] == [None, None, "call_refused", *[None] * 4]
    assert [row["final_url"] for row in whole][3] == f"{site.root}/5"
    assert sorted(site.paths.count(f"/{path}") for path in (0, 1, 4, 5, 7)) == [0, 1, 1, 1, 1]


def _on(engine: str, is_stopping: Callable[[], bool] = lambda: False) -> RunWatch:
    nodes = None if engine == "local" else FakeNodes()
    return RunWatch(converter=Here(), nodes=nodes, is_stopping=is_stopping)


@pytest.mark.parametrize("engine", ["local", "ray"])
def test_a_larger_budget_goes_on_with_a_run_that_was_stopped(engine: str, tmp_path: Path) -> None:
    site = Site({f"/{number}": page("Page") for number in range(6)})
    came = 0

    def count() -> None:
        nonlocal came
        came += 1

    with sites(site):
        listed = tmp_path / "urls.txt"
        listed.write_text("\n".join(f"{site.root}/{place}" for place in [0, 1, 2, 3, 1, 5]))
        stop = RunWatch(converter=Here(), on_fetch=count, is_stopping=lambda: came >= 4)
        for by, watch, most in (("local", stop, 1), (engine, _on(engine), None)):
            run(
                tmp_path / "out",
                listed,
                watch=watch,
                policy=local_policy(site),
                delay=0.0,
                at_once=1,
                robots=False,
                max_bytes=most,
                engine=by,
            ).unwrap()

    assert came == 4
    assert [row["error"] for row in rows(tmp_path / "out")] == [None] * 6
    assert sorted(site.paths) == ["/0", "/1", "/2", "/3", "/5"]


@pytest.mark.parametrize("engines", [("ray", "ray"), ("local", "ray"), ("ray", "local")])
def test_a_larger_budget_goes_on_with_what_was_left_out_on_any_engine(
    engines: tuple[str, str], tmp_path: Path
) -> None:
    size = len(page("Page").body)
    site = Site(
        {
            **{f"/{number}": page("Page") for number in range(8)},
            "/robots.txt": text("User-agent: *\nDisallow: /7"),
            "/moved": Answer(302, headers={"Location": "/5"}),
        }
    )
    with sites(site):
        paths = [0, 1, 7, "moved", 4, 4, 5]
        listed = tmp_path / "urls.txt"
        listed.write_text("\n".join(f"{site.root}/{path}" for path in paths))

        def budget(engine: str, most: int | None) -> list[dict[str, object]]:
            end = run(
                tmp_path / "out",
                listed,
                policy=local_policy(site),
                delay=0.0,
                at_once=1,
                per_shard=4,
                max_bytes=most,
                engine=engine,
                watch=_on(engine),
            ).unwrap()
            made = rows(tmp_path / "out")
            assert end.left_out == sum(map(_is_left_out, made))
            return made

        small = budget(engines[0], size)
        asked = len(site.asked)
        again = budget(engines[1], size)
        assert len(site.asked) == asked
        large = budget(engines[1], 3 * size)
        whole = budget(engines[1], None)

    assert again == small
    assert sum(map(_is_left_out, small)) in (5, 6)
    assert 0 < sum(map(_is_left_out, large)) < 5
    assert [row["error"] for row in whole] == [None, None, "call_refused", *[None] * 4]
    assert sorted(site.paths.count(f"/{path}") for path in (0, 1, 4, 5, 7)) == [0, 1, 1, 1, 1]


@pytest.mark.parametrize("engines", [("ray", "ray"), ("local", "ray"), ("ray", "local")])
def test_whoever_goes_on_with_a_run_asks_for_no_page_again(
    engines: tuple[str, str], tmp_path: Path
) -> None:
    other = Site({f"/{number}": page("Page") for number in range(2)})
    site = Site({f"/{number}": page("Page") for number in range(6)})
    with sites(site, other):
        site.pages["/moved"] = [Answer(302, headers={"Location": f"{other.root}/1"})]
        listed = tmp_path / "urls.txt"
        urls = [f"{site.root}/{place}" for place in [0, 1, "moved", 2, 3, 1, 5]]
        listed.write_text("\n".join([*urls, f"{other.root}/0"]))

        def has_some() -> bool:
            return len(site.paths) + len(other.paths) >= 3

        def go(engine: str, size: int | None, delay: float, watch: RunWatch) -> RunEnd:
            return run(
                tmp_path / "out",
                listed,
                policy=local_policy(site, other),
                delay=delay,
                at_once=2,
                robots=False,
                per_shard=3,
                max_bytes=size,
                engine=engine,
                watch=watch,
            ).unwrap()

        stopped = go(engines[0], 10**6, 0.6, _on(engines[0], has_some))
        end = go(engines[1], None, 0.0, _on(engines[1]))

    assert stopped.summary is None
    assert end.summary is not None
    assert [row["error"] for row in rows(tmp_path / "out")] == [None] * 8
    assert sorted(set(site.paths) - {"/moved"}) == ["/0", "/1", "/2", "/3", "/5"]
    assert len(site.paths) - site.paths.count("/moved") == 5
    assert sorted(other.paths) == ["/0", "/1"]
    assert sum(1 for _ in (tmp_path / "out" / "_warc").glob("part-*.warc.gz")) == 3
