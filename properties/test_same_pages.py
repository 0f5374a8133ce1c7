"""Two URLs are one page if the same bytes are requested for them and the same route is shown."""

from hypothesis import assume, example, given, strategies as st
from returns.result import Failure, Success

from webseam.composition.features.testing.strategies import urls
from webseam.kernel import canonical_url
from webseam.kernel.planner.fusion import MemberRows, fuse_member_rows, fusion_key
from webseam.kernel.urls.spelling import drop_route, page_address
from webseam.kernel.urls.url_parsing import host_to_ascii, parse_target
from webseam.ports.targets import comparable_host
from webseam.ports.web import WebSearchResult

SITE = "https://a.example"
# Pieces of paths, queries and fragments, in the spellings that occur.
PIECES = st.sampled_from(
    ["/", "a", "é", "%C3%A9", "%c3%a9", "%E9", "%7E", "~", "?", "q=", "&", "+", "%20", "%C4%E3",
     "%BA%C3", "%25", "%", "%4", "#", "#/", "#!", "..", "%2e", "%2F", "orders/1", "orders/2"]
)  # fmt: skip
TAILS = st.lists(PIECES, max_size=6).map(lambda pieces: "/" + "".join(pieces))
HOSTS = st.sampled_from(
    ["bücher.example", "BÜCHER.example", "xn--bcher-kva.example", "Xn--Bcher-Kva.Example.",
     "bu\u0308cher.example", "bucher.example", "σας.example", "ΣΑΣ.example", "straße.example",
     "strasse.example", "[::1]", "[0:0::1]", "a.example", "a.example.", "A.EXAMPLE"]
)  # fmt: skip
PORTS = st.sampled_from(["", ":443", ":80", ":8080", ":"])
ADDRESSES = st.builds(
    "{}://{}{}{}".format, st.sampled_from(["https", "HTTPS", "http"]), HOSTS, PORTS, TAILS
)


def fragment(url: str) -> str:
    return url.partition("#")[2]


@given(ADDRESSES | urls(), ADDRESSES | urls())
@example(f"{SITE}/%7Eme", f"{SITE}/~me")
@example(f"{SITE}/100%", f"{SITE}/100%25")
@example(f"{SITE}/?", f"{SITE}/")
@example(f"{SITE}/é", f"{SITE}/%C3%A9")
@example(f"{SITE}/?q=%C4%E3", f"{SITE}/?q=%BA%C3")
@example("https://[::1]/", "https://[0:0::1]/")
@example("https://a.example./", "https://a.example:443")
def test_two_urls_without_a_route_are_one_page_exactly_if_the_same_is_requested(
    first: str, second: str
) -> None:
    first, second = first.partition("#")[0], second.partition("#")[0]
    targets = [parse_target(url).value_or(None) for url in (first, second)]
    assume(None not in targets)

    same_request = targets[0].url == targets[1].url  # type: ignore[union-attr]

    assert (canonical_url(first) == canonical_url(second)) is same_request


@given(ADDRESSES | urls())
def test_canonical_url_is_the_url_that_is_requested(url: str) -> None:
    target = parse_target(url)
    assume(isinstance(target, Success))

    assert drop_route(url) == target.unwrap().url
    assert parse_target(canonical_url(url)).unwrap().url == target.unwrap().url
    assert canonical_url(canonical_url(url)) == canonical_url(url)


@given(TAILS, st.text(max_size=8))
@example("/", "/orders/1")
def test_fragment_counts_exactly_where_it_names_a_route(tail: str, other: str) -> None:
    bare = f"{SITE}{tail.partition('#')[0]}"
    with_fragment = f"{bare}#{other}"

    is_route = other.startswith(("/", "!"))

    assert (canonical_url(with_fragment) != canonical_url(bare)) is is_route
    assert (fusion_key(with_fragment) != fusion_key(bare)) is is_route
    assert drop_route(with_fragment) == drop_route(bare)


def row(url: str) -> WebSearchResult:
    return WebSearchResult(title="t", url=url, snippet="", position=1, source="a")


@given(ADDRESSES, ADDRESSES)
@example(f"{SITE}/?q=%C4%E3", f"{SITE}/?q=%BA%C3")
@example(f"{SITE}/?s=a&s=b", f"{SITE}/?s=b&s=a")
@example(f"{SITE}/?q=a+b", f"{SITE}/?q=a%20b")
@example(f"{SITE}/#/orders/1", f"{SITE}/#/orders/2")
def test_fusion_doubles_no_page_and_merges_what_differs_in_nothing_that_it_names(
    first: str, second: str
) -> None:
    fused = fuse_member_rows(
        [MemberRows(backend="a", rows=[row(first)]), MemberRows(backend="b", rows=[row(second)])]
    )

    spellings = {hit.row.url for hit in fused} | {
        sighting.url for hit in fused for sighting in hit.found_by if sighting.url is not None
    }
    assert spellings == {first, second}
    if canonical_url(first) == canonical_url(second):
        assert len(fused) == 1
    if len(fused) == 1:
        one, other = page_address(first), page_address(second)
        assert one.host == other.host
        assert one.route == other.route
        assert path_bytes(one.path) == path_bytes(other.path)
    else:
        assert len({fusion_key(first), fusion_key(second)}) == 2


def path_bytes(path: str) -> tuple[str, list[str]]:
    """Return what fusion compares of a path: no last slash, and the parameters in one order."""
    path, _, query = path.partition("?")
    parameters = filter(None, query.split("&"))
    return path.rstrip("/"), sorted(parameters, key=lambda text: text.partition("=")[0])


@given(st.text(max_size=12) | HOSTS)
@example("ΣΑΣ.example")
@example("K.example")
def test_host_that_is_requested_is_compared_in_the_spelling_of_its_request(host: str) -> None:
    ascii_host = host if host.isascii() else host_to_ascii(host)

    if ascii_host is not None:
        assert comparable_host(host) == ascii_host.lower().removesuffix(".")
    assert comparable_host(comparable_host(host)) == comparable_host(host)


def test_spellings_of_one_host_are_compared_as_one() -> None:
    for spelling in ("bücher.example", "BÜCHER.EXAMPLE.", "bu\u0308cher.example", "ⓑücher.example"):
        assert comparable_host(spelling) == "xn--bcher-kva.example", spelling
    assert isinstance(parse_target("https://ⓑücher.example/"), Failure)
