import json

import pytest

from .read import PARAGRAPH, article, page


def test_metadata_of_the_head_are_read() -> None:
    head = (
        "<meta property='og:title' content='Harbours of the north'>"
        "<meta property='og:site_name' content='The Quay'>"
        "<meta name=description content='How it was\n built'>"
        "<meta name=author content='Ann Mason'><link rel=canonical href=/harbour>"
        "<meta property='article:published_time' content='2024-03-05T08:30:00Z'>"
    )

    document = page(article("", head))

    assert (document.title, document.site_name, document.description) == (
        "Harbours of the north",
        "The Quay",
        "How it was built",
    )
    assert (document.author, document.published_at) == ("Ann Mason", "2024-03-05T08:30:00+00:00")
    assert (document.language, document.canonical_url) == ("en", "https://example.com/harbour")


@pytest.mark.parametrize(
    ("titles", "told"),
    [
        (("Home", "The quay falls | Times", "The quay falls"), "The quay falls | Times"),
        (("", "Home", "The quay falls"), "The quay falls"),
        (("", "Home", ""), "Home"),
        (("Quays of the north", "All about quays", "Built"), "Quays of the north"),
    ],
)
def test_the_title_is_not_that_of_every_page(titles: tuple[str, str, str], told: str) -> None:
    graph, title, heading = titles
    head = f"<meta property='og:title' content='{graph}'><title>{title}</title>"

    assert page(f"<head>{head}</head><h1>{heading}</h1><p>{PARAGRAPH}</p>").title == told


def test_a_page_that_says_nothing_has_nothing_told() -> None:
    document = page("<p>Only a few words here.</p>")

    assert (document.title, document.author, document.published_at, document.language) == (
        "",
        None,
        None,
        None,
    )
    assert (document.canonical_url, document.description, document.site_name, document.notes) == (
        None,
        None,
        None,
        (),
    )


@pytest.mark.parametrize(
    ("author", "told"),
    [
        ("Ann Mason", "Ann Mason"),
        ({"@type": "Person", "name": "Ann Mason"}, "Ann Mason"),
        ([{"name": "Ann"}, "Bob", {"name": "Ann"}], "Ann, Bob"),
        ({"name": 7}, None),
        ("https://example.com/ann", None),
        ("@ann", None),
    ],
)
def test_linked_data_names_the_author(author: object, told: str | None) -> None:
    data = {"@graph": [{"@type": "Article", "author": author, "datePublished": "2023-01-02"}]}

    document = page(article("", f"<script type='application/ld+json'>{json.dumps(data)}</script>"))

    assert (document.author, document.published_at) == (told, "2023-01-02")


@pytest.mark.parametrize("broken", ["{", "[" * 100_000, "7", '{"author": [[[]]]}'])
def test_broken_linked_data_is_ignored(broken: str) -> None:
    assert page(article("", f"<script type='application/ld+json'>{broken}</script>")).author is None


def test_bylines_and_times_in_the_body_are_the_last_resort() -> None:
    document = page(
        article("<a rel=author href=/ann>Ann Mason</a> <time datetime='2022-02-03'>then</time>")
    )

    assert (document.author, document.published_at) == ("Ann Mason", "2022-02-03")


def test_a_language_that_is_none_is_not_told() -> None:
    assert page("<html lang='no such thing!'><p>words").language is None
    assert page("<meta property=og:locale content=de_AT><p>Worte").language == "de-AT"


def told(thing: object) -> str:
    return f"<script type='application/ld+json'>{json.dumps(thing)}</script>"


REVIEWS = [
    {"@type": "Review", "author": name, "datePublished": "2023-01-02"} for name in ("A", "B")
]
REPLIES = [{"@type": "Comment", "author": {"name": "B"}, "datePublished": "2023-01-02"}]


@pytest.mark.parametrize(
    ("thing", "author"),
    [
        ({"@type": "Product", "name": "Lamp", "review": REVIEWS}, None),
        ({"@type": "Product", "review": {"@type": "Review", "author": "Ann"}}, "Ann"),
        (
            {
                "@type": "Question",
                "author": "Ann",
                "suggestedAnswer": [{"@type": "Answer", "author": "B"}],
            },
            "Ann",
        ),
        ({"@type": "DiscussionForumPosting", "author": "Ann", "comment": REPLIES}, "Ann"),
    ],
)
def test_authors_of_answers_and_reviews_are_not_the_author(
    thing: object, author: str | None
) -> None:
    document = page(article("", told(thing)))

    assert (document.author, document.published_at) == (author, None)


SCOPE = "itemscope itemtype=https://schema.org"


def test_the_author_of_a_question_is_named_without_what_stands_around_the_name() -> None:
    html = (
        f"<div {SCOPE}/Question><div itemprop=author {SCOPE}/Person><b itemprop=name>Ann</b> 1,204"
        f"<i>2</i> gold badges</div><p>Which?</p><div itemprop=suggestedAnswer {SCOPE}/Answer><p>That."
        f"</p><div itemprop=author {SCOPE}/Person><meta itemprop=name content=Bo></div></div></div>"
        f"<div {SCOPE}/Comment><b itemprop=author>Cy</b></div><p class=comment><a rel=author>Di</a></p>"
    )

    assert page(article(html)).author == "Ann"


def test_the_day_of_a_comment_is_not_that_of_the_page() -> None:
    html = (
        "<div class=comment><time datetime=2022-02-03>then</time><p>Which harbour is it?</p></div>"
    )

    assert page(article(html)).published_at is None


BYLINE = "<p class=byline>By <a href=/ann>Ann Mason</a> on June 29, 2014 08:08 pm<script>x = 1</script></p>"


@pytest.mark.parametrize(
    ("byline", "author"),
    [
        (BYLINE, "Ann Mason"),
        ("<p class=byline>By Ann Mason Tuesday, Aug. 17, 2010</p>", "Ann Mason"),
        ("<p class=byline>View all posts by Ann Mason</p>", "Ann Mason"),
        ("<a rel=author>Ann Mason</a><a rel=author>Mehr von Ann Mason »</a>", "Ann Mason"),
        ("<p class=byline>View all posts by Ann Mason →</p>", "Ann Mason"),
        ("<p class=byline>Sat, 20 Dec, 2025 - 06:36</p>", None),
        ("<p class=byline>Posted byAnn Mason</p><a rel=author>View more posts</a>", "Ann Mason"),
        ("<p class=byline>Byron Mason | The Quay</p>", "Byron Mason"),
        ("<a rel=author>Ann</a> and <a rel=author>Bo</a>", "Ann, Bo"),
        ("<a rel=author>By Ann Mason</a><a rel=author>Ann Mason</a>", "Ann Mason"),
        (
            f"{BYLINE}<div><ul><li><div><p class=byline>Cy Dee</p></div></li></ul></div>",
            "Ann Mason",
        ),
        (
            "<div class=post-author><i>By</i> <b>Ann Mason</b> <i>Updated May 4, 2024</i></div>",
            "Ann Mason",
        ),
        ("<div class=authorized>Sign In</div><aside class=author>Ann Mason</aside>", None),
        ("<p class=author>Ann Mason</p><p class=author>Bo Dee</p>", None),
        ("<p class=author>About the author of this</p>", None),
    ],
)
def test_a_byline_names_the_author_alone(byline: str, author: str | None) -> None:
    assert page(article(byline)).author == author


@pytest.mark.parametrize(
    ("told", "author"),
    [
        ("Ann &amp;amp; Bo", "Ann & Bo"),
        ("undefined", None),
        ("262588213843476", None),
        ("written by: Ann", "Ann"),
        ("Ann is one who has built harbours for as many years as she can think of", None),
    ],
)
def test_author_of_the_head_that_is_no_person_is_ignored(told: str, author: str | None) -> None:
    assert page(article("", f"<meta name=author content='{told}'>")).author == author
