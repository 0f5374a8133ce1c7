"""Comments with their authors, and the words between the marks of each.

Rich Text Format Specification 1.7, "Comments (Annotations)" (read 2026-11-17).
"""

from typing import Final

from ..office.comments_and_margins import MAX_COMMENTS, CommentedWords, office_comment_line

_MAX_AUTHOR_CHARS: Final = 200


class RtfComments:
    """The comments of a document, up to a limit."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._ranges = CommentedWords()
        self._fields: dict[str, str] = {}

    def add_commented_text(self, text: str) -> None:
        """Add text to the open ranges of comments."""
        self._ranges.add_commented_text(text)

    def set_comment_field(self, field: str, text: str) -> None:
        """Store a field of the next comment: its author, or a number."""
        self._fields[field] = (self._fields.get(field, "") + text)[:_MAX_AUTHOR_CHARS]

    def begin_comment_range(self) -> None:
        """Start the range of the comment whose number was stored."""
        self._ranges.begin_comment_range(self._fields.pop("atrfstart", "").strip())

    def end_comment_range(self) -> None:
        """End the range of the comment whose number was stored."""
        self._ranges.end_comment_range(self._fields.pop("atrfend", "").strip())

    def add_rtf_comment(self, text: str) -> None:
        """Add a comment with its stored author and range."""
        author, number = (self._fields.pop(field, "").strip() for field in ("atnauthor", "atnref"))
        if text and len(self.lines) < MAX_COMMENTS:
            self.lines.append(
                office_comment_line(author, self._ranges.commented_text(number) or "", text)
            )
