"""Documents of many parts that are one XML file, packed as their readers know them."""

import io
import re
import zipfile
from collections.abc import Callable, Iterator, Mapping
from typing import Final, TypeAlias

import msgspec

from .detection.charset import decode_source
from .draft import Source
from .numbering import FORMS
from .office.package import Package

_DECLARATION: Final = re.compile(rb"(?:\xef\xbb\xbf)?\s*+(<\?xml[^<>]*+>)")
_MAX_TAKEN_ELEMENTS: Final = 2000
_Cut: TypeAlias = list[tuple[int, tuple[bytes, bytes]]]


def frame_element(document: bytes, root: re.Pattern[bytes], piece: bytes) -> bytes:
    """Return a piece under a root like that of the whole, whose prefixes and charset it has."""
    declared, begin = _DECLARATION.match(document), root.search(document)
    tag = begin[0] if begin else b"<x>"
    name = tag.removeprefix(b"<").rstrip(b">").split(maxsplit=1)[0]
    end = b"</%s>" % name
    return b"".join((declared[1] if declared else b"", tag, piece.rpartition(end)[0] or piece, end))


def find_element(document: bytes, name: bytes) -> bytes:
    """Return an element with its tags, empty where it is not there or has no end."""
    begin, end = re.search(b"<%s(?=[\\s>])" % re.escape(name), document), b"</%s>" % name
    stop = document.find(end, begin.end()) if begin else -1
    return document[begin.start() : stop + len(end)] if begin and stop >= 0 else b""


def take_elements(
    text: bytes, begin: re.Pattern[bytes], end: bytes, mark: bytes
) -> tuple[bytes, _Cut]:
    """Return a text with a mark for each such element, and these: number, tag and inside."""
    kept: list[bytes] = []
    cut: _Cut = []
    place = 0
    while len(cut) < _MAX_TAKEN_ELEMENTS:
        found = begin.search(text, place)
        stop = text.find(end, found.end()) if found else -1
        if found is None or stop < 0:
            break
        number = len(cut) + 1
        kept += [text[place : found.start()], mark % number if b"%" in mark else mark]
        cut.append((number, (found[0], text[found.end() : stop])))
        place = stop + len(end)
    return b"".join([*kept, text[place:]]), cut


# Flat ODF: all parts of an OpenDocument file under one root.

_OPEN_DOCUMENT_ROOT: Final = re.compile(rb"<office:document\s[^<>]*+>")
_TYPE: Final = re.compile(rb"""\soffice:mimetype\s*=\s*["']([^"']{1,100})""")
_PICTURE: Final = re.compile(rb"<office:binary-data(?:\s[^<>]*+)?>[^<]*+</office:binary-data>")
_BODY: Final = re.compile(rb"<office:body[\s>]")


def open_document_parts(body: bytes) -> dict[str, bytes]:
    """Return what would be the parts of a package; none where no body is to be found."""
    body = _PICTURE.sub(b"", body)
    root, text = _OPEN_DOCUMENT_ROOT.search(body), _BODY.search(body)
    told = _TYPE.search(root[0]) if root else None
    if root is None or text is None or told is None:
        return {}
    styles = body[root.end() : text.start()]
    parts = {
        "meta.xml": find_element(styles, b"office:meta"),
        "styles.xml": styles,
        "content.xml": body[text.start() :],
    }
    return {"mimetype": told[1]} | {
        name: frame_element(body, _OPEN_DOCUMENT_ROOT, each) for name, each in parts.items()
    }


# Parts as the zip file that readers of documents take, and one XML file as a part of one.

PART: Final = "document.xml"


def pack_zip(parts: Mapping[str, bytes]) -> bytes:
    """Return a zip file of parts by their names, without compression."""
    body = io.BytesIO()
    with zipfile.ZipFile(body, "w") as package:
        for name, part in parts.items():
            package.writestr(zipfile.ZipInfo(name), part)
    return body.getvalue()


def wrap_xml(source: Source) -> Package:
    """Return an XML file as the one part of a package, in UTF-8.

    It is decoded by what browsers know: the parser would have to look for other charsets.
    """
    text = decode_source(source).lstrip()
    body = text.partition("?>")[2] if text.startswith("<?xml") else text
    return Package(pack_zip({PART: body.encode("utf-8", "replace")}))


# Word 2003 XML, which has nearly the elements of DOCX: what is called otherwise is renamed.

_WORD_2003_ROOT: Final = re.compile(rb"<w:wordDocument(?:\s[^<>]*+)?>")
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
    return {name: frame_element(body, _WORD_2003_ROOT, part) for name, part in parts.items()}


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


# Office and OpenDocument files that are one XML file, not a zip file of several.

_SNIFFED_BYTES: Final = 4096
_ROOT: Final = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*+(?:<[?!][^>]*+>\s*+)*+<(office:document|w:wordDocument)[\s>]"
)
_PARTS: Final[Mapping[bytes, Callable[[bytes], dict[str, bytes]]]] = {
    b"office:document": open_document_parts,
    b"w:wordDocument": word_2003_parts,
}


def repack_document(source: Source) -> Source:
    """Return a document that is one XML file as a zip file of its parts, all else as it is."""
    root = _ROOT.match(source.body[:_SNIFFED_BYTES])
    parts = _PARTS[root[1]](source.body) if root else {}
    return msgspec.structs.replace(source, body=pack_zip(parts)) if parts else source
