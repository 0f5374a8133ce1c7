"""Documents that are one XML file."""

OFFICE = "urn:oasis:names:tc:opendocument:xmlns:"
WORD = "http://schemas.microsoft.com/office/word/2003/wordml"
MAIN = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
SHEET = "urn:schemas-microsoft-com:office:spreadsheet"


def flat_odf(kind: str, body: str, styles: str = "") -> str:
    names = "".join(
        f' xmlns:{name}="{OFFICE}{name}:1.0"' for name in ("office", "text", "table", "meta")
    )
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<office:document{names}'
        f' xmlns:dc="http://purl.org/dc/elements/1.1/"'
        f' office:mimetype="application/vnd.oasis.opendocument.{kind}">'
        f"<office:meta><dc:title>Of tides</dc:title></office:meta>{styles}"
        f"<office:body>{body}</office:body></office:document>"
    )


def word_2003(body: str, before: str = "") -> str:
    return (
        '<?xml version="1.0"?>\n<?mso-application progid="Word.Document"?>\n'
        f'<w:wordDocument xmlns:w="{WORD}" xmlns:o="o" xmlns:aml="aml" xmlns:wx="wx">'
        f"{before}<w:body><wx:sect>{body}</wx:sect></w:body></w:wordDocument>"
    )


def said(text: str, about: str = "") -> str:
    return f"<w:p>{about}<w:r><w:t>{text}</w:t></w:r></w:p>"


def book_2003(sheets: str, styles: str = "") -> str:
    return (
        f'<?xml version="1.0"?><Workbook xmlns="{SHEET}" xmlns:ss="{SHEET}">'
        f"<Styles>{styles}</Styles>{sheets}</Workbook>"
    )


def cells(*texts: str, kind: str = "String") -> str:
    inside = "".join(f'<Cell><Data ss:Type="{kind}">{text}</Data></Cell>' for text in texts)
    return f"<Row>{inside}</Row>"


def worksheet(rows: str, name: str = "S") -> str:
    return f'<Worksheet ss:Name="{name}"><Table>{rows}</Table></Worksheet>'
