from webseam.adapters.features.bulk.crawling.group_results import host_group
from webseam.kernel.features.bulk.counts import shard_latency_bucket
from webseam.kernel.features.bulk.frontier import is_crawl_trap
from webseam.kernel.features.bulk.near_duplicates import text_shingles
from webseam.kernel.features.bulk.pace import crawl_host_pause, crawl_host_rest, crawl_robot_name
from webseam.kernel.features.bulk.url_lists import crawl_host, crawl_page_url, sniff_url_list
from webseam.kernel.pages.robots_directives import parse_robots_directives, robots_forbid_links


def test_an_example_of_host_group() -> None:
    assert (host_group("example.com", 16), host_group("example.com:8080", 16)) == (5, 9)


def test_an_example_of_shard_latency_bucket() -> None:
    assert (shard_latency_bucket(0.02), shard_latency_bucket(100)) == (1, 8)


def test_an_example_of_is_crawl_trap() -> None:
    assert (
        is_crawl_trap("https://a.example/x/y/x/y/x/y"),
        is_crawl_trap("https://a.example/2026/11/15/bread"),
    ) == (True, False)


def test_an_example_of_duplicate_shingles() -> None:
    assert text_shingles("The quick brown fox jumps over") == [
        "the quick brown fox jumps",
        "quick brown fox jumps over",
    ]
    assert (text_shingles("Not found"), text_shingles(" ")) == (["not found"], [])


def test_an_example_of_crawl_host_pause() -> None:
    assert (crawl_host_pause(1.0, None, 0.0), crawl_host_pause(1.0, 5.0, 1.0)) == (1.0, 6.0)


def test_an_example_of_crawl_host_rest() -> None:
    assert (crawl_host_rest(None), crawl_host_rest(7.0), crawl_host_rest(1e9)) == (10.0, 7.0, 300.0)


def test_an_example_of_crawl_robot_name() -> None:
    assert (
        crawl_robot_name("webseam/0.1"),
        crawl_robot_name("Mozilla/5.0 (compatible; MyBot/2.0; +https://x.example)"),
    ) == ("webseam", "MyBot")


def test_an_example_of_parse_robots_directives() -> None:
    assert parse_robots_directives(["noindex, max-snippet:-1", "MyBot: nofollow"]) == (
        "mybot: nofollow",
        "noindex",
    )


def test_an_example_of_robots_forbid_links() -> None:
    assert [robots_forbid_links([text], "webseam") for text in ("otherbot: nofollow", "none")] == [
        False,
        True,
    ]


def test_an_example_of_crawl_page_url() -> None:
    assert (
        crawl_page_url("HTTP://a.example/x #part"),
        crawl_page_url("http://[x"),
        crawl_page_url("http://ä.example/"),
    ) == ("http://a.example/x", "http://[x", "http://xn--4ca.example/")


def test_an_example_of_crawl_host() -> None:
    assert (
        crawl_host("http://Ä.example.:80/x"),
        crawl_host("http://[::1]:8080/"),
        crawl_host("mail"),
    ) == ("xn--4ca.example", "[::1]:8080", "")


def test_an_example_of_sniff_url_list() -> None:
    assert [sniff_url_list([line], has_column=False)[0] for line in ('{"url": 1}', "a")] == [
        "jsonl",
        "text",
    ]
