"""Small files of every kind, made by hand."""

import io
import zipfile
import zlib
from collections.abc import Mapping, Sequence

_W = 'xmlns:w="w" xmlns:r="r" xmlns:mc="mc"'
_A = 'xmlns:a="a" xmlns:p="p" xmlns:r="r"'

_OUTSIDE = ' TargetMode="External"'
_HIDDEN = ' state="hidden"'
_UNSHOWN = ' show="0"'


def pdf(pages: Sequence[str], *, info: str = "", more: str = "") -> bytes:
    """A PDF with one line of text a page; a page without text has no content."""
    kids = " ".join(f"{number} 0 R" for number in range(4, 4 + 2 * len(pages), 2))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for place, text in enumerate(pages):
        stream = f"BT /F1 12 Tf 72 720 Td ({text}) Tj ET" if text else ""
        page = (
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] "
            f"/Resources << /Font << /F1 3 0 R >> >> /Contents {5 + 2 * place} 0 R >>"
        )
        objects += [
            page,
            f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream",
        ]
    return raw_pdf([*objects, f"<< {info} >>"], trailer=f"/Info {len(objects) + 1} 0 R {more}")


def raw_pdf(objects: Sequence[str], *, trailer: str = "") -> bytes:
    """A PDF of these objects, numbered from 1; the first is the catalogue."""
    out = bytearray(b"%PDF-1.7\n")
    places = []
    for number, content in enumerate(objects, start=1):
        places.append(len(out))
        out += f"{number} 0 obj\n{content}\nendobj\n".encode("latin-1")
    start = len(out)
    out += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n".encode()
    out += b"".join(f"{place:010} 00000 n \n".encode() for place in places)
    size = len(objects) + 1
    out += f"trailer << /Root 1 0 R /Size {size} {trailer} >>\nstartxref\n{start}\n%%EOF".encode()
    return bytes(out)


def zipped(parts: Mapping[str, str | bytes]) -> bytes:
    """A zip file of these parts, the same bytes whenever it is made."""
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w") as package:
        for name, content in parts.items():
            package.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return whole.getvalue()


def docx(body: str, parts: Mapping[str, str] | None = None) -> bytes:
    """A Word document with this body."""
    document = f"<w:document {_W}><w:body>{body}</w:body></w:document>"
    return zipped({"word/document.xml": document, **(parts or {})})


def paragraph(text: str, properties: str = "") -> str:
    """A paragraph of a Word document."""
    return f"<w:p><w:pPr>{properties}</w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>"


def styles(content: str) -> dict[str, str]:
    """The style sheet of a Word document."""
    return {"word/styles.xml": f"<w:styles {_W}>{content}</w:styles>"}


def numbering(content: str) -> dict[str, str]:
    """The lists of a Word document."""
    return {"word/numbering.xml": f"<w:numbering {_W}>{content}</w:numbering>"}


def relations(part: str, targets: Mapping[str, str]) -> dict[str, str]:
    """What a part points to; a URL points outside."""
    folder, _, name = part.rpartition("/")
    entries = "".join(
        f'<Relationship Id="{key}" Target="{target}"{_OUTSIDE if ":" in target else ""}/>'
        for key, target in targets.items()
    )
    return {f"{folder}/_rels/{name}.rels": f"<Relationships>{entries}</Relationships>"}


def core(content: str) -> dict[str, str]:
    """What a document says about itself."""
    names = 'xmlns:dc="dc" xmlns:dcterms="t" xmlns:cp="cp"'
    return {"docProps/core.xml": f"<cp:coreProperties {names}>{content}</cp:coreProperties>"}


def xlsx(
    sheets: Mapping[str, str], parts: Mapping[str, str] | None = None, *, book: str = ""
) -> bytes:
    """A workbook; each sheet is its rows, and one whose name ends in ~ is hidden."""
    names = list(sheets)
    listed = "".join(
        f'<sheet name="{name.rstrip("~")}" r:id="s{place}"{_HIDDEN if name.endswith("~") else ""}/>'
        for place, name in enumerate(names)
    )
    contents = {
        f"xl/worksheets/s{place}.xml": f"<worksheet><sheetData>{sheets[name]}</sheetData></worksheet>"
        for place, name in enumerate(names)
    }
    targets = {f"s{place}": f"worksheets/s{place}.xml" for place in range(len(names))}
    workbook = f'<workbook xmlns:r="r">{book}<sheets>{listed}</sheets></workbook>'
    return zipped(
        {
            "xl/workbook.xml": workbook,
            **relations("xl/workbook.xml", targets),
            **contents,
            **(parts or {}),
        }
    )


def pptx(slides: Sequence[str], parts: Mapping[str, str] | None = None) -> bytes:
    """A presentation; each slide is its shapes, and one that starts with ~ is hidden."""
    ids = "".join(f'<p:sldId id="{300 + place}" r:id="s{place}"/>' for place in range(len(slides)))
    contents = {
        f"ppt/slides/s{place}.xml": f"<p:sld {_A}{_UNSHOWN if slide[:1] == '~' else ''}>"
        f"<p:spTree>{slide.lstrip('~')}</p:spTree></p:sld>"
        for place, slide in enumerate(slides)
    }
    targets = {f"s{place}": f"slides/s{place}.xml" for place in range(len(slides))}
    presentation = f"<p:presentation {_A}><p:sldIdLst>{ids}</p:sldIdLst></p:presentation>"
    return zipped(
        {
            "ppt/presentation.xml": presentation,
            **relations("ppt/presentation.xml", targets),
            **contents,
            **(parts or {}),
        }
    )


def shape(*texts: str, role: str = "") -> str:
    """A shape of a slide, a paragraph each text; its level is the number of tabs before it."""
    mark = f'<p:nvSpPr><p:nvPr><p:ph type="{role}"/></p:nvPr></p:nvSpPr>' if role else ""
    lines = "".join(
        f'<a:p><a:pPr lvl="{len(text) - len(text.lstrip(chr(9)))}"/>'
        f"<a:r><a:t>{text.strip()}</a:t></a:r></a:p>"
        for text in texts
    )
    return f"<p:sp>{mark}<p:txBody>{lines}</p:txBody></p:sp>"


def notes(text: str) -> str:
    """The notes of a slide."""
    return f"<p:notes {_A}><p:spTree>{shape(text, role='body')}</p:spTree></p:notes>"


def deflated_zeros(size: int) -> bytes:
    """So many zeros, compressed as zip files have them."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    pieces = [packer.compress(bytes(1 << 20)) for _ in range(size >> 20)]
    return b"".join([*pieces, packer.flush()])
