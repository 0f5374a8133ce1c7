"""Pages as the web has them: 50 KB each, of which a reader wants the article."""

import random

# Stands for the page's number, until it is served.
NUMBER = b"@number@"
_KINDS = 20
_BYTES = 50_000
_TEXT = (
    "bread flour water salt time oven crust crumb baker dough morning village market river stone "
    "mill grain harvest season weather letter story question answer reason measure figure table"
)
_WORDS = _TEXT.split()


def make_pages() -> list[bytes]:
    """Return the kinds of pages, the same in every run; page ``n`` is of kind ``n`` modulo them."""
    chance = random.Random(20261115)
    return [_page(chance) for _ in range(_KINDS)]


def sentence(number: int) -> str:
    """Return what only this page says."""
    return f"This page has the number {number} among all pages."


def _page(chance: random.Random) -> bytes:
    parts = [f"<p>{sentence(0).replace(' 0 ', f' {NUMBER.decode()} ')} {_text(chance, 20)}</p>"]
    title = _text(chance, 5)
    frame = _page_frame(chance, title)
    while sum(map(len, parts)) < _BYTES - len(frame):
        parts.append(_block(chance))
    return frame.replace("@article@", "\n".join(parts)).encode()


def _page_frame(chance: random.Random, title: str) -> str:
    menu = "".join(f'<li><a href="/{word}">{word}</a></li>' for word in _WORDS)
    beside = "".join(
        f'<div class="card"><a href="/{n}">{_text(chance, 8)}</a></div>' for n in range(30)
    )
    return (
        f"<!doctype html><html lang=en><head><meta charset=utf-8><title>{title} | Bakery</title>"
        f'<meta name="description" content="{_text(chance, 15)}">'
        f"<script>var tags = {list(range(200))};</script><style>{'.a{color:red}' * 100}</style>"
        f'</head><body><nav><ul class="menu">{menu}</ul></nav><main><article><h1>{title}</h1>'
        f'@article@</article></main><aside class="related">{beside}</aside>'
        f'<footer class="footer"><p>Imprint, contact, privacy</p><ul>{menu}</ul></footer></body></html>'
    )


def _block(chance: random.Random) -> str:
    kind = chance.random()
    if kind < 0.1:
        return f"<h2>{_text(chance, 4)}</h2>"
    if kind < 0.2:
        items = "".join(f"<li>{_text(chance, 10)}</li>" for _ in range(5))
        return f"<ul>{items}</ul>"
    if kind < 0.25:
        row = "".join(f"<td>{_text(chance, 2)}</td>" for _ in range(4))
        return f"<table>{f'<tr>{row}</tr>' * 6}</table>"
    link = f'<a href="https://a.example/{chance.randrange(999)}">{_text(chance, 3)}</a>'
    return f"<p>{_text(chance, 40)} {link} <em>{_text(chance, 4)}</em> {_text(chance, 30)}</p>"


def _text(chance: random.Random, words: int) -> str:
    return " ".join(chance.choices(_WORDS, k=words)).capitalize() + "."
