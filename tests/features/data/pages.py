"""Small pages for the tests of typed values."""

import json


def make_page(
    body: str, linked: object = None, *, title: str = "Leek soup | Soups", head: str = ""
) -> str:
    """Return a page with a body and linked data."""
    script = (
        ""
        if linked is None
        else f"<script type='application/ld+json'>{json.dumps(linked)}</script>"
    )
    return f"<!doctype html><title>{title}</title>{head}{script}<body>{body}"


SOUP = make_page(
    "<h1>Leek soup</h1><p>By Ann Mason</p><p>Total time: 1 h 20</p><p>Serves 4</p>"
    "<h2>Ingredients</h2><ul><li>3 leeks</li><li>1 l stock</li></ul><h2>Method</h2><p>Cook it all.</p>",
    {
        "@type": "Recipe",
        "name": "Leek soup",
        "author": {"@type": "Person", "name": "Ann Mason"},
        "totalTime": "PT80M",
        "recipeYield": "6",
        "recipeIngredient": ["3 leeks", "1 l stock"],
    },
)
