"""Thoughts that a model writes into its answer, between tags.

``split_thinking`` is for the wires: exactly what servers put before an answer, so that any split of
a stream gives the same. ``strip_thoughts`` is for who wants the bare text, and takes every tag
that models were seen to use, wherever it begins a line.
"""

import re
from collections.abc import Iterator

_THINK_OPEN, _THINK_CLOSE = "<think>", "</think>"
_THOUGHT_TAG_NAMES = "think|thinking|thought|reasoning|reasoning_scratchpad"
_LEADING_THOUGHT_PATTERN = re.compile(
    rf"\s*<({_THOUGHT_TAG_NAMES})>.*?(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE
)
_OPENING_TAG_PATTERN = re.compile(
    rf"^[ \t]*<(?:{_THOUGHT_TAG_NAMES})>", re.IGNORECASE | re.MULTILINE
)
_CLOSING_TAG_PATTERN = re.compile(rf"</(?:{_THOUGHT_TAG_NAMES})>[ \t]*\n?", re.IGNORECASE)
_CODE_BLOCK_PATTERN = re.compile(r"(```.*?(?:```|\Z))", re.DOTALL)
# Thoughts whose beginning stood in the prompt; the end of them has the rest of its line for itself.
_UNOPENED_THOUGHT_PATTERN = re.compile(
    rf"\A.*?</(?:{_THOUGHT_TAG_NAMES})>[ \t]*\n", re.DOTALL | re.IGNORECASE
)


class ThinkSplitter:
    """Tells thoughts from text while both arrive in pieces; any split gives the same two texts."""

    def __init__(self) -> None:
        """Begin before the first character."""
        self._held = ""
        self._state = "start"

    def feed(self, piece: str) -> tuple[str, str]:
        """Take the next piece and return what it adds: to the text, and to the thoughts."""
        self._held += piece
        thought = ""
        if self._state == "start":
            self._open()
        if self._state == "thought":
            thought = self._think()
        if self._state == "gap":
            self._held = self._held.lstrip()
            self._state = "text" if self._held else "gap"
        if self._state != "text":
            return "", thought
        spoken, self._held = self._held, ""
        return spoken, thought

    def finish(self) -> tuple[str, str]:
        """Take the end: return what was held back because it might have been a tag.

        What a server sends after its end is text.
        """
        held, self._held = self._held, ""
        thinking, self._state = self._state == "thought", "text"
        return ("", held) if thinking else (held, "")

    def _open(self) -> None:
        start = self._held.lstrip()
        if start.startswith(_THINK_OPEN):
            self._held = start.removeprefix(_THINK_OPEN)
            self._state = "thought"
        elif not _THINK_OPEN.startswith(start):
            self._state = "text"

    def _think(self) -> str:
        thought, closed, rest = self._held.partition(_THINK_CLOSE)
        if closed:
            self._held = rest
            self._state = "gap"
            return thought
        keep = _partial_think_tag_start(self._held)
        thought, self._held = self._held[:keep], self._held[keep:]
        return thought


def split_thinking(content: str) -> tuple[str, str]:
    """Return the text and the thoughts of a whole answer.

    >>> split_thinking("<think>first</think> then")
    ('then', 'first')
    """
    splitter = ThinkSplitter()
    spoken, thought = splitter.feed(content)
    more_said, more_thought = splitter.finish()
    return spoken + more_said, thought + more_thought


def _partial_think_tag_start(text: str) -> int:
    """Return where the beginning of a closing tag stands at the end of ``text``."""
    for size in range(min(len(_THINK_CLOSE) - 1, len(text)), 0, -1):
        if text.endswith(_THINK_CLOSE[:size]):
            return len(text) - size
    return len(text)


def strip_thoughts(answer: str) -> str:
    r"""Return an answer without the thoughts that a model left in it, on lines of their own.

    >>> strip_thoughts("<think>Hm.</think>Tides."), strip_thoughts("Hm.\n</think>\n\nTides.")
    ('Tides.', 'Tides.')
    """
    while (block := _LEADING_THOUGHT_PATTERN.match(answer)) is not None:
        answer = answer[block.end() :]
    # In a block of code the tag is part of the page.
    parts = (
        part if code else _strip_thought_blocks(part) for code, part in _split_code_blocks(answer)
    )
    answer = "".join(parts)
    ending = _UNOPENED_THOUGHT_PATTERN.match(answer)
    return answer[ending.end() if ending and "```" not in ending[0] else 0 :].strip()


def _split_code_blocks(answer: str) -> Iterator[tuple[bool, str]]:
    return ((bool(place % 2), part) for place, part in enumerate(_CODE_BLOCK_PATTERN.split(answer)))


def _strip_thought_blocks(answer: str) -> str:
    """Return a text without its blocks of thoughts; what has no end is none."""
    pieces, start = [], 0
    while opened := _OPENING_TAG_PATTERN.search(answer, start):
        closed = _CLOSING_TAG_PATTERN.search(answer, opened.end())
        if closed is None:
            break
        pieces.append(answer[start : opened.start()])
        start = closed.end()
    return "".join([*pieces, answer[start:]])
