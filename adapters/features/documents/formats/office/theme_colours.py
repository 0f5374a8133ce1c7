"""The colours of a theme, to which Office documents refer by name or by number.

ISO/IEC 29500-1, 20.1.6.2. A colour that is changed by tints or in another way is unknown.
"""

from collections.abc import Mapping
from typing import Final

from webseam.adapters.reader.visibility.colours import Colour, parse_colour

from .package import Package
from .xml_elements import XmlNode, part_elements

# In the order of a workbook's numbers; light and dark are exchanged in the theme itself.
NUMBERED_COLOURS: Final = (
    "lt1", "dk1", "lt2", "dk2", "accent1", "accent2", "accent3", "accent4", "accent5", "accent6",
)  # fmt: skip


def read_theme_colours(package: Package, part: str) -> dict[str, Colour]:
    """Return the colours of a theme by their names."""
    colours: dict[str, Colour] = {}
    scheme = next(part_elements(package, part, "clrScheme"), None)
    for node in scheme.elements() if scheme is not None else ():
        for stated in node.elements():
            value = stated.attribute("lastClr") or stated.attribute("val")
            if colour := parse_colour(f"#{value}"):
                colours[node.name] = colour
    return colours


def drawing_colour(holder: XmlNode, theme: Mapping[str, Colour]) -> Colour | None:
    """Return the colour in an element of DrawingML such as ``solidFill``; None for another."""
    for stated in holder.elements():
        if any(True for _ in stated.elements()):
            return None
        if stated.name == "srgbClr":
            return parse_colour(f"#{stated.attribute('val')}")
        if stated.name == "sysClr":
            return parse_colour(f"#{stated.attribute('lastClr')}")
        if stated.name == "schemeClr":
            return theme.get(stated.attribute("val"))
    return None
