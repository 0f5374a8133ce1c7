"""The claims of an answer that is still being written, each as soon as it is whole."""

import re

import msgspec
from returns.result import Success

from ..boundary import attempt_call
from .answer_prompts import MAX_CLAIMS, SaidClaim, bound_claims

# A claim is an object in a list in an object: {"claims": [{...
_CLAIM_LEVEL = 3
_MARKS = re.compile(r'[{}\[\]"]')
_STRING_MARKS = re.compile(r'["\\]')
_BEGINNING = re.compile(r"\s*(?:```\w*\s*)?\{")
_MAX_PREFIX_CHARS = 40


class ClaimStream:
    """Reads an answer piece by piece.

    An answer that begins with anything but its JSON is not read before it is whole: thoughts and
    drafts may hold claims that the answer will not.
    """

    def __init__(self) -> None:
        self._text = ""
        self._at = 0
        self._level = 0
        self._in_string = False
        self._began = 0
        self._closed = False
        self._claims: list[SaidClaim] = []
        self._counted = 0

    @property
    def claims(self) -> tuple[SaidClaim, ...]:
        """All that came whole so far."""
        return bound_claims(self._claims)

    def feed(self, piece: str) -> tuple[SaidClaim, ...]:
        """Return the claims that this piece completes, as the whole answer will have them."""
        if self._closed:
            return ()
        self._text += piece
        if self._is_json():
            self._scan()
        claims = self.claims
        fresh, self._counted = claims[self._counted :], len(claims)
        self._closed |= self._counted == MAX_CLAIMS
        return fresh

    def _is_json(self) -> bool:
        if _BEGINNING.match(self._text) is not None:
            return True
        self._closed = len(self._text) > _MAX_PREFIX_CHARS
        return False

    def _scan(self) -> None:
        while not self._closed:
            marks = _STRING_MARKS if self._in_string else _MARKS
            mark = marks.search(self._text, self._at)
            if mark is None:
                self._at = len(self._text)
                return
            if mark.group() == "\\" and mark.end() == len(self._text):
                # What it escapes comes with the next piece.
                self._at = mark.start()
                return
            self._at = mark.end()
            self._take(mark.group())

    def _take(self, mark: str) -> None:
        if mark == "\\":
            self._at += 1
        elif mark == '"':
            self._in_string = not self._in_string
        elif mark in "{[":
            self._level += 1
            if self._level == _CLAIM_LEVEL:
                self._began = self._at - 1
        else:
            self._end_of_value()

    def _end_of_value(self) -> None:
        if self._level == _CLAIM_LEVEL:
            whole = self._text[self._began : self._at]
            claim = attempt_call(lambda: msgspec.json.decode(whole, type=SaidClaim))
            if isinstance(claim, Success):
                self._claims.append(claim.unwrap())
        self._level -= 1
        # What follows the answer is none of it.
        self._closed = self._level <= 0


def whole_claims(text: str) -> tuple[SaidClaim, ...]:
    """Return the claims that came whole in an answer which breaks off.

    >>> whole_claims('{"claims": [{"quotes": [], "claim": "One."}, {"quotes": [], "cla')
    (SaidClaim(quotes=(), claim='One.'),)
    """
    return ClaimStream().feed(text)
