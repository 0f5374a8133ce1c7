"""What reviewers wrote: comments with their authors, and the words between the marks of each.

Rich Text Format Specification 1.7, "Comments (Annotations)" (read 2026-11-17).
"""

from typing import Final

from ..office.comments_and_margins import MAX_COMMENTS, CommentedWords, comment_line

_MAX_AUTHOR_CHARS: Final = 200


class Comments:
    """The comments of a document, as many as there is room for."""

    def __init__(self) -> None:
        """Have met none."""
        self.lines: list[str] = []
        self._remarks = CommentedWords()
        self._said: dict[str, str] = {}

    def hear(self, text: str) -> None:
        """Add to what comments are about."""
        self._remarks.hear(text)

    def note(self, place: str, text: str) -> None:
        """Keep what is said of the next comment: its author, or a number."""
        self._said[place] = (self._said.get(place, "") + text)[:_MAX_AUTHOR_CHARS]

    def begin(self) -> None:
        """Listen from here on for the comment whose number was said."""
        self._remarks.begin(self._said.pop("atrfstart", "").strip())

    def end(self) -> None:
        """Have heard what a comment is about."""
        self._remarks.end(self._said.pop("atrfend", "").strip())

    def add(self, text: str) -> None:
        """Take what a comment says."""
        author, number = (self._said.pop(place, "").strip() for place in ("atnauthor", "atnref"))
        if text and len(self.lines) < MAX_COMMENTS:
            self.lines.append(comment_line(author, self._remarks.about(number) or "", text))
