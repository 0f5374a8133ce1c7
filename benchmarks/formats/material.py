"""What the files say: documents made of words by a fixed seed, so that what is read can be judged."""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

SEED = 22
_CONSONANTS = "bdfgklmnprstv"
_VOWELS = "aeio"
_OTHERS = ("Zürich", "façade", "Ærø", "naïve", "Łódź", "smörgås", "日本語", "Ελλάδα", "Привет")
_OTHER_SHARE = 0.01
Role: TypeAlias = Literal["heading", "item", "row", "link", "text"]


@dataclass(frozen=True)
class Heading:
    """A heading of a level from 1."""

    level: int
    text: str


@dataclass(frozen=True)
class Paragraph:
    """Running text; a link and a footnote where they are given."""

    text: str
    link: tuple[str, str] | None = None
    note: str = ""


@dataclass(frozen=True)
class Items:
    """A list; a pair is an item of the second level."""

    items: tuple[str | tuple[str, ...], ...]
    numbered: bool = False


@dataclass(frozen=True)
class Table:
    """Rows of cells, the first one of headers."""

    rows: tuple[tuple[str, ...], ...]


Block: TypeAlias = Heading | Paragraph | Items | Table


@dataclass(frozen=True)
class Document:
    """A document: its blocks, whether it is set in two columns, and what its pages repeat."""

    name: str
    blocks: tuple[Block, ...]
    columns: int = 1
    running: str = ""

    def said(self, role: Role) -> list[str]:
        """Return the texts that stand in a role."""
        return [text for block in self.blocks for own, text in _texts_by_role(block) if own == role]


def _texts_by_role(block: Block) -> list[tuple[Role, str]]:
    match block:
        case Heading(text=text):
            return [("heading", text)]
        case Paragraph(text=text, link=link, note=note):
            links: list[tuple[Role, str]] = [("link", link[0])] if link else []
            return [("text", f"{text} {link[0] if link else ''} {note}"), *links]
        case Items(items=items):
            return [("item", text) for text in _flatten_items(items)]
        case Table(rows=rows):
            return [("row", " ".join(row)) for row in rows]


def _flatten_items(items: tuple[str | tuple[str, ...], ...]) -> Iterator[str]:
    for item in items:
        yield from (item,) if isinstance(item, str) else item


def documents() -> tuple[Document, ...]:
    """Return a report, a paper in two columns, and a manual of many short sections."""
    words = _Words(random.Random(SEED))
    return (
        Document("report", tuple(_report(words)), running=words.title()),
        Document("paper", tuple(_paper(words)), columns=2, running=words.title()),
        Document("manual", tuple(_manual(words))),
    )


class _Words:
    """Words that mean nothing, none of them said twice by chance alone."""

    def __init__(self, dice: random.Random) -> None:
        self._dice = dice

    def word(self) -> str:
        if self._dice.random() < _OTHER_SHARE:
            return self._dice.choice(_OTHERS)
        count = self._dice.randint(2, 4)
        pairs = zip(
            self._dice.choices(_CONSONANTS, k=count),
            self._dice.choices(_VOWELS, k=count),
            strict=True,
        )
        return "".join(first + second for first, second in pairs)

    def words(self, count: int) -> str:
        return " ".join(self.word() for _ in range(count))

    def title(self) -> str:
        return self.words(self._dice.randint(2, 6)).capitalize()

    def sentence(self) -> str:
        return f"{self.words(self._dice.randint(6, 18)).capitalize()}."

    def text(self, sentences: int) -> str:
        return " ".join(self.sentence() for _ in range(sentences))

    def number(self) -> str:
        return f"{self._dice.randint(1, 99_999):,}"

    def table(self, rows: int, columns: int) -> Table:
        head = tuple(self.word().capitalize() for _ in range(columns))
        body = tuple(
            (self.words(2), *[self.number() for _ in range(columns - 1)]) for _ in range(rows)
        )
        return Table((head, *body))


def _report(words: _Words) -> Iterator[Block]:
    yield Heading(1, words.title())
    yield Paragraph(words.text(4))
    for part in range(4):
        yield Heading(2, words.title())
        yield Paragraph(words.text(5), link=(words.title(), f"https://example.org/{part}"))
        yield Paragraph(words.text(6), note=words.sentence())
        yield Items(tuple(words.sentence() for _ in range(4)), numbered=part % 2 == 1)
        yield Heading(3, words.title())
        yield Paragraph(words.text(4))
        yield words.table(5 + part, 3 + part % 2)
        yield Items((words.title(), (words.title(), words.title()), words.title()))
        yield Paragraph(words.text(3))


def _paper(words: _Words) -> Iterator[Block]:
    yield Heading(1, words.title())
    for _ in range(5):
        yield Heading(2, words.title())
        for _ in range(3):
            yield Paragraph(words.text(7))
        yield Items(tuple(words.sentence() for _ in range(3)))
        yield words.table(4, 3)
        yield Paragraph(words.text(5), note=words.sentence())


def _manual(words: _Words) -> Iterator[Block]:
    yield Heading(1, words.title())
    for part in range(12):
        yield Heading(2, f"{part + 1}. {words.title()}")
        yield Paragraph(words.text(1))
        for _ in range(2):
            yield Heading(3, words.title())
            yield Paragraph(words.text(2))
            yield Items(tuple(words.title() for _ in range(3)), numbered=True)
