"""Text of slides in the colour that is behind it; where that is in doubt, it is visible.

Behind a text are its own shape, then other shapes and pictures at its place, then the background
of the slide, its layout or its master (ISO/IEC 29500-1, 19.3.1).
"""

from collections.abc import Iterator, Mapping
from typing import Final

import msgspec

from webseam.adapters.reader.visibility.colours import WHITE, Colour, are_similar_colours
from webseam.adapters.values.json_values import parse_whole_number

from .package import Package
from .package_parts import part_relations
from .theme_colours import drawing_colour, read_theme_colours
from .xml_elements import XmlNode, part_elements

_FILLS: Final = ("solidFill", "gradFill", "blipFill", "pattFill", "grpFill")
_MAX_BOXES: Final = 300
_SHAPES: Final = ("sp", "pic", "graphicFrame", "cxnSp")
# Backgrounds from this number on are gradients and pictures of the theme.
_SOLID_BACKGROUND: Final = "1001"
# Left, top, right and bottom of a shape.
_Box = tuple[int, int, int, int]


class _Layers(msgspec.Struct, frozen=True):
    """What a layout and its master give a slide: colours, the background, and their own shapes."""

    theme: Mapping[str, Colour]
    background: Colour | None
    boxes: tuple[_Box | None, ...]


class SlideColours:
    """Finds runs of text in the colour behind them, in the slides of one presentation."""

    def __init__(self, package: Package) -> None:
        self._package = package
        self._layers: dict[str, _Layers] = {}

    def hidden_runs(self, slide: XmlNode, parts: Mapping[str, str]) -> Iterator[XmlNode]:
        """Yield the runs of a slide that nobody can see; ``parts`` are its relations."""
        coloured = any(_ink(run) for run in slide.subtree("r"))
        if not coloured or next(iter(slide.subtree("overrideClrMapping")), None) is not None:
            return
        layers = self._slide_layers(parts)
        background = layers.background
        own = next(iter(slide.subtree("bg")), None)
        if own is not None:
            background = _background_colour(own, layers.theme)
        boxes = list(layers.boxes)
        for shape, box in _placed_shapes(slide):
            behind = _colour_behind(shape, box, background, boxes, layers)
            for holder, colour in _text_holders(shape, behind, layers.theme):
                yield from _faint_runs(holder, colour, layers.theme)
            if _has_fill(shape):
                # Beyond the limit, a shape may be anywhere.
                boxes[_MAX_BOXES:] = [None] if len(boxes) >= _MAX_BOXES else [box]

    def _slide_layers(self, parts: Mapping[str, str]) -> _Layers:
        layout = next((name for name in parts.values() if "/slideLayouts/" in name), "")
        if layout not in self._layers:
            self._layers[layout] = self._read_layers(layout)
        return self._layers[layout]

    def _read_layers(self, layout: str) -> _Layers:
        if not layout:
            return _Layers(theme={}, background=WHITE, boxes=())
        master = self._related_part(layout, "/slideMasters/")
        theme = read_theme_colours(self._package, self._related_part(master, "/theme/"))
        sheets = [*part_elements(self._package, layout, "sldLayout")]
        sheets += part_elements(self._package, master, "sldMaster")
        for mapping in (node for sheet in sheets for node in sheet.subtree("clrMap")):
            names = mapping.attributes.items()
            theme |= {name: theme[value] for name, value in names if value in theme}
        stated = next((bg for sheet in sheets for bg in sheet.subtree("bg")), None)
        background = WHITE if sheets else None
        if stated is not None:
            background = _background_colour(stated, theme)
        return _Layers(
            theme=theme,
            background=background,
            boxes=tuple(
                box for sheet in sheets for shape, box in _placed_shapes(sheet) if _has_fill(shape)
            ),
        )

    def _related_part(self, part: str, folder: str) -> str:
        targets = part_relations(self._package, part).values()
        return next((name for name in targets if folder in name), "")


def _background_colour(background: XmlNode, theme: Mapping[str, Colour]) -> Colour | None:
    fill = background.find("bgPr", "solidFill")
    reference = background.find("bgRef")
    if fill is None and reference is not None and reference.attribute("idx") == _SOLID_BACKGROUND:
        fill = reference
    return None if fill is None else drawing_colour(fill, theme)


def _placed_shapes(
    node: XmlNode, *, is_grouped: bool = False
) -> Iterator[tuple[XmlNode, _Box | None]]:
    """Yield shapes with their boxes, None for an unknown one: a group has its own coordinates."""
    for child in node.elements():
        if child.name in _SHAPES:
            yield child, None if is_grouped else _shape_box(child)
        else:
            yield from _placed_shapes(child, is_grouped=is_grouped or child.name == "grpSp")


def _colour_behind(
    shape: XmlNode,
    box: _Box | None,
    background: Colour | None,
    boxes: list[_Box | None],
    layers: _Layers,
) -> Colour | None:
    """Return the colour behind a shape's text, None for an unknown one."""
    if fill := shape.find("spPr", "solidFill"):
        return drawing_colour(fill, layers.theme)
    if _has_fill(shape):
        return None
    is_placeholder = shape.find("nvSpPr", "nvPr", "ph") is not None
    # A placeholder without a fill may have that of its layout.
    if is_placeholder and layers.boxes and shape.find("spPr", "noFill") is None:
        return None
    return None if any(_may_overlap(box, other) for other in boxes) else background


def _text_holders(
    shape: XmlNode, behind: Colour | None, theme: Mapping[str, Colour]
) -> Iterator[tuple[XmlNode, Colour | None]]:
    """Yield the text of a shape, or the cells of a table, with the colour behind each."""
    if shape.name == "sp":
        yield shape, behind
    for cell in shape.subtree("tc"):
        fill = cell.find("tcPr", "solidFill")
        yield cell, None if fill is None else drawing_colour(fill, theme)


def _faint_runs(
    holder: XmlNode, behind: Colour | None, theme: Mapping[str, Colour]
) -> Iterator[XmlNode]:
    for run in holder.subtree("r") if behind is not None else ():
        fill = _ink(run)
        ink = None if fill is None else drawing_colour(fill, theme)
        if ink is not None and behind is not None and are_similar_colours(ink, behind):
            yield run


def _ink(run: XmlNode) -> XmlNode | None:
    """Return the fill of a run's letters, None where they have a frame or are marked."""
    properties = run.find("rPr")
    if properties is None or properties.find("ln") or properties.find("highlight"):
        return None
    return properties.find("solidFill")


def _has_fill(shape: XmlNode) -> bool:
    """Tell whether a shape may cover what is behind it."""
    if shape.name != "sp":
        return True
    properties, style = shape.find("spPr"), shape.find("style", "fillRef")
    if properties is not None and properties.find("noFill") is not None:
        return False
    is_filled = properties is not None and any(True for _ in properties.elements(*_FILLS))
    return is_filled or (style is not None and style.attribute("idx") != "0")


def _shape_box(shape: XmlNode) -> _Box | None:
    """Return the place of a shape, None where it is that of its layout."""
    place = shape.find("spPr", "xfrm") or shape.find("xfrm")
    offset, size = (place.find("off"), place.find("ext")) if place is not None else (None, None)
    if offset is None or size is None:
        return None
    names = ((offset, "x"), (offset, "y"), (size, "cx"), (size, "cy"))
    numbers = [parse_whole_number(node.attribute(name)) for node, name in names]
    left, top, wide, high = (number or 0 for number in numbers)
    return None if None in numbers else (left, top, left + wide, top + high)


def _may_overlap(box: _Box | None, other: _Box | None) -> bool:
    if box is None or other is None:
        return True
    return box[0] < other[2] and other[0] < box[2] and box[1] < other[3] and other[1] < box[3]
