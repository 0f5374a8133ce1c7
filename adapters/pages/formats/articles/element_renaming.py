"""Other vocabularies in the words of papers: what is called otherwise there is renamed."""

from collections.abc import Mapping

from ..office.xml_elements import XmlNode


def rename_elements(node: XmlNode, names: Mapping[str, str]) -> XmlNode:
    """Rename an element and all inside of it; ``parent/name`` goes before ``name`` alone."""
    above = node.name
    for child in node.nodes():
        own = child.name
        inner = rename_elements(child, names)
        inner.name = names.get(f"{above}/{own}") or names.get(own, own)
    return node
