"""Documents that are one XML file, repacked as the zip files that their readers expect."""

import io
import re
import zipfile
from collections.abc import Callable, Iterator, Mapping
from typing import Final, TypeAlias

import msgspec

from . import charset, draft, numbering
from .office.package import Package

_XML_DECLARATION_PATTERN: Final = re.compile(rb"(?:\xef\xbb\xbf)?\s*+(<\?xml[^<>]*+>)")
_MAX_TAKEN_ELEMENTS: Final = 2000
_TakenElements: TypeAlias = list[tuple[int, tuple[bytes, bytes]]]


def frame_xml_element(document: bytes, root: re.Pattern[bytes], piece: bytes) -> bytes:
    """Return a piece under the root tag and XML declaration of its document."""
    declared, begin = _XML_DECLARATION_PATTERN.match(document), root.search(document)
    tag = begin[0] if begin else b"<x>"
    name = tag.removeprefix(b"<").rstrip(b">").split(maxsplit=1)[0]
    end = b"</%s>" % name
    return b"".join((declared[1] if declared else b"", tag, piece.rpartition(end)[0] or piece, end))


def find_xml_element(document: bytes, name: bytes) -> bytes:
    """Return an element with its tags, empty where it is missing or has no end tag."""
    begin, end = re.search(b"<%s(?=[\\s>])" % re.escape(name), document), b"</%s>" % name
    stop = document.find(end, begin.end()) if begin else -1
    return document[begin.start() : stop + len(end)] if begin and stop >= 0 else b""


def take_xml_elements(
    text: bytes, begin: re.Pattern[bytes], end: bytes, mark: bytes
) -> tuple[bytes, _TakenElements]:
    """Replace elements by a mark; return the text, and each element's number, tag and content."""
    pieces: list[bytes] = []
    taken: _TakenElements = []
    offset = 0
    while len(taken) < _MAX_TAKEN_ELEMENTS:
        match = begin.search(text, offset)
        stop = text.find(end, match.end()) if match else -1
        if match is None or stop < 0:
            break
        number = len(taken) + 1
        pieces += [text[offset : match.start()], mark % number if b"%" in mark else mark]
        taken.append((number, (match[0], text[match.end() : stop])))
        offset = stop + len(end)
    return b"".join([*pieces, text[offset:]]), taken


# Flat ODF: all parts of an OpenDocument file under one root.
_OPEN_DOCUMENT_ROOT_PATTERN: Final = re.compile(rb"<office:document\s[^<>]*+>")
_MEDIA_TYPE_PATTERN: Final = re.compile(rb"""\soffice:mimetype\s*=\s*["']([^"']{1,100})""")
_PICTURE_PATTERN: Final = re.compile(
    rb"<office:binary-data(?:\s[^<>]*+)?>[^<]*+</office:binary-data>"
)
_BODY_PATTERN: Final = re.compile(rb"<office:body[\s>]")


def flat_odf_parts(body: bytes) -> dict[str, bytes]:
    """Return the parts of the package that the file stands for; none where it has no body."""
    body = _PICTURE_PATTERN.sub(b"", body)
    root, text = _OPEN_DOCUMENT_ROOT_PATTERN.search(body), _BODY_PATTERN.search(body)
    media_type = _MEDIA_TYPE_PATTERN.search(root[0]) if root else None
    if root is None or text is None or media_type is None:
        return {}
    styles = body[root.end() : text.start()]
    parts = {
        "meta.xml": find_xml_element(styles, b"office:meta"),
        "styles.xml": styles,
        "content.xml": body[text.start() :],
    }
    return {"mimetype": media_type[1]} | {
        name: frame_xml_element(body, _OPEN_DOCUMENT_ROOT_PATTERN, part)
        for name, part in parts.items()
    }


DOCUMENT_PART: Final = "document.xml"


def pack_document_zip(parts: Mapping[str, bytes]) -> bytes:
    """Return a zip file of parts by their names, without compression."""
    body = io.BytesIO()
    with zipfile.ZipFile(body, "w") as package:
        for name, part in parts.items():
            package.writestr(zipfile.ZipInfo(name), part)
    return body.getvalue()


def wrap_xml_as_package(source: draft.Source) -> Package:
    """Return an XML file as the only part of a package, in UTF-8.

    Decode it here: expat would have to import codecs for other charsets.
    """
    text = charset.decode_source(source).lstrip()
    body = text.partition("?>")[2] if text.startswith("<?xml") else text
    return Package(pack_document_zip({DOCUMENT_PART: body.encode("utf-8", "replace")}))


# Word 2003 XML has nearly the elements of DOCX; the others are renamed.
_WORD_2003_ROOT_PATTERN: Final = re.compile(rb"<w:wordDocument(?:\s[^<>]*+)?>")
_DOCX_NAMES: Final = {
    b"listDef": b"abstractNum", b"list": b"num", b"listPr": b"numPr", b"ilst": b"abstractNumId",
    b"ilfo": b"numId",
}  # fmt: skip
_RENAMED_TAG_PATTERN: Final = re.compile(rb"(</?w:)(listDef|listPr|list|ilst|ilfo)(?=[\s/>])")
_RENAMED_KEY_PATTERN: Final = re.compile(rb"\sw:(listDefId|ilfo)=")
_DOCX_KEYS: Final = {b"listDefId": b" w:abstractNumId=", b"ilfo": b" w:numId="}
_NUMBER_FORM_PATTERN: Final = re.compile(rb'<w:nfc w:val="(\d{1,3})"')
_LINK_PATTERN: Final = re.compile(
    rb'<w:hlink(?=\s)(?:[^<>]*?\sw:dest="([^"<>]{1,2000})")?([^<>]*+)>'
)
_BOOKMARK_PATTERN: Final = re.compile(rb'\sw:bookmark="([^"<>]{1,500})"')
_COMMENT_PATTERN: Final = re.compile(rb'<aml:annotation\s[^<>]*?\bw:type="Word\.Comment"[^<>]*+>')
_COMMENT_RANGE_PATTERN: Final = re.compile(
    rb'<aml:annotation\s[^<>]*?\bw:type="Word\.Comment\.(Start|End)"[^<>]*+>'
)
_COMMENT_KEY_PATTERN: Final = re.compile(rb'\saml:id="(\d{1,9})"')
_AUTHOR_PATTERN: Final = re.compile(rb'\saml:author="([^"<>]{1,200})"')
_CORE_PROPERTIES: Final = {b"title": b"o:Title", b"creator": b"o:Author", b"created": b"o:Created"}
_MARGINS: Final = {"header": b"hdr", "footer": b"ftr"}


def word_2003_parts(body: bytes) -> dict[str, bytes]:
    """Return the parts of the DOCX file that the file stands for; none where it has no body."""
    start = body.find(b"<w:body")
    if start < 0:
        return {}
    head = body[:start]
    parts = {
        "word/styles.xml": _rename_word_2003(find_xml_element(head, b"w:styles")),
        "word/numbering.xml": _NUMBER_FORM_PATTERN.sub(
            _docx_number_form_tag, _rename_word_2003(find_xml_element(head, b"w:lists"))
        ),
        "docProps/core.xml": b"".join(_word_2003_properties(head)),
    }
    text = _LINK_PATTERN.sub(_docx_hyperlink_tag, _rename_word_2003(body[start:]))
    text = text.replace(b"</w:hlink>", b"</w:hyperlink>")
    for take_out in (_take_word_2003_footnotes, _take_word_2003_comments, _take_word_2003_margins):
        text, further = take_out(text)
        parts |= further
    parts["word/document.xml"] = text
    return {
        name: frame_xml_element(body, _WORD_2003_ROOT_PATTERN, xml) for name, xml in parts.items()
    }


def _rename_word_2003(text: bytes) -> bytes:
    renamed = _RENAMED_TAG_PATTERN.sub(lambda tag: tag[1] + _DOCX_NAMES[tag[2]], text)
    return _RENAMED_KEY_PATTERN.sub(lambda key: _DOCX_KEYS[key[1]], renamed)


def _docx_number_form_tag(match: re.Match[bytes]) -> bytes:
    """Return the form of a list level by its name instead of its number."""
    name = numbering.NUMBER_FORMS.get(int(match[1]), "decimal")
    return b'<w:numFmt w:val="%s"' % name.encode()


def _docx_hyperlink_tag(match: re.Match[bytes]) -> bytes:
    """Return a link as a field whose instruction has the target."""
    bookmark = _BOOKMARK_PATTERN.search(match[0])
    instruction = b"HYPERLINK &quot;%s&quot;" % match[1] if match[1] else b""
    instruction += b" \\l &quot;%s&quot;" % bookmark[1] if bookmark and instruction else b""
    end = b"/>" if match[2].endswith(b"/") else b">"
    return b'<w:hyperlink w:instr="%s"%s' % (instruction, end)


def _word_2003_properties(head: bytes) -> Iterator[bytes]:
    for name, tag in _CORE_PROPERTIES.items():
        value = find_xml_element(head, tag).partition(b">")[2].partition(b"<")[0]
        yield b"<%s>%s</%s>" % (name, value, name) if value else b""


def _take_word_2003_footnotes(text: bytes) -> tuple[bytes, dict[str, bytes]]:
    parts = {}
    for name in (b"footnote", b"endnote"):
        begin, end = re.compile(b"<w:%s(?:\\s[^<>]*+)?>" % name), b"</w:%s>" % name
        mark = b'<w:%sReference w:id="%%d"/>' % name
        text, taken = take_xml_elements(text, begin, end, mark)
        notes = (b'<w:%s w:id="%d">%s%s' % (name, key, inside, end) for key, (_, inside) in taken)
        parts[f"word/{name.decode()}s.xml"] = b"".join(notes)
    return text, parts


def _take_word_2003_comments(text: bytes) -> tuple[bytes, dict[str, bytes]]:
    text, taken = take_xml_elements(text, _COMMENT_PATTERN, b"</aml:annotation>", b"")
    marked = _COMMENT_RANGE_PATTERN.sub(_docx_comment_range_tag, text)
    comments = (
        b'<w:comment w:id="%s" w:author="%s">%s</w:comment>'
        % (
            _xml_tag_attribute(_COMMENT_KEY_PATTERN, tag),
            _xml_tag_attribute(_AUTHOR_PATTERN, tag),
            inside,
        )
        for _, (tag, inside) in taken
    )
    return marked, {"word/comments.xml": b"".join(comments)}


def _docx_comment_range_tag(match: re.Match[bytes]) -> bytes:
    return b'<w:commentRange%s w:id="%s"/>' % (
        match[1],
        _xml_tag_attribute(_COMMENT_KEY_PATTERN, match[0]),
    )


def _xml_tag_attribute(pattern: re.Pattern[bytes], tag: bytes) -> bytes:
    match = pattern.search(tag)
    return match[1] if match else b""


def _take_word_2003_margins(text: bytes) -> tuple[bytes, dict[str, bytes]]:
    parts, relations = {}, b""
    for name, tag in _MARGINS.items():
        begin, end = re.compile(b"<w:%s(?:\\s[^<>]*+)?>" % tag), b"</w:%s>" % tag
        text, taken = take_xml_elements(text, begin, end, b"")
        for number, (_, inside) in taken:
            part = f"{name}{number}.xml"
            parts[f"word/{part}"] = b"<w:%s>%s%s" % (tag, inside, end)
            relations += b'<Relationship Id="%b" Target="%b"/>' % (part.encode(), part.encode())
    return text, {**parts, "word/_rels/document.xml.rels": relations}


_SNIFF_BYTES: Final = 4096
_ROOT_PATTERN: Final = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*+(?:<[?!][^>]*+>\s*+)*+<(office:document|w:wordDocument)[\s>]"
)
_PART_READERS: Final[Mapping[bytes, Callable[[bytes], dict[str, bytes]]]] = {
    b"office:document": flat_odf_parts,
    b"w:wordDocument": word_2003_parts,
}


def repack_document(source: draft.Source) -> draft.Source:
    """Return a document that is one XML file as a zip file of its parts; others unchanged."""
    root = _ROOT_PATTERN.match(source.body[:_SNIFF_BYTES])
    parts = _PART_READERS[root[1]](source.body) if root else {}
    return msgspec.structs.replace(source, body=pack_document_zip(parts)) if parts else source
