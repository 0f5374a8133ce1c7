"""A list is kept whole or not at all; the neighbours of an article are lists too, and stay out."""

import pytest
from turbohtml import parse

from webseam.adapters.reader.measures.page_features import KINDS
from webseam.adapters.reader.page_segments import PageSegments, segment_page
from webseam.adapters.reader.run_choice import choose_runs

from .read import page

ARTICLE = [float(kind == "article") for kind in KINDS]
FORUM = [float(kind == "forum") for kind in KINDS]
TEXT = "".join(
    f"<p>{n} {'the tar must be warm and the oakum dry before you begin ' * 5}</p>" for n in range(5)
)
PARTS = ("two pounds of oakum", "one pot of tar", "a caulking iron", "three dry cloths")


def chosen(html: str, chances: dict[str, float], kinds: list[float] = ARTICLE) -> list[str]:
    """Return the short runs that are kept; a run's chance is that of the first text in it."""
    segments = segments_of(html)
    likely = [
        next((chance for text, chance in chances.items() if text in run.text), 0.9)
        for run in segments.runs
    ]
    choice = choose_runs(segments, likely, kinds, [False] * len(likely))
    kept = (run for run, keeps in zip(segments.runs, choice.kept, strict=True) if keeps)
    return [run.text for run in kept if run.words < 20]


def segments_of(html: str) -> PageSegments:
    body = parse(f"<body>{html}</body>", positions=False).find("body")
    assert body is not None
    return segment_page(body)


def items(form: str, texts: tuple[str, ...] = PARTS) -> str:
    return "".join(form.replace("TEXT", text) for text in texts)


LOW = dict.fromkeys(PARTS, 0.25)


@pytest.mark.parametrize(
    "between",
    [
        "",
        "<h3>You need</h3>",
        "<h3>You need</h3><div><button>1x</button><button>2x</button></div>",
        "<h3>You need</h3><ul><li>US</li><li>Metric</li></ul>",
    ],
)
@pytest.mark.parametrize(
    ("begin", "form", "end"),
    [
        ("<ul>", "<li>TEXT</li>", "</ul>"),
        ("<table>", "<tr><td>TEXT</td></tr>", "</table>"),
        ("<div>", "<div class=row><input type=checkbox><label>TEXT</label></div>", "</div>"),
        ("<div>", "<div class=row>TEXT</div>", "</div>"),
        ("<ul>", "<li>some of <a href=/x>TEXT</a></li>", "</ul>"),
    ],
)
def test_labels_and_headings_do_not_part_a_list_from_its_text(
    between: str, begin: str, form: str, end: str
) -> None:
    html = (
        f"{TEXT}{between}{begin}{items(form)}{end}<footer>{'All rights are reserved ' * 8}</footer>"
    )
    low = {**LOW, "You need": 0.1, "US": 0.05, "Metric": 0.05, "1x": 0.05, "2x": 0.05, "All": 0.01}

    kept = " ".join(chosen(html, low))

    assert [part for part in PARTS if part in kept] == list(PARTS)


def test_long_text_that_is_not_kept_parts_a_list_from_the_text() -> None:
    html = f"{TEXT}<p>{'Subscribe to hear from us about oakum and tar ' * 2}</p><ul>{items('<li>TEXT</li>')}</ul>"

    assert chosen(html, {**LOW, "Subscribe": 0.01}) == []


@pytest.mark.parametrize(
    ("form", "kinds"),
    [
        ("<li><a href=/p>TEXT</a></li>", ARTICLE),
        ("<li><h4>TEXT</h4><p>one line more</p></li>", ARTICLE),
        ("<li>TEXT</li>", FORUM),
    ],
)
def test_list_of_other_pages_or_posts_needs_text_on_both_sides(
    form: str, kinds: list[float]
) -> None:
    listed = f"<ul>{items(form)}</ul>"
    low = dict.fromkeys((*PARTS, "one line more"), 0.4)

    assert chosen(f"{TEXT}{listed}", low, kinds) == []
    assert set(PARTS) <= set(chosen(f"{TEXT}{listed}{TEXT.replace('tar', 'pitch')}", low, kinds))


def test_list_of_which_a_third_is_kept_is_kept_whole() -> None:
    html = f"{TEXT}<p>{'Subscribe to hear from us about oakum and tar ' * 2}</p><ul>{items('<li>TEXT</li>')}</ul>"
    low = {**dict.fromkeys(PARTS[2:], 0.01), "Subscribe": 0.01}

    assert chosen(html, low) == list(PARTS)


def test_caption_stays_with_its_table() -> None:
    table = f"<table><caption>No longer sold</caption>{items('<tr><td>TEXT</td></tr>')}</table>"
    low = {"No longer sold": 0.01}

    assert chosen(f"{TEXT}{table}{TEXT}", low) == ["No longer sold", *PARTS]
    assert chosen(f"{TEXT}{table}{TEXT}", {**low, **dict.fromkeys(PARTS, 0.01)}) == []


def test_runs_of_one_item_go_together() -> None:
    form = "<li><p>400</p><p><a href=/x>TEXT</a></p></li>"
    html = f"{TEXT}<ul>{items(form)}</ul>"

    assert chosen(html, LOW) == [text for part in PARTS for text in ("400", part)]


STEW = "".join(
    f"<h2>{head}</h2><p>The evening was long and the kitchen warm, so we made {dish} again, the one "
    "that my aunt used to cook for guests in winter, when the harbour was shut.</p><p>It keeps for "
    f"three days in a cold place, and {dish} tastes better on the second, when the beans have taken "
    "up the broth and the bread is a little hard.</p>"
    for head, dish in (("Why this stew", "the stew"), ("In winter", "the soup"), ("Bread", "bread"))
)
STEPS = "".join(
    f"<li>{step}</li>"
    for step in (
        "Brown the onion in the oil for ten minutes.",
        "Add the beans and cook for an hour.",
    )
)
NAMES = ("olive oil", "large onion", "white beans", "bay leaf", "black pepper")
RELATED = "".join(
    f"<div class=card><a href=/r{n}><h4>{name} pie for cold days</h4></a></div>"
    for n, name in enumerate(("Leek", "Plum", "Fish", "Rice"))
)


def recipe(card: str) -> str:
    return (
        "<html lang=en><head><title>Bean stew | Warm Kitchen</title></head><body><nav><a href=/>Home</a>"
        f"<a href=/soups>Soups</a></nav><main><article><h1>Bean stew</h1>{STEW}{card}</article>"
        f"<section class=related-posts><h3>You may also like</h3>{RELATED}</section></main>"
        "<footer>All rights reserved</footer></body></html>"
    )


@pytest.mark.parametrize(
    "form",
    [
        "<li class=ingredient><span>2</span> <a href='https://shop.example/NAME'>NAME</a></li>",
        "<li class=ingredient><input type=checkbox><label>2 NAME</label></li>",
        "<li><p>2</p><p><a href=/i/NAME>NAME</a></p></li>",
    ],
)
def test_ingredients_of_a_recipe_are_kept_and_teasers_are_not(form: str) -> None:
    listed = "".join(form.replace("NAME", name) for name in NAMES)
    card = (
        "<div class=recipe-card><h2>Bean stew</h2><div><button>Print</button></div>"
        f"<h3>Ingredients</h3><div><button>1x</button><button>2x</button></div><ul>{listed}</ul>"
        f"<h3>Instructions</h3><ol>{STEPS}</ol></div>"
    )

    content = page(recipe(card)).content

    assert [name for name in NAMES if name in content] == list(NAMES)
    assert "pie for cold days" not in content


def test_sign_that_opens_a_box_ends_at_the_next_heading_of_its_level() -> None:
    listed = "".join(f"<li>2 {name}</li>" for name in NAMES)
    card = (
        f"<div class=rest><h3>Video</h3><div class=player></div><h3>Ingredients</h3><ul>{listed}</ul>"
        f"<h3>Instructions</h3><ol>{STEPS}</ol></div>"
    )

    content = page(recipe(card)).content

    assert [name for name in NAMES if name in content] == list(NAMES)
