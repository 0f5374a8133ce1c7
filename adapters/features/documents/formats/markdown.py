"""Markdown stays unchanged, except for pictures, comments and front matter.

A picture becomes a link and a comment is removed. Front matter fills the fields of the page; its
other fields are shown in a fence under the title. Code keeps every character.
"""

import re
from collections.abc import Iterator
from typing import Final

from webseam.adapters.values.dates import iso_date
from webseam.ports.text import disarm_pictures

from .charset import decode_page_text
from .draft import Draft, PageResult, Source, finish_draft
from .markdown_writing import code_block, markdown_link

_FENCE_PATTERN: Final = re.compile(r"^ {0,3}(`{3,}|~{3,})[^\n]*+\n?", re.MULTILINE)
_FRONT_MATTER_PATTERN: Final = re.compile(
    r"\s{0,9}---[ \t]*+\r?\n(.{0,20000}?)\n---[ \t]*+(?:\r?\n|\Z)", re.DOTALL
)
# Includes the lines of a folded text (`description: >-`).
_FIELD_PATTERN: Final = re.compile(
    r"^(title|author|date|description|lang)[ \t]*+:[ \t]*+"
    r"(?:[|>][+-]?[ \t]*+\r?\n((?:[ \t]++[^\n]*+(?:\n|\Z))*+)|(\S[^\n]*+)(?:\n|\Z))",
    re.MULTILINE,
)
_HEADING_PATTERN: Final = re.compile(r"^ {0,3}#{1,6}[ \t]++(.*)$", re.MULTILINE)
_COMMENT_PATTERN: Final = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
# No bracket inside brackets: a wildcard would backtrack at each of them.
_PICTURE_PATTERN: Final = re.compile(
    r"!\[([^\[\]\n]{0,1000})\]\([ \t]*+<?([^\s()<>]{0,2000})>?[^()\n]{0,500}\)"
)
_IMG_TAG_PATTERN: Final = re.compile(r"<img\b[^<>]{0,4000}>(?:</img>)?", re.IGNORECASE)
_ATTRIBUTE_PATTERN: Final = re.compile(
    r"""\b(alt|src)\s*+=\s*+["']?([^"'>]{0,2000})""", re.IGNORECASE
)


def read_markdown(source: Source) -> PageResult:
    """Return the text with its front matter read and its pictures turned into links."""
    text, cuts = decode_page_text(source)
    front = _FRONT_MATTER_PATTERN.match(text)
    front_matter = front[1] if front else ""
    fields, others = _front_matter_fields(front_matter)
    content = clean_markdown(text[front.end() :] if front else text, source.url)
    if not content.strip() and front_matter.strip():
        # The file has nothing but front matter.
        content, others = code_block(front_matter.strip("\r\n"), "yaml"), ""
    heading = _HEADING_PATTERN.search(content)
    return finish_draft(
        Draft(
            content=_insert_front_matter(others, content) if others else content,
            title=fields.get("title")
            or (heading[1].strip(" \t\r#") if heading else source.file_name),
            author=fields.get("author", ""),
            published_at=iso_date(fields.get("date", "")),
            language=fields.get("lang", ""),
            description=fields.get("description", ""),
            cuts=cuts,
        )
    )


def clean_markdown(text: str, base: str) -> str:
    """Return markdown whose pictures are links and whose comments are gone."""
    return "".join(_disarm_run(piece, base) for piece in _split_fences(text))


def _front_matter_fields(front: str) -> tuple[dict[str, str], str]:
    """Return the fields that a page has, without quotes, and the other lines in a fence."""
    fields = {
        name: " ".join((folded or value).split()).strip("\"'")
        for name, folded, value in _FIELD_PATTERN.findall(front)
    }
    dated = iso_date(fields.get("date", "")) is not None
    others = _FIELD_PATTERN.sub(
        lambda field: "" if dated or field[1] != "date" else field[0], front
    )
    return fields, code_block(others.strip("\r\n"), "yaml") if others.strip() else ""


def _insert_front_matter(fence: str, content: str) -> str:
    """Insert the fence above the text, or below the heading that the text begins with."""
    text = content.lstrip("\r\n")
    heading = _HEADING_PATTERN.match(text)
    end = heading.end() if heading else 0
    parts = (text[:end].rstrip("\r"), fence, text[end:].lstrip("\r\n"))
    return "\n\n".join(part for part in parts if part)


def _split_fences(text: str) -> Iterator[tuple[bool, str]]:
    """Yield runs of lines, each with whether it is a code block."""
    start, opening = 0, ""
    for fence in _FENCE_PATTERN.finditer(text):
        if not opening:
            if start < fence.start():
                yield False, text[start : fence.start()]
            start, opening = fence.start(), fence[1]
        elif fence[1].startswith(opening) and fence[0].strip() == fence[1]:
            yield True, text[start : fence.end()]
            start, opening = fence.end(), ""
    yield bool(opening), text[start:]


def _disarm_run(piece: tuple[bool, str], base: str) -> str:
    is_code, text = piece
    if is_code:
        return text
    if "<" in text:
        text = _COMMENT_PATTERN.sub("", text)
        text = _IMG_TAG_PATTERN.sub(lambda match: _img_tag_link(match[0], base), text)
    if "![" in text:
        text = _PICTURE_PATTERN.sub(
            lambda match: markdown_picture_link(match[1], match[2], base), text
        )
    return disarm_pictures(text)


def markdown_picture_link(alt: str, url: str, base: str) -> str:
    """Return a link to a picture, or its description when there is nothing to link to."""
    if url[:5].lower() == "data:":
        return f"[IMAGE: {alt}]"
    return markdown_link(alt or "image", url, base)


def _img_tag_link(tag: str, base: str) -> str:
    attributes = {name.lower(): value for name, value in _ATTRIBUTE_PATTERN.findall(tag)}
    return markdown_picture_link(attributes.get("alt", ""), attributes.get("src", ""), base)


READERS: Final = {"markdown": read_markdown}
