"""Objects inside of OpenDocument files: formulas, and the figures that charts were made of.

OpenDocument 1.3, part 3, 10.4.6 (read 2026-11-17): an object is a document of its own in the same
package, or stands where it is shown.
"""

from typing import Final

from ..draft import StepAllowance
from ..office.formulas import mathml_formula
from ..office.package import BrokenFileError, Package, TooLargeError, relative_part
from ..office.xml_elements import XmlNode, parse_elements

_PART: Final = "content.xml"
# Elements of all objects together.
MAX_OBJECT_STEPS: Final = 30_000


def object_formula(embedded: XmlNode) -> str:
    """Return an object that is a formula as LaTeX between dollars, empty for any other."""
    math = embedded.first("math")
    return f"${mathml_formula(math)}$" if math is not None else ""


def open_object(embedded: XmlNode, package: Package, allowance: StepAllowance) -> XmlNode:
    """Return an object with the formula or the table that it holds inside of it."""
    if any(embedded.nodes("math", "table")) or allowance.is_spent:
        return embedded
    part = relative_part(_PART, f"{embedded.get('href')}/{_PART}")
    try:
        # The parts of OpenOffice have a document type, as MathML 1 asks for.
        found = next(parse_elements(package.chunks(part), "math", "table", doctype=True), None)
    except (BrokenFileError, TooLargeError):
        found = None
    if found is not None:
        allowance.spend(found.size)
        embedded.children = [found]
    return embedded
