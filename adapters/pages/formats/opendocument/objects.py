"""Objects inside of OpenDocument files: formulas, and the figures that charts were made of.

OpenDocument 1.3, part 3, 10.4.6 (read 2026-11-17): an object is a document of its own in the same
package, or stands where it is shown.
"""

from typing import Final

from ..draft import Allowance
from ..office.formulas import mathml
from ..office.package import BrokenFileError, Package, TooLargeError, beside
from ..office.xml import Node, elements

_PART: Final = "content.xml"
# Elements of all objects together.
MOST_STEPS: Final = 30_000


def formula_of(thing: Node) -> str:
    """Return an object that is a formula as LaTeX between dollars, empty for any other."""
    math = thing.first("math")
    return f"${mathml(math)}$" if math is not None else ""


def opened(thing: Node, package: Package, allowance: Allowance) -> Node:
    """Return an object with the formula or the table that it holds inside of it."""
    if any(thing.nodes("math", "table")) or allowance.is_spent:
        return thing
    part = beside(_PART, f"{thing.get('href')}/{_PART}")
    try:
        # The parts of OpenOffice have a document type, as MathML 1 asks for.
        found = next(elements(package.chunks(part), "math", "table", doctype=True), None)
    except (BrokenFileError, TooLargeError):
        found = None
    if found is not None:
        allowance.spend(found.size)
        thing.children = [found]
    return thing
