# ruff: noqa: ANN401  PDFium's names have no types
"""Leave out the text of a PDF page that a viewer of the page cannot see.

Text is hidden outside the page and outside its clip, in letters of a point, without ink, in the
colour of what is behind it, and under a rectangle that is drawn later. Where that is in doubt, the
text is visible.
"""

import ctypes
from collections.abc import Callable, Iterator
from math import ceil, floor, hypot, isfinite
from typing import Any, Final, NamedTuple

from webseam.adapters.reader.visibility.colours import Colour, are_similar_colours

# Letters of at most a point are not read; a page in larger units is itself small.
_MAX_TINY_POINTS: Final = 1.0
_MAX_TINY_SHARE: Final = 1 / 600
# The objects of a page, and the points of their clips.
_MAX_OBJECTS: Final = 100_000
_MAX_FORM_DEPTH: Final = 8
_RECTANGLE_POINTS: Final = (4, 5)
# A path as high and wide as this, or a line as thick, may be the background of a text.
_MIN_BACKGROUND_POINTS: Final = 4.0
# A rectangle as high and wide as this may cover a text.
_MIN_COVER_POINTS: Final = 6.0
_COVER: Final[Colour] = (1, 2, 3)
_MIN_CELL_POINTS: Final = 2.0
_MAX_CELLS: Final = 300
# About 0.1 seconds for the objects of a page; each paints rows of cells.
_MAX_PAINTED_ROWS: Final = 100_000
# Text without ink over pictures that cover so much of a page is the text of a scan.
_MIN_SCAN_SHARE: Final = 0.25
_STROKE_MODES, _FILL_MODES, _CLIP_MODE = (1, 2, 5, 6), (0, 2, 4, 6), 7
_WHITE: Final[Colour] = (255, 255, 255)
_Matrix = tuple[float, ...]
_IDENTITY_MATRIX: Final[_Matrix] = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)
# A page or a form, and the functions that count and return its objects.
_Holder = tuple[Any, Callable[[Any], int], Callable[[Any, int], Any]]


class Box(NamedTuple):
    """The edges of a part of a page."""

    left: float
    bottom: float
    right: float
    top: float

    @property
    def size(self) -> float:
        """The smaller side; below 0 where two boxes have no common part."""
        return min(self.right - self.left, self.top - self.bottom)

    def intersect(self, other: "Box") -> "Box":
        """Return the common part of two boxes."""
        left, bottom, right, top = self
        x, y, end, height = other
        return Box(max(left, x), max(bottom, y), min(right, end), min(top, height))

    def transform(self, matrix: _Matrix) -> "Box":
        """Return the box around this box in other coordinates."""
        if matrix == _IDENTITY_MATRIX:
            return self
        a, b, c, d, e, f = matrix
        points = ((x, y) for x in self[::2] for y in self[1::2])
        return _bounding_box((a * x + c * y + e, b * x + d * y + f) for x, y in points)


def _bounding_box(points: Iterator[tuple[float, float]]) -> Box:
    across, up = zip(*points, strict=True)
    return Box(min(across), min(up), max(across), max(up))


class _Object(NamedTuple):
    """An object of a page: its box, the part of it that is not clipped, and its matrix.

    ``inks`` are the colours of a text or a path, None for an unknown one.
    """

    handle: Any
    kind: int
    box: Box
    shown: Box
    matrix: _Matrix
    inks: tuple[Colour | None, ...] = (None,)

    def may_be_faint(self, fills: set[Colour | None]) -> bool:
        """Tell whether each ink is nearly white, or a colour of paths."""
        return all(ink and (ink in fills or are_similar_colours(ink, _WHITE)) for ink in self.inks)

    def has_colour_of(self, behind: set[Colour | None]) -> bool:
        """Tell whether each ink is like each colour behind it."""
        pairs = [(ink, colour) for ink in self.inks for colour in behind]
        return bool(pairs) and all(i and c and are_similar_colours(i, c) for i, c in pairs)


class _Grid:
    """Cells over a page, each with the colour that was painted last; None for an unknown one."""

    def __init__(self, page: Box) -> None:
        wide, high = page.right - page.left, page.top - page.bottom
        self._page, self.rows_left = page, _MAX_PAINTED_ROWS
        self._cell = max(_MIN_CELL_POINTS, wide / _MAX_CELLS, high / _MAX_CELLS)
        self._rows: list[list[Colour | None]] = [
            [_WHITE] * ceil(wide / self._cell) for _ in range(ceil(high / self._cell))
        ]

    def paint(self, box: Box, colour: Colour | None = None, *, is_rectangle: bool = False) -> None:
        """Paint the whole cells of a rectangle; in all others the colour becomes unknown."""
        first, last, left, right = self._cells(box, floor, ceil)
        whole_first, whole_last, whole_left, whole_right = self._cells(box, ceil, floor)
        self.rows_left -= last - first
        for number in range(first, last if self.rows_left > 0 else first):
            row = self._rows[number]
            if row[left:right] != [colour] * (right - left):
                row[left:right] = [None] * (right - left)
                if is_rectangle and whole_first <= number < whole_last:
                    row[whole_left:whole_right] = [colour] * (whole_right - whole_left)

    def cover(self, box: Box, colour: Colour) -> None:
        """Paint the whole cells of a rectangle; its edges keep their colours."""
        first, last, left, right = self._cells(box, ceil, floor)
        self.rows_left -= max(last - first, 0)
        for number in range(first, last if self.rows_left > 0 else first):
            self._rows[number][left:right] = [colour] * (right - left)

    def colours_behind(self, box: Box) -> set[Colour | None]:
        """Return the colours behind the middle third of a line of text."""
        wide, high = (box.right - box.left) / 3, (box.top - box.bottom) / 3
        wide, high = (0.0, high) if wide > high else (wide, 0.0)
        middle = Box(box.left + wide, box.bottom + high, box.right - wide, box.top - high)
        first, last, left, right = self._cells(middle, floor, ceil)
        return {colour for row in self._rows[first:last] for colour in row[left:right]}

    @property
    def unknown_share(self) -> float:
        """The share of the cells with an unknown colour."""
        return sum(row.count(None) for row in self._rows) / sum(map(len, self._rows))

    def _cells(
        self, box: Box, begin: Callable[[float], int], end: Callable[[float], int]
    ) -> tuple[int, int, int, int]:
        """Return the first row of a box and the end of its rows, and likewise its columns."""
        inside = box.intersect(self._page)
        # A broken file may have coordinates that are no numbers.
        if inside.size <= 0 or not isfinite(sum(inside)):
            return 0, 0, 0, 0
        low, high = ((edge - self._page.bottom) / self._cell for edge in inside[1::2])
        start, stop = ((edge - self._page.left) / self._cell for edge in inside[::2])
        return begin(low), end(high), begin(start), end(stop)


class PageVisibility:
    """Finds the hidden text of one page, and makes PDFium leave it out."""

    def __init__(self, page: Any, raw: Any, has_shadings: Callable[[], bool]) -> None:
        self._raw, self._has_shadings, self._box = raw, has_shadings, Box(*page.get_bbox())
        self._tiny = min(_MAX_TINY_POINTS, (self._box.top - self._box.bottom) * _MAX_TINY_SHARE)
        self._numbers = tuple(ctypes.c_float() for _ in range(4))
        self._pointers = tuple(map(ctypes.byref, self._numbers))
        self._channels = tuple(ctypes.c_uint() for _ in range(4))
        self._channel_pointers = tuple(map(ctypes.byref, self._channels))
        self.objects = 0
        self.hidden: list[_Object] = []
        self.path_boxes: list[Box] = []
        if self._box.size > 0 and isfinite(sum(self._box)):
            holder = page.raw, raw.FPDFPage_CountObjects, raw.FPDFPage_GetObject
            self._find_hidden_texts(list(self._drawn_objects(holder, _IDENTITY_MATRIX, self._box)))

    def hide_texts(self) -> None:
        """Make PDFium skip the text objects that are hidden."""
        for text in self.hidden:
            self._raw.FPDFPageObj_SetIsActive(text.handle, 0)

    def _find_hidden_texts(self, drawn: list[_Object]) -> None:
        texts = [item for item in drawn if item.kind == self._raw.FPDF_PAGEOBJ_TEXT]
        paints = [item for item in drawn if item.kind != self._raw.FPDF_PAGEOBJ_TEXT]
        # A line that goes beyond the edge of the page is visible in part, so it stays.
        lost = {id(text) for text in texts if text.shown.size < 0 or self._is_tiny(text)}
        lost |= {id(text) for text in self._covered_texts(drawn)}
        fills = {ink for paint in paints for ink in paint.inks}
        self.hidden = [text for text in texts if id(text) in lost]
        if any(text.may_be_faint(fills) for text in texts):
            faint = [item for item in self._faint_texts(drawn, fills) if id(item) not in lost]
            has_visible_text = len(faint) + len(lost) < len(texts)
            self.hidden += self._without_scan_texts(faint, paints, is_scan=not has_visible_text)

    def _covered_texts(self, drawn: list[_Object]) -> Iterator[_Object]:
        """Yield the texts under a rectangle of one colour that is drawn after them."""
        is_text = [item.kind == self._raw.FPDF_PAGEOBJ_TEXT for item in drawn]
        covers = {
            number
            for number in range(is_text.index(True) if any(is_text) else 0, len(drawn))
            if not is_text[number] and drawn[number].box.size >= _MIN_COVER_POINTS
        }
        if not covers:
            return
        grid, is_bare = _Grid(self._box), True
        for number in range(max(covers), -1, -1):
            item = drawn[number]
            if grid.rows_left <= 0:
                return
            if is_text[number]:
                if not is_bare and grid.colours_behind(item.box) == {_COVER}:
                    yield item
            elif number in covers and self._is_opaque_rectangle(item):
                grid.cover(item.shown, _COVER)
                is_bare = False

    def _is_opaque_rectangle(self, item: _Object) -> bool:
        has_colour = None not in item.inks and not self._is_transparent(item)
        return has_colour and self._is_rectangle(item)

    def _is_tiny(self, text: _Object) -> bool:
        if text.box.size > self._tiny:
            return False
        self._raw.FPDFTextObj_GetFontSize(text.handle, self._pointers[0])
        a, b, c, d, _, _ = self._object_matrix(text.handle, text.matrix)
        return bool(self._numbers[0].value * min(hypot(a, b), hypot(c, d)) <= self._tiny)

    def _faint_texts(self, drawn: list[_Object], fills: set[Colour | None]) -> Iterator[_Object]:
        """Yield the texts without ink, or in the colour that is behind them."""
        grid = _Grid(self._box)
        for item in drawn:
            if grid.rows_left <= 0 and item.inks:
                continue
            # Objects with transparency are blended or masked.
            if item.kind != self._raw.FPDF_PAGEOBJ_TEXT:
                is_plain = item.inks != (None,) and not self._is_transparent(item)
                colour = item.inks[0] if is_plain else None
                is_rectangle = is_plain and self._is_rectangle(item)
                grid.paint(item.shown, colour, is_rectangle=is_rectangle)
            elif not item.inks or (
                item.may_be_faint(fills)
                and item.has_colour_of(grid.colours_behind(item.box))
                and not self._is_transparent(item)
            ):
                yield item

    def _without_scan_texts(
        self, texts: list[_Object], paints: list[_Object], *, is_scan: bool
    ) -> list[_Object]:
        """Leave out the texts of a scan: pictures, or any drawings where there is no other text."""
        grid = _Grid(self._box)
        for paint in paints:
            if is_scan or paint.kind == self._raw.FPDF_PAGEOBJ_IMAGE:
                grid.paint(paint.shown)
        if not is_scan and grid.unknown_share < _MIN_SCAN_SHARE:
            return texts
        return [text for text in texts if None not in grid.colours_behind(text.box)]

    def _drawn_objects(
        self, holder: _Holder, matrix: _Matrix, clip: Box, depth: int = 0
    ) -> Iterator[_Object]:
        """Yield the objects of a page or a form in the order of drawing."""
        raw, (container, count, get) = self._raw, holder
        left, bottom, right, top = self._numbers
        for number in range(count(container)):
            self.objects += 1
            if self.objects > _MAX_OBJECTS:
                return
            handle = get(container, number)
            kind = raw.FPDFPageObj_GetType(handle)
            if kind == raw.FPDF_PAGEOBJ_FORM and depth < _MAX_FORM_DEPTH:
                form = handle, raw.FPDFFormObj_CountObjects, raw.FPDFFormObj_GetObject
                inner = self._object_matrix(handle, matrix)
                inner_clip = self._object_clip(handle, matrix, clip)
                inside = self._drawn_objects(form, inner, inner_clip, depth + 1)
                is_blended = raw.FPDFPageObj_HasTransparency(handle)
                yield from map(self._blend_object, inside) if is_blended else inside
            elif raw.FPDFPageObj_GetBounds(handle, *self._pointers):
                box = Box(left.value, bottom.value, right.value, top.value).transform(matrix)
                # The box of blanks is a point.
                if box[:2] != box[2:]:
                    yield from self._read_object(handle, kind, box, matrix, clip)

    def _read_object(
        self, handle: Any, kind: int, box: Box, matrix: _Matrix, clip: Box
    ) -> Iterator[_Object]:
        """Yield a text, or an object that may be behind one, with its inks and visible part."""
        inks: tuple[Colour | None, ...] = (None,)
        if kind == self._raw.FPDF_PAGEOBJ_PATH:
            # Forms hold logos and pictures, but no bullets.
            self.path_boxes += [box] if matrix is _IDENTITY_MATRIX else []
            inks = self._path_inks(handle, matrix) if box.size >= _MIN_BACKGROUND_POINTS else inks
            if not inks:
                return
        elif kind == self._raw.FPDF_PAGEOBJ_TEXT:
            inks = self._text_inks(handle)
        clip = clip if inks == (None,) else self._object_clip(handle, matrix, clip)
        # Nothing is seen in a clip without size.
        shown = box.intersect(clip) if clip.size > 0 else Box(0, 0, -1, -1)
        yield _Object(handle, kind, box, shown, matrix, inks)

    def _blend_object(self, item: _Object) -> _Object:
        is_text = item.kind == self._raw.FPDF_PAGEOBJ_TEXT
        return item if is_text else item._replace(inks=(None,))

    def _text_inks(self, text: Any) -> tuple[Colour | None, ...]:
        raw = self._raw
        mode = raw.FPDFTextObj_GetTextRenderMode(text)
        # Pictures may be drawn through letters that are a clip.
        inks: list[Colour | None] = [None] if mode == _CLIP_MODE else []
        inks += self._object_inks(text, raw.FPDFPageObj_GetFillColor) if mode in _FILL_MODES else []
        inks += (
            self._object_inks(text, raw.FPDFPageObj_GetStrokeColor) if mode in _STROKE_MODES else []
        )
        return tuple(inks)

    def _path_inks(self, path: Any, matrix: _Matrix) -> tuple[Colour | None, ...]:
        """Return the colour of a filled path, None for a thick line, nothing for a thin one."""
        raw, fill, stroke = self._raw, ctypes.c_int(), ctypes.c_int()
        raw.FPDFPath_GetDrawMode(path, ctypes.byref(fill), ctypes.byref(stroke))
        if fill.value:
            return tuple(self._object_inks(path, raw.FPDFPageObj_GetFillColor))
        raw.FPDFPageObj_GetStrokeWidth(path, self._pointers[0])
        width = self._numbers[0].value * hypot(*self._object_matrix(path, matrix)[:2])
        return (None,) if stroke.value and width >= _MIN_BACKGROUND_POINTS else ()

    def _object_inks(self, handle: Any, read: Callable[..., int]) -> list[Colour | None]:
        """Return a colour, None for a pattern, and nothing for one without opacity."""
        if not read(handle, *self._channel_pointers):
            return [None]
        red, green, blue, alpha = (channel.value for channel in self._channels)
        # PDFium returns white for a pattern of shades too.
        is_unsure = (red, green, blue) == _WHITE and self._has_shadings()
        return [None if is_unsure else (red, green, blue)] if alpha else []

    def _is_rectangle(self, path: _Object) -> bool:
        raw, handle = self._raw, path.handle
        count = raw.FPDFPath_CountSegments(handle)
        clip = raw.FPDFPageObj_GetClipPath(handle)
        if count not in _RECTANGLE_POINTS or raw.FPDFClipPath_CountPaths(clip) > 0:
            return False
        segments = [raw.FPDFPath_GetPathSegment(handle, index) for index in range(count)]
        sorts = {raw.FPDFPathSegment_GetType(segment) for segment in segments}
        points = [self._point(segment) for segment in segments]
        a, b, c, d, _, _ = self._object_matrix(handle, path.matrix)
        has_corners = all(len({*edges}) == 2 for edges in zip(*points, strict=True))  # noqa: PLR2004  an upright box has two
        is_straight = raw.FPDF_SEGMENT_BEZIERTO not in sorts
        return is_straight and has_corners and (a == d == 0 or b == c == 0)

    def _point(self, segment: Any) -> tuple[float, float]:
        self._raw.FPDFPathSegment_GetPoint(segment, *self._pointers[:2])
        return self._numbers[0].value, self._numbers[1].value

    def _object_clip(self, handle: Any, matrix: _Matrix, clip: Box) -> Box:
        """Return the box in which an object can be seen."""
        raw, path = self._raw, self._raw.FPDFPageObj_GetClipPath(handle)
        for index in range(raw.FPDFClipPath_CountPaths(path)):
            count = raw.FPDFClipPath_CountPathSegments(path, index)
            self.objects += count + 1
            if count > 0 and self.objects <= _MAX_OBJECTS:
                segments = (raw.FPDFClipPath_GetPathSegment(path, index, n) for n in range(count))
                box = _bounding_box(self._point(segment) for segment in segments)
                clip = clip.intersect(box.transform(matrix))
        return clip

    def _object_matrix(self, handle: Any, outer: _Matrix) -> _Matrix:
        """Return the matrix of an object within that of the form around it."""
        matrix = self._raw.FS_MATRIX()
        if not self._raw.FPDFPageObj_GetMatrix(handle, ctypes.byref(matrix)):
            return outer
        u, v, w, z, x, y = outer
        a, b, c, d = matrix.a, matrix.b, matrix.c, matrix.d
        along, up = u * matrix.e + w * matrix.f + x, v * matrix.e + z * matrix.f + y
        return u * a + w * b, v * a + z * b, u * c + w * d, v * c + z * d, along, up

    def _is_transparent(self, item: _Object) -> bool:
        return bool(self._raw.FPDFPageObj_HasTransparency(item.handle))
