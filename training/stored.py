"""Keep the segments of a page without its tree, which cannot be stored."""

import msgspec

from webseam.adapters.reader.page_segments import PageSegments


class _NoElement(msgspec.Struct, frozen=True):
    """What is asked of an element when its tree is gone: it has no attributes and no notes."""

    def attr(self, _name: str) -> None:
        return None

    def select(self, _selector: str) -> list[object]:
        return []


def without_tree(cut: PageSegments) -> PageSegments:
    """Return the segments with a stand-in for every element."""
    boxes = [msgspec.structs.replace(box, node=_NoElement()) for box in cut.boxes]
    return msgspec.structs.replace(cut, boxes=boxes, texts=[])
