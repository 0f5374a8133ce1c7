"""URLs that may be followed, and values that are none."""

from hypothesis import strategies as st
from returns.result import Success

from ....kernel.policy import Policy, judge_remote
from ....kernel.policy.rules import WEB_PORTS
from ....ports.targets import MAX_URL_CHARACTERS


def urls() -> st.SearchStrategy[str]:
    """Give absolute http and https URLs."""
    return _URLS


def public_urls() -> st.SearchStrategy[str]:
    """Give URLs that the default policy lets any backend be asked for."""
    return _PUBLIC


def hostile_urls() -> st.SearchStrategy[object]:
    """Give what is no URL to follow: wrong schemes, hidden characters, no host, no text at all."""
    return _HOSTILE


_LABELS = st.text("abcz059", min_size=1, max_size=8)
_HOSTS = st.one_of(
    st.lists(_LABELS, min_size=2, max_size=4).map(".".join),
    st.ip_addresses(v=4).map(str),
    st.ip_addresses(v=6).map("[{}]".format),
    st.sampled_from(["münchen.example", "localhost", "a-b.example", "a.example."]),
)
_IN_PATHS = st.characters(min_codepoint=0x21, max_codepoint=0x2FF, exclude_categories=("C", "Z"))
_URLS = st.builds(
    "{}://{}{}{}{}".format,
    st.sampled_from(["http", "https", "HTTPS"]),
    _HOSTS,
    st.just("") | st.integers(1, 65535).map(":{}".format),
    st.sampled_from(["/", "?", "#"]),
    st.text(_IN_PATHS, max_size=20),
)

_PUBLIC = st.builds(
    "{}://{}{}{}{}".format,
    st.sampled_from(["http", "https", "HTTPS"]),
    st.lists(_LABELS, min_size=1, max_size=3).map(lambda labels: ".".join([*labels, "com"])),
    st.just("") | st.sampled_from(WEB_PORTS).map(":{}".format),
    st.sampled_from(["/", "?", "#"]),
    st.text(_IN_PATHS, max_size=20),
).filter(lambda url: isinstance(judge_remote(url, Policy()), Success))

_SCHEMES = ("javascript", "data", "file", "ftp", "mailto", "vbscript", "blob", "about", "httpx")
_HIDDEN = (" ", "\n", "\t", "\0", "\x7f", "\u200b", "\u202e", "\ufeff", "\u2028", "\ud800")
_NO_URLS = (
    "",
    " ",
    "example.com",
    "/relative",
    "//example.com/",
    "?q=1",
    "http:",
    "http://",
    "https:///path",
    "http:/example.com",
    "http:example.com",
    "http://user:password@example.com/",
    "https://example.com:99999/",
    "https://example.com:port/",
    "http://[::1",
    "http://[nonsense]/",
    "https://exa mple.com/",
    "https://example.com\\@evil.example/",
    " https://example.com/",
    "https://example.com/" + "a" * MAX_URL_CHARACTERS,
)
_HOSTILE: st.SearchStrategy[object] = st.one_of(
    st.sampled_from(_NO_URLS),
    st.builds("{}{}".format, _URLS, st.sampled_from(_HIDDEN)),
    st.builds("{}:{}".format, st.sampled_from(_SCHEMES), st.text(max_size=10)),
    st.text(alphabet="abc/?#.:", max_size=10),
    st.sampled_from([None, 7, True, b"https://example.com/", ["https://example.com/"]]),
)
