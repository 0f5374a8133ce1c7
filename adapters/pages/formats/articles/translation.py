"""Other vocabularies in the words of papers: what is called otherwise there is renamed."""

from collections.abc import Mapping

from ..office.xml import Node


def translated(node: Node, names: Mapping[str, str]) -> Node:
    """Rename an element and all inside of it; ``parent/name`` goes before ``name`` alone."""
    above = node.name
    for child in node.nodes():
        own = child.name
        inner = translated(child, names)
        inner.name = names.get(f"{above}/{own}") or names.get(own, own)
    return node
