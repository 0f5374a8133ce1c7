"""Pages of one template, with and without linked data."""

from tests.features.data.pages import make_page

SITE = "soups.example"
URL = f"https://{SITE}/soup"


def soup_page(
    name: str = "Leek soup",
    *,
    total: str = "45 min",
    serves: int = 4,
    author: str = "Ann Mason",
    items: tuple[str, ...] = ("3 leeks", "1 l stock"),
    linked: bool = False,
    prefix: str = "",
) -> str:
    """Return a page whose linked data repeats its values; ``prefix`` begins each class."""
    lines = "".join(f"<li class='{prefix}item'>▢ {item}</li>" for item in items)
    body = (
        f"<main class='{prefix}card {prefix}wide'><h1 class='{prefix}name'>{name}</h1>"
        f"<p class='{prefix}chef'>By <b class='{prefix}who'>{author}</b></p>"
        f"<p class='{prefix}facts'>Total time <span class='{prefix}time'>{total}</span></p>"
        f"<p class='{prefix}facts'>Serves <span class='{prefix}yield'>{serves}</span></p>"
        f"<h2>Ingredients</h2><ul class='{prefix}list'>{lines}</ul>"
        "<h2>Method</h2><p>Cook it all.</p></main>"
    )
    thing = {
        "@type": "Recipe",
        "name": name,
        "totalTime": total,
        "recipeYield": str(serves),
        "author": {"@type": "Person", "name": author},
        "recipeIngredient": list(items),
    }
    return make_page(body, thing if linked else None, title=f"{name} | Soups")
