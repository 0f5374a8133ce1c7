"""Thoughts that a model writes into its answer, between tags.

``split_thinking`` is for the wires: it takes only a ``<think>`` block before the answer, so that
any split of a stream gives the same result. ``strip_thoughts`` returns the bare text: it removes
every thought tag that models use, at the start of any line.
"""

import re

_THINK_OPEN, _THINK_CLOSE = "<think>", "</think>"
_THOUGHT_TAGS = "think|thinking|thought|reasoning|reasoning_scratchpad"
_LEADING_THOUGHTS_PATTERN = re.compile(
    rf"(?:\s*<({_THOUGHT_TAGS})>.*?(?:</\1>|\Z))*+", re.DOTALL | re.IGNORECASE
)
_OPENING_TAG_PATTERN = re.compile(rf"^[ \t]*<(?:{_THOUGHT_TAGS})>", re.IGNORECASE | re.MULTILINE)
_CLOSING_TAG_PATTERN = re.compile(rf"</(?:{_THOUGHT_TAGS})>[ \t]*\n?", re.IGNORECASE)
_CODE_BLOCK_PATTERN = re.compile(r"(```.*?(?:```|\Z))", re.DOTALL)
# Thoughts whose opening tag is in the prompt; nothing follows the closing tag on its line.
_UNOPENED_THOUGHTS_PATTERN = re.compile(
    rf"\A.*?</(?:{_THOUGHT_TAGS})>[ \t]*\n", re.DOTALL | re.IGNORECASE
)


class ThinkSplitter:
    """Separates thoughts from text while both arrive in pieces; any split gives the same texts."""

    def __init__(self) -> None:
        """Start before the first character."""
        self._buffer = ""
        self._blanks: list[str] = []
        self._state = "start"

    def feed(self, piece: str) -> tuple[str, str]:
        """Take the next piece; return what it adds to the text, and to the thoughts."""
        if self._state == "start" and not self._buffer and piece.isspace():
            self._blanks.append(piece)
            return "", ""
        self._buffer += piece
        thought = ""
        if self._state == "start":
            self._read_opening_tag()
        if self._state == "thought":
            thought = self._take_thought()
        if self._state == "gap":
            self._buffer = self._buffer.lstrip()
            self._state = "text" if self._buffer else "gap"
        if self._state != "text":
            return "", thought
        text, self._buffer = self._buffer, ""
        return text, thought

    def finish(self) -> tuple[str, str]:
        """Return the buffered rest, which might have been a tag; later pieces are text."""
        rest, self._buffer = "".join((*self._blanks, self._buffer)), ""
        self._blanks.clear()
        thinking, self._state = self._state == "thought", "text"
        return ("", rest) if thinking else (rest, "")

    def _read_opening_tag(self) -> None:
        start = self._buffer.lstrip()
        if start.startswith(_THINK_OPEN):
            self._buffer = start.removeprefix(_THINK_OPEN)
            self._blanks.clear()
            self._state = "thought"
        elif not _THINK_OPEN.startswith(start):
            self._buffer = "".join((*self._blanks, self._buffer))
            self._blanks.clear()
            self._state = "text"

    def _take_thought(self) -> str:
        thought, closed, rest = self._buffer.partition(_THINK_CLOSE)
        if closed:
            self._buffer = rest
            self._state = "gap"
            return thought
        keep = _partial_closing_tag_start(self._buffer)
        thought, self._buffer = self._buffer[:keep], self._buffer[keep:]
        return thought


def split_thinking(content: str) -> tuple[str, str]:
    """Return the text and the thoughts of a complete answer.

    >>> split_thinking("<think>first</think> then")
    ('then', 'first')
    """
    splitter = ThinkSplitter()
    text, thought = splitter.feed(content)
    more_text, more_thought = splitter.finish()
    return text + more_text, thought + more_thought


def _partial_closing_tag_start(text: str) -> int:
    """Return the offset of an incomplete closing tag at the end of ``text``, or its length."""
    for size in range(min(len(_THINK_CLOSE) - 1, len(text)), 0, -1):
        if text.endswith(_THINK_CLOSE[:size]):
            return len(text) - size
    return len(text)


def strip_thoughts(answer: str) -> str:
    r"""Return an answer without the thoughts that a model left in it.

    >>> strip_thoughts("<think>Hm.</think>Tides.")
    'Tides.'
    >>> strip_thoughts("Hm.\n</think>\n\nTides.")
    'Tides.'
    """
    leading = _LEADING_THOUGHTS_PATTERN.match(answer)
    answer = answer[leading.end() if leading else 0 :]
    # Every second part is a code block, in which the tag is part of the text.
    parts = (
        part if index % 2 else _strip_thought_blocks(part)
        for index, part in enumerate(_CODE_BLOCK_PATTERN.split(answer))
    )
    answer = "".join(parts)
    ending = _UNOPENED_THOUGHTS_PATTERN.match(answer)
    return answer[ending.end() if ending and "```" not in ending[0] else 0 :].strip()


def _strip_thought_blocks(answer: str) -> str:
    """Return a text without its thought blocks; a block without an end stays."""
    pieces, start = [], 0
    while opening := _OPENING_TAG_PATTERN.search(answer, start):
        closing = _CLOSING_TAG_PATTERN.search(answer, opening.end())
        if closing is None:
            break
        pieces.append(answer[start : opening.start()])
        start = closing.end()
    return "".join([*pieces, answer[start:]])
