"""Word 2003 XML, which has nearly the elements of DOCX: what is called otherwise is renamed.

"Office 2003 XML Reference Schemas" of Microsoft. Notes, comments, heads and feet of pages stand
amid the text; in DOCX they have parts of their own.
"""

import re
from collections.abc import Iterator
from typing import Final

from ..numbering.numerals import FORMS
from .framing import find_element, frame_element, take_elements

_ROOT: Final = re.compile(rb"<w:wordDocument(?:\s[^<>]*+)?>")
_NAMES: Final = {
    b"listDef": b"abstractNum",
    b"list": b"num",
    b"listPr": b"numPr",
    b"ilst": b"abstractNumId",
    b"ilfo": b"numId",
}
_NAMED: Final = re.compile(rb"(</?w:)(listDef|listPr|list|ilst|ilfo)(?=[\s/>])")
_KEY: Final = re.compile(rb"\sw:(listDefId|ilfo)=")
_KEYS: Final = {b"listDefId": b" w:abstractNumId=", b"ilfo": b" w:numId="}
_FORM: Final = re.compile(rb'<w:nfc w:val="(\d{1,3})"')
_LINK: Final = re.compile(rb'<w:hlink(?=\s)(?:[^<>]*?\sw:dest="([^"<>]{1,2000})")?([^<>]*+)>')
_PLACE: Final = re.compile(rb'\sw:bookmark="([^"<>]{1,500})"')
_REMARK: Final = re.compile(rb'<aml:annotation\s[^<>]*?\bw:type="Word\.Comment"[^<>]*+>')
_RANGE: Final = re.compile(
    rb'<aml:annotation\s[^<>]*?\bw:type="Word\.Comment\.(Start|End)"[^<>]*+>'
)
_REMARK_KEY: Final = re.compile(rb'\saml:id="(\d{1,9})"')
_AUTHOR: Final = re.compile(rb'\saml:author="([^"<>]{1,200})"')
_ABOUT: Final = {b"title": b"o:Title", b"creator": b"o:Author", b"created": b"o:Created"}
_MARGINS: Final = {"header": b"hdr", "footer": b"ftr"}


def word_2003_parts(body: bytes) -> dict[str, bytes]:
    """Return what would be the parts of a DOCX file; none where no text is to be found."""
    start = body.find(b"<w:body")
    if start < 0:
        return {}
    told = body[:start]
    parts = {
        "word/styles.xml": _renamed(find_element(told, b"w:styles")),
        "word/numbering.xml": _FORM.sub(_form, _renamed(find_element(told, b"w:lists"))),
        "docProps/core.xml": b"".join(_about(told)),
    }
    text = _LINK.sub(_link, _renamed(body[start:])).replace(b"</w:hlink>", b"</w:hyperlink>")
    for take_out in (_notes, _comments, _margins):
        text, others = take_out(text)
        parts |= others
    parts["word/document.xml"] = text
    return {name: frame_element(body, _ROOT, part) for name, part in parts.items()}


def _renamed(text: bytes) -> bytes:
    renamed = _NAMED.sub(lambda tag: tag[1] + _NAMES[tag[2]], text)
    return _KEY.sub(lambda key: _KEYS[key[1]], renamed)


def _form(found: re.Match[bytes]) -> bytes:
    """Return how a level counts by its name, not by its number."""
    name = FORMS.get(int(found[1]), "decimal")
    return b'<w:numFmt w:val="%s"' % name.encode()


def _link(found: re.Match[bytes]) -> bytes:
    """Return a link as a field that says where it leads."""
    place = _PLACE.search(found[0])
    told = b"HYPERLINK &quot;%s&quot;" % found[1] if found[1] else b""
    told += b" \\l &quot;%s&quot;" % place[1] if place and told else b""
    end = b"/>" if found[2].endswith(b"/") else b">"
    return b'<w:hyperlink w:instr="%s"%s' % (told, end)


def _about(told: bytes) -> Iterator[bytes]:
    for name, tag in _ABOUT.items():
        words = find_element(told, tag).partition(b">")[2].partition(b"<")[0]
        yield b"<%s>%s</%s>" % (name, words, name) if words else b""


def _notes(text: bytes) -> tuple[bytes, dict[str, bytes]]:
    parts = {}
    for name in (b"footnote", b"endnote"):
        begin, end = re.compile(b"<w:%s(?:\\s[^<>]*+)?>" % name), b"</w:%s>" % name
        mark = b'<w:%sReference w:id="%%d"/>' % name
        text, cut = take_elements(text, begin, end, mark)
        notes = (b'<w:%s w:id="%d">%s%s' % (name, place, one, end) for place, (_, one) in cut)
        parts[f"word/{name.decode()}s.xml"] = b"".join(notes)
    return text, parts


def _comments(text: bytes) -> tuple[bytes, dict[str, bytes]]:
    text, cut = take_elements(text, _REMARK, b"</aml:annotation>", b"")
    marked = _RANGE.sub(_marked, text)
    remarks = (
        b'<w:comment w:id="%s" w:author="%s">%s</w:comment>'
        % (_said(_REMARK_KEY, tag), _said(_AUTHOR, tag), one)
        for _, (tag, one) in cut
    )
    return marked, {"word/comments.xml": b"".join(remarks)}


def _marked(found: re.Match[bytes]) -> bytes:
    return b'<w:commentRange%s w:id="%s"/>' % (found[1], _said(_REMARK_KEY, found[0]))


def _said(pattern: re.Pattern[bytes], tag: bytes) -> bytes:
    found = pattern.search(tag)
    return found[1] if found else b""


def _margins(text: bytes) -> tuple[bytes, dict[str, bytes]]:
    parts, relations = {}, b""
    for name, tag in _MARGINS.items():
        begin, end = re.compile(b"<w:%s(?:\\s[^<>]*+)?>" % tag), b"</w:%s>" % tag
        text, cut = take_elements(text, begin, end, b"")
        for place, (_, one) in cut:
            part = f"{name}{place}.xml"
            parts[f"word/{part}"] = b"<w:%s>%s%s" % (tag, one, end)
            relations += b'<Relationship Id="%b" Target="%b"/>' % (part.encode(), part.encode())
    return text, {**parts, "word/_rels/document.xml.rels": relations}
