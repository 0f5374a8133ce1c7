"""Thoughts that a model writes into its answer, between ``<think>`` tags at the start of it."""

_OPEN, _CLOSE = "<think>", "</think>"


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
        said, self._held = self._held, ""
        return said, thought

    def finish(self) -> tuple[str, str]:
        """Take the end: return what was held back because it might have been a tag.

        What a server sends after its end is text.
        """
        held, self._held = self._held, ""
        thinking, self._state = self._state == "thought", "text"
        return ("", held) if thinking else (held, "")

    def _open(self) -> None:
        start = self._held.lstrip()
        if start.startswith(_OPEN):
            self._held = start.removeprefix(_OPEN)
            self._state = "thought"
        elif not _OPEN.startswith(start):
            self._state = "text"

    def _think(self) -> str:
        thought, closed, rest = self._held.partition(_CLOSE)
        if closed:
            self._held = rest
            self._state = "gap"
            return thought
        keep = _tag_start(self._held)
        thought, self._held = self._held[:keep], self._held[keep:]
        return thought


def split_thinking(content: str) -> tuple[str, str]:
    """Return the text and the thoughts of a whole answer.

    >>> split_thinking("<think>first</think> then")
    ('then', 'first')
    """
    splitter = ThinkSplitter()
    said, thought = splitter.feed(content)
    more_said, more_thought = splitter.finish()
    return said + more_said, thought + more_thought


def _tag_start(text: str) -> int:
    """Return where the beginning of a closing tag stands at the end of ``text``."""
    for size in range(min(len(_CLOSE) - 1, len(text)), 0, -1):
        if text.endswith(_CLOSE[:size]):
            return len(text) - size
    return len(text)
