"""Numbers of workbooks, in the format that their cells have."""

import struct

from hypothesis import given, strategies as st

from tests.features.documents import binary_workbooks, workbooks
from tests.features.documents.build import xlsx
from tests.features.documents.read import page
from webseam.adapters.features.documents.formats.excel.number_formats import (
    DAY_ZERO,
    number_form,
    number_text,
    style_number_form,
)

SHOWN = {
    # What Excel shows; dates are in the order of ISO 8601.
    (1599.99, '"$"#,##0.00'): "$1,599.99",
    (1599.99, "$#,##0.00_);[Red]($#,##0.00)"): "$1,599.99",
    (-1599.99, "$#,##0.00_);[Red]($#,##0.00)"): "($1,599.99)",
    (1599.99, '_-* #,##0.00\\ "€"_-;-* #,##0.00\\ "€"_-;_-* "-"??\\ "€"_-;_-@_-'): "1,599.99 €",
    (-1599.99, '_-* #,##0.00\\ "€"_-;-* #,##0.00\\ "€"_-'): "-1,599.99 €",
    (0, '_-* #,##0.00_-;-* #,##0.00_-;_-* "-"??_-;_-@_-'): "-",
    (1599.99, "[$£-809]#,##0"): "£1,600",
    (1599.99, "#,##0 [$USD]"): "1,600 USD",
    (1234567.891, "#,##0"): "1,234,568",
    (1234567.891, "0.0"): "1234567.9",
    (1234567, '0.0,,"M"'): "1.2M",
    (1234567, "#,##0,"): "1,235",
    (2.5, "0"): "3",
    (123456789012.5, "0." + "0" * 40): "123456789012.5" + "0" * 29,
    (1.005, "0.00"): "1.01",
    (-2.5, "0"): "-3",
    (5, "0.##"): "5",
    (5.25, "0.##"): "5.25",
    (0.5, "#.00"): ".50",
    (0, "#,###"): "0",
    (0.256, "0%"): "26%",
    (0.256, "0.00%"): "25.60%",
    (7.5, '0.0"%"'): "7.5%",
    (12345.678, "0.00E+00"): "1.23E+04",
    (0.00012, "0.0E-00"): "1.2E-04",
    (2.5, "# ?/?"): "2 1/2",
    (0.25, "# ??/??"): "1/4",
    (-3.125, "# ?/8"): "-3 1/8",
    (3, "# ?/?"): "3",
    (1.5, "?/?"): "3/2",
    (7, "000"): "007",
    (123456789, "000-00-0000"): "123-45-6789",
    (5551234567, "(###) ###-####"): "(555) 123-4567",
    (33697.5, "h:mm"): "12:00",
    (33697.5, "h:mm:ss AM/PM"): "12:00:00 PM",
    (0.0, "h:mm AM/PM"): "12:00 AM",
    (0.3784722, "h:mm"): "9:05",
    (0.3784722, "hh:mm:ss"): "09:05:00",
    (0.0011574, "mm:ss"): "01:40",
    (45000.5, "m/d/yy"): "2023-03-15",
    (45000.5, "dddd, mmmm d, yyyy"): "2023-03-15",
    (45000.5, "[$-F800]dddd\\,\\ mmmm\\ dd\\,\\ yyyy"): "2023-03-15",
    (45000.5, "m/d/yy h:mm"): "2023-03-15 12:00",
    (45000.5, "d-mmm"): "2023-03-15",
    (45000.5, "yyyy"): "2023",
    (45000.5, "mmm-yy"): "2023-03",
    (1.2534722, "[h]:mm"): "30:05",
    (1.2534722, "[h]:mm:ss"): "30:05:00",
    (0.0625, "[mm]:ss"): "90:00",
    (0.0625, "[s]"): "5400",
    (-0.5, "[h]:mm"): "-12:00",
    (12, 'General" km"'): "12 km",
    (12.5, "General"): "12.5",
    (12.5, "@"): "12.5",
    (1, '"yes";"no"'): "yes",
    (0.0, "0.00E+00"): "0.00E+00",
    (123456.12, "##0.0E+0"): "123.5E+3",
    (-1.05, "#\\ ?/10"): "-1 1/10",
    # The first section whose condition holds.
    (12.5, "[>9]0;0.00"): "13",
    (-12.5, "[>9]0;0.00"): "-12.50",
    (5551234567.0, "[<=9999999]###-####;(###) ###-####"): "(555) 123-4567",
    (5551234.0, "[<=9999999]###-####;(###) ###-####"): "555-1234",
    (1234567.0, '[>=1000000]0.0,,"M";[>=1000]0.0,"K";0'): "1.2M",
    (0.0208333, "[=0]?;[<4.16666667][hh]:mm:ss;[hh]:mm"): "0:30:00",
    # Formats that are not known, or show nothing.
    (12.5, ";;;"): "12.5",
    (12.5, "0" * 300): "12.5",
    (-1.0, "m/d/yy"): "-1",
    (1e30, "#,##0"): "1e+30",
}


def test_a_number_is_shown_as_its_format_says() -> None:
    for (value, code), shown in SHOWN.items():
        assert number_text(value, number_form(code), DAY_ZERO) == shown, (value, code)


def test_formats_that_a_file_need_not_define_are_known() -> None:
    known = {4: "-1,599.99", 7: "($1,599.99)", 10: "-159999.00%", 11: "-1.60E+03", 43: "(1,599.99)"}
    for number, shown in known.items():
        assert number_text(-1599.99, style_number_form(number, ""), DAY_ZERO) == shown, number
    euros = style_number_form(44, "#,##0.00 €")
    assert number_text(1599.99, euros, DAY_ZERO) == "1,599.99 €"


def test_the_cells_of_each_kind_of_workbook_have_their_format() -> None:
    code = '"$"#,##0.00'
    listed = f"<numFmts><numFmt numFmtId='164' formatCode='{code}'/></numFmts>"
    sheet = f"<styleSheet>{listed}<cellXfs><xf numFmtId='164'/></cellXfs></styleSheet>"
    cell = "<row><c s='0'><v>1599.99</v></c></row>"
    value = struct.pack("<d", 1599.99)
    old = workbooks.record(0x41E, struct.pack("<H", 164) + workbooks.text(code))
    old += workbooks.record(0xE0, struct.pack("<HH", 0, 164))
    binary = binary_workbooks.row(0) + binary_workbooks.cell(5, 0, value)
    bodies = (
        xlsx({"A": cell}, {"xl/styles.xml": sheet}),
        workbooks.workbook({"A": workbooks.record(0x203, workbooks.place(0, 0) + value)}, old),
        binary_workbooks.xlsb({"A": binary}, binary_workbooks.styles(164, named={164: code})),
    )
    for body in bodies:
        assert "| $1,599.99 |" in page(body).content


@given(st.floats(), st.text(alphabet='0#?.,%E+-/@;[]"\\_*$ hmsydAMP<>=()', max_size=40))
def test_any_format_shows_any_number(value: float, code: str) -> None:
    assert number_text(value, number_form(code), DAY_ZERO)
