"""The documents as flat OpenDocument, from which LibreOffice makes every office format."""

from collections.abc import Iterator
from xml.sax.saxutils import escape, quoteattr

from .material import Block, Document, Heading, Items, Paragraph, Table

_SPACES = " ".join(
    f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{rest}:1.0"'
    for name, rest in (
        ("office", "office"),
        ("text", "text"),
        ("table", "table"),
        ("style", "style"),
        ("draw", "drawing"),
        ("presentation", "presentation"),
        ("svg", "svg-compatible"),
        ("fo", "xsl-fo-compatible"),
    )
)
_HEAD = (
    f'<?xml version="1.0" encoding="UTF-8"?><office:document {_SPACES}'
    ' xmlns:xlink="http://www.w3.org/1999/xlink" office:version="1.2" office:mimetype='
)
_LISTS = """
<text:list-style style:name="dots"><text:list-level-style-bullet text:level="1" text:bullet-char="•">
{0}</text:list-level-style-bullet><text:list-level-style-bullet text:level="2" text:bullet-char="◦">
{1}</text:list-level-style-bullet></text:list-style><text:list-style style:name="numbers">
<text:list-level-style-number text:level="1" style:num-format="1" style:num-suffix=".">
{0}</text:list-level-style-number></text:list-style>""".format(
    *(
        '<style:list-level-properties text:list-level-position-and-space-mode="label-alignment">'
        '<style:list-level-label-alignment text:label-followed-by="listtab"'
        f' fo:text-indent="-0.6cm" fo:margin-left="{depth * 0.9}cm"/></style:list-level-properties>'
        for depth in (1, 2)
    )
)
_SIZES = (22, 16, 13)
# Without a layout that says which frame is the title, PowerPoint's old format has none.
_LAYOUT = (
    '<office:styles><style:presentation-page-layout style:name="both">'
    '<presentation:placeholder presentation:object="title" svg:x="1cm" svg:y="1cm" svg:width="24cm"'
    ' svg:height="3cm"/><presentation:placeholder presentation:object="outline" svg:x="1cm"'
    ' svg:y="5cm" svg:width="24cm" svg:height="12cm"/></style:presentation-page-layout>'
    "</office:styles>"
)
_MASTER = (
    '<style:page-layout style:name="screen"><style:page-layout-properties fo:page-width="28cm"'
    ' fo:page-height="21cm"/></style:page-layout><style:style style:name="title"'
    ' style:family="presentation"/><style:style style:name="outline" style:family="presentation"/>'
    '</office:automatic-styles><office:master-styles><style:master-page style:name="Default"'
    ' style:page-layout-name="screen"/></office:master-styles>'
)


def text_document(document: Document) -> str:
    """Return the document as flat text."""
    styles = "".join(
        f'<style:style style:name="Heading_20_{level}" style:display-name="Heading {level}"'
        f' style:family="paragraph" style:default-outline-level="{level}"><style:text-properties'
        f' fo:font-size="{size}pt" fo:font-weight="bold"/></style:style>'
        for level, size in enumerate(_SIZES, start=1)
    )
    columns = (
        f'<style:style style:name="columns" style:family="section"><style:section-properties>'
        f'<style:columns fo:column-count="{document.columns}" fo:column-gap="0.8cm"/>'
        "</style:section-properties></style:style>"
    )
    body = "".join(_blocks(document.blocks))
    footer = (
        f"<style:footer><text:p>{escape(document.running)} <text:page-number/></text:p>"
        "</style:footer>"
        if document.running
        else ""
    )
    return (
        f'{_HEAD}"application/vnd.oasis.opendocument.text"><office:styles>{styles}</office:styles>'
        f"<office:automatic-styles>{columns}{_LISTS}"
        '<style:page-layout style:name="page"><style:page-layout-properties fo:margin="2cm"/>'
        "<style:footer-style/></style:page-layout></office:automatic-styles><office:master-styles>"
        f'<style:master-page style:name="Standard" style:page-layout-name="page">{footer}'
        "</style:master-page></office:master-styles><office:body><office:text>"
        f'<text:section text:style-name="columns" text:name="all">{body}</text:section>'
        "</office:text></office:body></office:document>"
    )


def _blocks(blocks: tuple[Block, ...]) -> Iterator[str]:
    for number, block in enumerate(blocks):
        match block:
            case Heading(level, text):
                yield (
                    f'<text:h text:style-name="Heading_20_{level}" text:outline-level="{level}">'
                    f"{escape(text)}</text:h>"
                )
            case Paragraph():
                yield _paragraph(block, number)
            case Items(items, numbered):
                yield _items(items, "numbers" if numbered else "dots")
            case Table(rows):
                yield f'<table:table table:name="t{number}">{table_rows(rows)}</table:table>'


def _paragraph(block: Paragraph, number: int) -> str:
    link = (
        f' <text:a xlink:type="simple" xlink:href={quoteattr(block.link[1])}>'
        f"{escape(block.link[0])}</text:a>"
        if block.link
        else ""
    )
    note = (
        f'<text:note text:id="n{number}" text:note-class="footnote"><text:note-citation>1'
        f"</text:note-citation><text:note-body><text:p>{escape(block.note)}</text:p>"
        "</text:note-body></text:note>"
        if block.note
        else ""
    )
    return f"<text:p>{escape(block.text)}{link}{note}</text:p>"


def _items(items: tuple[str | tuple[str, ...], ...], style: str) -> str:
    parts = []
    for item in items:
        if isinstance(item, str):
            parts.append(f"<text:list-item><text:p>{escape(item)}</text:p></text:list-item>")
        else:
            parts[-1] = parts[-1].removesuffix("</text:list-item>")
            parts.append(f"{_items(item, style)}</text:list-item>")
    return f'<text:list text:style-name="{style}">{"".join(parts)}</text:list>'


def table_rows(rows: tuple[tuple[str, ...], ...]) -> str:
    """Return the rows of a table or of a sheet, numbers as numbers."""
    return f'<table:table-column table:number-columns-repeated="{len(rows[0])}"/>' + "".join(
        f"<table:table-row>{''.join(_cell(cell) for cell in row)}</table:table-row>" for row in rows
    )


def _cell(text: str) -> str:
    return (
        f'<table:table-cell office:value-type="string"><text:p>{escape(text)}</text:p>'
        "</table:table-cell>"
    )


def spreadsheet(document: Document) -> str:
    """Return the tables of a document as flat sheets."""
    sheets = [block for block in document.blocks if isinstance(block, Table)]
    tables = "".join(
        f'<table:table table:name="Sheet {number}">{table_rows(sheet.rows)}</table:table>'
        for number, sheet in enumerate(sheets, start=1)
    )
    return (
        f'{_HEAD}"application/vnd.oasis.opendocument.spreadsheet"><office:body>'
        f"<office:spreadsheet>{tables}</office:spreadsheet></office:body></office:document>"
    )


def presentation(document: Document) -> str:
    """Return a slide for each heading with the items and the tables under it."""
    slides: list[tuple[str, list[str]]] = []
    for block in document.blocks:
        match block:
            case Heading(_, text):
                slides.append((text, []))
            case Items(items):
                slides[-1][1].append(_items(items, "dots"))
    pages = "".join(_slide(number, *slide) for number, slide in enumerate(slides, start=1))
    return (
        f'{_HEAD}"application/vnd.oasis.opendocument.presentation">{_LAYOUT}<office:automatic-styles>'
        f"{_LISTS}{_MASTER}<office:body><office:presentation>{pages}"
        "</office:presentation></office:body></office:document>"
    )


def _slide(number: int, title: str, parts: list[str]) -> str:
    frame = '<draw:frame presentation:class="{0}" presentation:style-name="{0}" svg:x="1cm" svg:y="{1}cm" svg:width="24cm" svg:height="{2}cm">'
    body = f"{frame.format('outline', 5, 12)}<draw:text-box>{''.join(parts)}</draw:text-box></draw:frame>"
    return (
        f'<draw:page draw:name="p{number}" draw:master-page-name="Default" presentation:presentation-page-layout-name="both">{frame.format("title", 1, 3)}<draw:text-box><text:p>'
        f"{escape(title)}</text:p></draw:text-box></draw:frame>{body if parts else ''}</draw:page>"
    )
