"""Fence the texts of the other side in one MCP result: in its data, and in errors."""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping
from typing import cast

import msgspec

from webseam.kernel.boundary import attempt_call
from webseam.kernel.text.display import encode_address, one_line, strip_hidden
from webseam.kernel.text.fence import (
    fence_clean_block,
    fence_clean_text,
    fence_short_text,
    fence_text,
)
from webseam.ports.errors import WebError
from webseam.ports.errors.error_fields import foreign_fields
from webseam.ports.receipts import ExtractReceipt, SearchReceipt

_PLAIN_NAME_PATTERN = re.compile(r"[A-Za-z0-9_.:@-]{1,40}\Z")
_ADDRESS_PATTERN = re.compile(r"\Ahttps?://[!-~]{1,500}\Z")
# Programs need addresses of results, and names that webseam gives, as they are.
_BARE_FIELD_PATTERNS = {
    **dict.fromkeys(("url", "citations"), _ADDRESS_PATTERN),
    **dict.fromkeys(("backend", "found_by", "handle", "origin"), _PLAIN_NAME_PATTERN),
}
# The names of a row whose texts stand in the text of its search, and those that hold no others.
_CLEAN_ROW_NAMES = frozenset({"title", "description", "published_at"})
_PLAIN_ROW_NAMES = _CLEAN_ROW_NAMES | {"url", "position"}
_RECEIPT_FIELDS = foreign_fields(SearchReceipt) | foreign_fields(ExtractReceipt)


class ResultFence(msgspec.Struct, frozen=True):
    """The marks of one result; the server draws ``id`` at random for each."""

    id: str

    def block(self, text: str) -> str:
        """Return a long text under a line that warns the model."""
        return fence_text(text, self.id)

    def clean_block(self, text: str) -> str:
        """Return a long text that may hold no marks under a line that warns the model."""
        return fence_clean_block(text, self.id)

    def line(self, text: str) -> str:
        """Return a text on one line, truncated."""
        return fence_short_text(one_line(text).rstrip(". "), self.id)

    def values(self, value: object, name: str = "", *, is_page: bool = False) -> object:
        """Return a JSON value with each text fenced, also names that are sentences."""
        if isinstance(value, str):
            bare = None if is_page else _BARE_FIELD_PATTERNS.get(name)
            return value if bare and bare.match(value) else fence_short_text(value, self.id)
        if isinstance(value, dict):
            return self.mapping(value, is_page=is_page)
        if isinstance(value, list | tuple):
            return [self.values(item, name, is_page=is_page) for item in value]
        return value

    def needs_marks(self, text: str, name: str) -> bool:
        """Tell whether the text of a field is fenced."""
        bare = _BARE_FIELD_PATTERNS.get(name)
        return bool(text) and not (bare and bare.match(text))

    def clean_row(self, row: Mapping[str, object]) -> dict[str, object]:
        """Return a row of a search fenced, as ``mapping`` does.

        Its title, text and date stand in a text that may hold no marks, so each is not searched.
        """
        if not row.keys() <= _PLAIN_ROW_NAMES or not all(
            isinstance(row.get(name, ""), str) for name in _CLEAN_ROW_NAMES
        ):
            return self.mapping(row)
        fenced = {
            name: fence_clean_text(cast("str", value), self.id)
            if name in _CLEAN_ROW_NAMES
            else value
            for name, value in row.items()
        }
        fenced["url"] = self.values(row.get("url"), "url")
        return fenced

    def mapping(
        self, values: Mapping[str, object], *names: str, is_page: bool = False
    ) -> dict[str, object]:
        """Return a mapping with the texts under ``names``, or under all names, fenced.

        A page chooses the names of its metadata, so everything in there is fenced.
        """
        fenced: dict[str, object] = {}
        for name, value in values.items():
            key = name if _PLAIN_NAME_PATTERN.match(name) else fence_short_text(name, self.id)
            if names and name not in names:
                fenced[key] = value
            elif name == "final_url" and isinstance(value, str) and not is_page:
                fenced[key] = self.address(value, values.get("url"))
            else:
                fenced[key] = self.values(value, name, is_page=is_page or name == "metadata")
        return fenced

    def address(self, url: str, requested: object) -> str:
        """Return the address that a page redirects to; the requested one unchanged."""
        return url if url == requested else self.line(encode_address(url))

    def receipt(self, receipt: Mapping[str, object]) -> dict[str, object]:
        """Return a receipt with the texts of the other side fenced, those of its pages too."""
        fenced = self.mapping(receipt, *_RECEIPT_FIELDS)
        pages = receipt.get("pages")
        if isinstance(pages, list):
            fenced["pages"] = [
                self.mapping(page, *_RECEIPT_FIELDS) if isinstance(page, dict) else page
                for page in pages
            ]
        return fenced

    def message(self, error: WebError) -> str:
        """Return what happened, with the words of the other side fenced."""
        return strip_hidden(error.message_to("mcp", self.line))

    def failure(self, fields: Mapping[str, object]) -> dict[str, object]:
        """Return the fields of an error; all of them are fenced if it is no error of ours."""
        converted = attempt_call(lambda: msgspec.convert(fields, WebError))
        error: WebError | None = converted.value_or(None)
        if error is None:
            return self.mapping(fields)
        marked = msgspec.to_builtins(error.map_foreign(self.line))
        foreign = {name: marked[name] for name in foreign_fields(type(error))}
        message = {"message": self.message(error)} if "message" in fields else {}
        return {**self.mapping(fields, "url"), **foreign, **message}


def new_result_fence() -> ResultFence:
    """Return a fence with an id that no author of a page can know."""
    return ResultFence(secrets.token_hex(8))
