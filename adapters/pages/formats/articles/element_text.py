"""The words of an element, and the names and days that are made of them."""

from typing import Final

from ...dates import iso_date
from ..markdown_writing import disarm_pictures
from ..office.xml_elements import XmlNode

_GIVEN: Final = ("given-names", "first-name", "firstname")


def element_line(node: XmlNode | None) -> str:
    """Return the words of an element in one line; empty when there is none."""
    return " ".join(disarm_pictures(node.words()).split()) if node else ""


def has_words(node: XmlNode) -> bool:
    """Tell whether there is text right inside, and not only in what is inside."""
    return any(isinstance(child, str) and child.strip() for child in node.children)


def person_name(person: XmlNode) -> str:
    """Return a person's name, given names first."""
    parts = {each.name: element_line(each) for each in person.walk()}
    given = next((parts[name] for name in _GIVEN if parts.get(name)), "") or " ".join(
        element_line(each) for each in person.walk() if each.name == "forename"
    )
    family = parts.get("surname") or parts.get("last-name", "")
    whole = f"{given} {family}".strip()
    return whole or parts.get("collab", "") or parts.get("string-name", "")


def element_date(node: XmlNode | None) -> str | None:
    """Return the day that an element has the parts of."""
    parts = {each.name: element_line(each) for each in node.nodes()} if node else {}
    year, month, day = (parts.get(name, "") for name in ("year", "month", "day"))
    if month.isdecimal() and day.isdecimal():
        return iso_date(f"{year}-{month:0>2}-{day:0>2}")
    return iso_date(f"{month or 'January'} 1, {year}") if year else None
