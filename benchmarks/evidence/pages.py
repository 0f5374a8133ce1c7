"""Pages with known sentences, as HTML with everything a page hides, and as our reader reads them."""

import html
import random
import re

import msgspec

from webseam import read_html

from .sentences import sentence

_WORD = re.compile(r"[A-Za-z]{4,}")
_LINK = '<a href="https://host{3}.example/{0}?q=1" title="A title">{0}</a>'
_TAG_CHARACTERS = 0xE0000


class KnownPage(msgspec.Struct, frozen=True):
    """What stands on a page, what is hidden in it, and the markdown that was made of it."""

    sentences: tuple[str, ...]
    secrets: tuple[str, ...]
    content: str


def known_page(chance: random.Random, count: int = 24) -> KnownPage:
    """Make a page of ``count`` sentences and read it."""
    sentences = tuple(dict.fromkeys(sentence(chance) for _ in range(count)))
    secrets: list[str] = []
    blocks = []
    rest = list(sentences)
    while rest:
        block, rest = rest[:3], rest[3:]
        blocks.append(_block([_decorated(each, chance) for each in block], chance))
        if chance.random() < 0.5:
            secrets.append(f"hidden entry number {chance.randrange(1000, 9999)} is not for readers")
            blocks.append(_hidden(secrets[-1], chance))
    body = f"<article><h1>Notes from the region</h1>{''.join(blocks)}</article>"
    page = read_html(f"<!doctype html><html><body>{body}</body></html>", "https://pages.example/a")
    content = page.unwrap().content
    # The reader may leave out a block that looks like none of the article; then nobody can quote it.
    kept = tuple(each for each in sentences if set(re.findall(r"\w+", each)) <= _all_words(content))
    return KnownPage(kept, tuple(secrets), content)


def _all_words(content: str) -> set[str]:
    return set(re.findall(r"\w+", re.sub(r"[\u00ad*`]|\\(?=\W)|(?<!\w)_|_(?!\w)", "", content)))


def _block(sentences: list[str], chance: random.Random) -> str:
    kind = chance.random()
    if kind < 0.15:
        return "<ul>" + "".join(f"<li>{each}</li>" for each in sentences) + "</ul>"
    if kind < 0.22:
        return f"<blockquote><p>{' '.join(sentences)}</p></blockquote>"
    return f"<p>{' '.join(sentences)}</p>"


def _decorated(text: str, chance: random.Random) -> str:
    words = html.escape(text, quote=False).split(" ")
    return " ".join(_word(word, chance) for word in words) + _citation(chance)


def _word(word: str, chance: random.Random) -> str:
    forms = ("<b>{0}</b>", "<em>{0}</em>", _LINK, "{1}&shy;{2}", "<code>{0}</code>", "{0}\n")
    if chance.random() > 0.16 or not (_WORD.fullmatch(word) or chance.random() < 0.1):
        return word
    form = chance.choice(forms) if _WORD.fullmatch(word) else forms[0]
    return form.format(word, word[:2], word[2:], chance.randrange(99))


def _citation(chance: random.Random) -> str:
    number = chance.randrange(1, 99)
    return f'<sup><a href="#cite-{number}">[{number}]</a></sup>' if chance.random() < 0.15 else ""


def _hidden(secret: str, chance: random.Random) -> str:
    tagged = "".join(chr(_TAG_CHARACTERS + ord(each)) for each in secret)
    return chance.choice(
        (
            f"<!-- {secret} -->",
            f'<p style="display:none">{secret}</p>',
            f"<div hidden>{secret}</div>",
            f'<p><img src="a.png" alt="{secret}"> A picture of the coast.</p>',
            f'<p>Read <a href="https://more.example/x" title="{secret}">more about it</a> there.</p>',
            f"<p>A line with tags{tagged} in it.</p>",
            f"<template>{secret}</template>",
            f"<script>let note = '{secret}';</script>",
        )
    )
