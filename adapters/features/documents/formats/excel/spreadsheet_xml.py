"""A workbook in the XML of Excel 2003, which many programs still write as ``.xls``.

"XML Spreadsheet Reference" of Microsoft: rows and cells have an index where some before them
are missing.
"""

from datetime import datetime, timedelta
from functools import partial
from typing import Final

from webseam.adapters.values.dates import iso_date
from webseam.adapters.values.json_values import parse_whole_number

from .. import flat, plain_text_page, sheets
from ..draft import DAMAGED, Cut, Draft, PageResult, Source, StepAllowance, finish_draft
from ..office.package import Package, TooLargeError
from ..office.xml_elements import XmlNode, part_elements
from .number_formats import DAY_ZERO, PLAIN_NUMBER, NumberForm, number_form, number_text

# About a second; an element is a step.
_MAX_STEPS: Final = 200_000
_FORMAT_CODES_BY_NAME: Final = {
    "General Number": "", "Standard": "#,##0.00", "Fixed": "0.00", "Percent": "0.00%",
    "Currency": "$#,##0.00;($#,##0.00)", "Euro Currency": "€#,##0.00;(€#,##0.00)",
    "Scientific": "0.00E+00", "Yes/No": '"Yes";"Yes";"No"', "True/False": '"True";"True";"False"',
    "On/Off": '"On";"On";"Off"', "Short Time": "h:mm", "Medium Time": "h:mm AM/PM",
    "Long Time": "h:mm:ss AM/PM", "General Date": "",
    **dict.fromkeys(("Short Date", "Medium Date", "Long Date"), "yyyy-mm-dd"),
}  # fmt: skip
# A time of day has this date.
_TIME_DAY: Final = "1899-12-31T"
_BOOLEAN_TEXTS: Final = {"1": "TRUE", "0": "FALSE"}


def read_spreadsheet_xml(source: Source) -> PageResult:
    """Return a workbook as markdown; XML without sheets is shown as XML."""
    package = flat.wrap_xml_as_package(source)
    book = _Workbook()
    try:
        book.read_package(package)
    except TooLargeError:
        package.is_damaged = True
    if not book.sheets:
        return plain_text_page.read_xml(source)
    draft, about = sheets.workbook_draft(book.listed_sheets()), book.about
    return finish_draft(
        Draft(
            content=draft.content,
            parts=draft.parts,
            title=about.get("Title") or source.file_name,
            author=about.get("Author", ""),
            published_at=iso_date(about.get("Created", "")),
            description=about.get("Subject", ""),
            notes=draft.notes,
            cuts=(*book.cuts, *draft.cuts, *([DAMAGED] if package.is_damaged else ())),
        )
    )


class _Sheet:
    """The rows of a sheet, and the comments on its cells."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.is_hidden = False
        self.rows: list[list[str]] = []
        self.notes: list[sheets.CellNote] = []
        self.hidden = sheets.HiddenCells()
        self._row_number = 0

    def add_row(self, row: XmlNode, forms: dict[str, NumberForm]) -> None:
        """Add a row; skipped rows before it are not added."""
        self._row_number = parse_whole_number(row.attribute("Index")) or self._row_number + 1
        if len(self.rows) > sheets.MAX_ROWS + sheets.MAX_BLANK_ROWS:
            return
        cells: list[str] = []
        column = 0
        for cell in row.elements("Cell"):
            column = max((parse_whole_number(cell.attribute("Index")) or column + 1) - 1, column)
            room = sheets.MAX_COLUMNS + 1 - len(cells)
            cells += [""] * min(column - len(cells), room)
            data = cell.find("Data")
            form = forms.get(cell.attribute("StyleID"), PLAIN_NUMBER)
            if len(cells) == column:
                cells.append(_cell_text(data, form) if data else "")
            name = sheets.cell_name(self._row_number - 1, column)
            for note in cell.elements("Comment"):
                text = " ".join(note.inner_text().split())
                self.notes.append(sheets.CellNote(note.attribute("Author"), name, text))
            column += 1 + (parse_whole_number(cell.attribute("MergeAcross")) or 0)
        while cells and not cells[-1]:
            cells.pop()
        self.rows += self.hidden.visible_rows(cells, is_hidden=row.attribute("Hidden") == "1")


class _Workbook:
    """The sheets, styles and metadata of a workbook."""

    def __init__(self) -> None:
        self.sheets: list[_Sheet] = []
        self.about: dict[str, str] = {}
        self.cuts: list[Cut] = []
        self._forms: dict[str, NumberForm] = {}

    def read_package(self, package: Package) -> None:
        """Read the workbook up to the limits."""
        allowance = StepAllowance(_MAX_STEPS)
        element_names = ("DocumentProperties", "Style", "Row", "WorksheetOptions")
        for node in part_elements(
            package, flat.DOCUMENT_PART, *element_names, element_names=("Worksheet",)
        ):
            allowance.spend(node.size)
            if allowance.is_spent or len(self.sheets) > sheets.MAX_SHEETS:
                self.cuts.append(Cut("work", "only the first rows and sheets"))
                return
            self._take_workbook_element(node)

    def _take_workbook_element(self, node: XmlNode) -> None:
        match node.name:
            case "Worksheet":
                self.sheets.append(_Sheet(" ".join(node.attribute("Name").split())))
            case "Row" if self.sheets:
                self.sheets[-1].add_row(node, self._forms)
            case "WorksheetOptions" if self.sheets:
                visible = node.find("Visible")
                self.sheets[-1].is_hidden = bool(visible and "Hidden" in visible.inner_text())
            case "Style":
                form = node.find("NumberFormat")
                code = form.attribute("Format") if form else ""
                self._forms[node.attribute("ID")] = number_form(
                    _FORMAT_CODES_BY_NAME.get(code, code)
                )
            case "DocumentProperties":
                self.about |= {node.name: node.inner_text() for node in node.elements()}

    def listed_sheets(self) -> list[sheets.Sheet]:
        """Return the sheets as they are shown."""
        notes = sheets.CellNoteWriter()
        return [
            sheets.Sheet(
                sheet.name,
                sheet.is_hidden,
                partial(sheets.take_sheet_rows, sheet.rows),
                partial(notes.cell_notes_list, sheet.notes),
                sheet.hidden,
            )
            for sheet in self.sheets
        ]


def _cell_text(data: XmlNode, form: NumberForm) -> str:
    text = data.inner_text().strip()
    match data.attribute("Type"):
        case "DateTime":
            return _date_cell_text(text, form)
        case "Boolean":
            return _BOOLEAN_TEXTS.get(text, text)
        case "Number":
            return _number_cell_text(text, form)
    return text


def _date_cell_text(text: str, form: NumberForm) -> str:
    if form.clock:
        try:
            days = (datetime.fromisoformat(text) - DAY_ZERO) / timedelta(days=1)
            return number_text(days, form, DAY_ZERO)
        except (ValueError, TypeError):
            pass
    time = text.removesuffix("T00:00:00.000").removesuffix(".000")
    return time.removeprefix(_TIME_DAY).replace("T", " ")


def _number_cell_text(text: str, form: NumberForm) -> str:
    try:
        return number_text(float(text), form, DAY_ZERO)
    except (ValueError, OverflowError):
        return text
