"""What a page may be used for, by the statements of its publisher."""

from typing import get_args

from hypothesis import given, strategies as st

from webseam.kernel.pages.usage import (
    judge_page_usage,
    judge_usage,
    parse_usage_dictionary,
    usage_refusal,
)
from webseam.ports.pages import ReadPage
from webseam.ports.usage import (
    USAGE_HEADERS,
    PageUsage,
    StatementOrigin,
    UsagePurpose,
    UsageSource,
    UsageStatement,
)

SAID = [
    ("content-usage", "train-ai=n, search=y", {"train": "no", "search": "yes"}),
    ("content-usage", "train-ai=y;reason=x, other=n", {"train": "yes"}),
    ("content-usage", "train-ai=no", {}),
    ("content-usage", "train-ai", {}),
    ("content-usage", "train-ai=n, =", {}),
    ("content-signal", "search=yes,ai-train=no", {"search": "yes", "train": "no"}),
    ("content-signal", "ai-input=no", {"input": "no"}),
    ("content-signal", "AI-Train=No", {"train": "no"}),
    ("content-usage", "Train-AI=n", {}),
    ("tdm-reservation", "1", {"train": "no"}),
    ("tdm-reservation", "0", {"train": "yes"}),
    ("tdm-reservation", "perhaps", {}),
    ("x-robots-tag", "noai, noindex", {"train": "no", "search": "no"}),
    ("x-robots-tag", "webseam: noai", {"train": "no"}),
    ("x-robots-tag", "otherbot: noai", {}),
    ("x-robots-tag", "otherbot: noai\nnoindex", {"search": "no"}),
    ("x-robots-tag", "noimageai, noarchive", {}),
    ("robots", "nosnippet", {"input": "no"}),
    ("server", "train-ai=n", {}),
]


def test_each_source_says_what_its_standard_means() -> None:
    for name, value, answers in SAID:
        usage = judge_usage([UsageStatement("header", name, value)])
        if not answers:
            assert usage is None, (name, value)
            continue
        assert usage is not None
        found = {one: getattr(usage, one) for one in get_args(UsagePurpose)}
        assert found == {**dict.fromkeys(found, "unsaid"), **answers}, (name, value)
        assert {(one.purpose, one.says) for one in usage.sources} == set(answers.items())
        assert {one.source for one in usage.sources} == {f"header {name}"}


def test_no_wins_and_both_sources_are_shown() -> None:
    page = ReadPage(
        title="", content="", statements=(UsageStatement("page", "tdm-reservation", "0"),)
    )
    usage = judge_page_usage({"content-usage": "train-ai=n"}, page, "")
    assert usage == PageUsage(
        train="no",
        sources=(
            UsageSource(purpose="train", says="no", source="header content-usage"),
            UsageSource(purpose="train", says="yes", source="page tdm-reservation"),
        ),
    )
    refusal = usage_refusal(usage, "train")
    assert refusal is not None
    assert (refusal.by, refusal.reason) == ("--purpose train", "header content-usage says no")
    assert usage_refusal(usage, "search") is None
    assert usage_refusal(usage, None) is None
    assert usage_refusal(None, "train") is None


def test_the_licence_is_the_first_address_that_is_one() -> None:
    rows = [
        ("link", '</style.css>; rel=style, <https://a.example/l>; rel="license"'),
        ("license", "https://a.example/l"),
        ("tdm-policy", "https://a.example/l"),
    ]
    for name, value in rows:
        usage = judge_usage(
            [UsageStatement("page", "license", "javascript:x"), UsageStatement("page", name, value)]
        )
        assert usage == PageUsage(licence="https://a.example/l"), name
    for value in ('<https://a.example/>; rel="nolicense"', "<x>; rel=license", "https://a b"):
        assert judge_usage([UsageStatement("header", "link", value)]) is None, value


def test_the_address_of_a_licence_is_relative_to_the_page() -> None:
    link = [UsageStatement("header", "link", "</l>; rel=license")]
    usage = judge_usage(link, "https://a.example/x/y")
    assert usage == PageUsage(licence="https://a.example/l")
    assert judge_usage([link[0]._replace(value="<http://[>; rel=license")], "https://a/") is None


KEYS = st.from_regex(r"[a-z*][a-z0-9_.*-]{0,6}", fullmatch=True)
VALUES = st.sampled_from(["y", "n", "?1", "-3.5", '"a, \\" b"', ":YQ==:", "tok/en", "@1659578233"])


@given(st.dictionaries(KEYS, VALUES, max_size=6), st.sampled_from([",", ", ", "\t, "]))
def test_a_written_dictionary_is_read_back(members: dict[str, str], comma: str) -> None:
    text = comma.join(f"{key}={value};p=1; q" for key, value in members.items())
    blank = {key: '""' if value.startswith('"') else value for key, value in members.items()}
    assert dict(parse_usage_dictionary(text)) == blank


def test_a_repeated_key_that_says_no_wins() -> None:
    for value in ("train-ai=y, train-ai=n", "train-ai=n, train-ai=y"):
        usage = judge_usage([UsageStatement("header", "content-usage", value)])
        assert usage is not None
        assert (usage.train, len(usage.sources)) == ("no", 2)


@given(
    st.lists(
        st.builds(
            UsageStatement,
            st.sampled_from(get_args(StatementOrigin)),
            st.sampled_from([*USAGE_HEADERS, "robots", "license"]),
            st.sampled_from([value for _, value, _ in SAID]) | st.text(max_size=60),
        ),
        max_size=6,
    )
)
def test_nothing_is_guessed_whatever_is_said(statements: list[UsageStatement]) -> None:
    usage = judge_usage(statements) or PageUsage()
    for purpose in get_args(UsagePurpose):
        says = {one.says for one in usage.sources if one.purpose == purpose}
        expected = "no" if "no" in says else "yes" if says else "unsaid"
        assert getattr(usage, purpose) == expected
    reverse = judge_usage(reversed(statements)) or PageUsage()
    assert (usage.search, usage.train, usage.input) == (
        reverse.search,
        reverse.train,
        reverse.input,
    )
