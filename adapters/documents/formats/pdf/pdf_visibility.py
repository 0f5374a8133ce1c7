# ruff: noqa: ANN401  PDFium's names have no types
"""Leave out the text of a PDF page that a viewer of the page cannot see.

Text is hidden outside the page and outside its clip, in letters of a point, without ink, and in
the colour of what is behind it. Where that is in doubt, the text is visible.
"""

import ctypes
from collections.abc import Callable, Iterator
from math import ceil, floor, hypot, isfinite
from typing import Any, Final, NamedTuple

from ...reader.visibility.colours import Colour, are_similar_colours

# Letters of at most a point are not read; a page in larger units is itself small.
_MAX_TINY_POINTS: Final = 1.0
_MAX_TINY_SHARE: Final = 1 / 600
# The objects of a page, and the points of their clips.
_MAX_OBJECTS: Final = 100_000
_MAX_FORM_DEPTH: Final = 8
_RECTANGLE_POINTS: Final = (4, 5)
# A path as high and wide as this, or a line as thick, may be the background of a text.
_MIN_BACKGROUND_POINTS: Final = 4.0
_MIN_CELL_POINTS: Final = 2.0
_MAX_CELLS: Final = 300
# About 0.1 seconds for the objects of a page; each paints rows of cells.
_MAX_PAINTED_ROWS: Final = 100_000
# Text without ink over pictures that cover so much of a page is the text of a scan.
_MIN_SCAN_SHARE: Final = 0.25
_STROKE_MODES, _FILL_MODES, _CLIP_MODE = (1, 2, 5, 6), (0, 2, 4, 6), 7
_WHITE: Final[Colour] = (255, 255, 255)
_Matrix = tuple[float, float, float, float, float, float]
_IDENTITY: Final[_Matrix] = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)
# A page or a form, and the functions that count and return its objects.
_Holder = tuple[Any, Callable[[Any], int], Callable[[Any, int], Any]]


class Box(NamedTuple):
    """The edges of a part of a page."""

    left: float
    bottom: float
    right: float
    top: float

    def intersect(self, other: "Box") -> "Box":
        """Return the common part; its right edge is before its left where there is none."""
        left, bottom, right, top = self
        x, y, end, height = other
        return Box(max(left, x), max(bottom, y), min(right, end), min(top, height))

    @property
    def size(self) -> float:
        """The smaller side."""
        return min(self.right - self.left, self.top - self.bottom)

    def transform(self, matrix: _Matrix) -> "Box":
        """Return the box around this box in other coordinates."""
        if matrix == _IDENTITY:
            return self
        return _bounding_box(
            _transform_point((x, y), matrix) for x in self[::2] for y in self[1::2]
        )


def _transform_point(point: tuple[float, float], matrix: _Matrix) -> tuple[float, float]:
    (x, y), (a, b, c, d, e, f) = point, matrix
    return a * x + c * y + e, b * x + d * y + f


def _bounding_box(points: Iterator[tuple[float, float]]) -> Box:
    across, up = zip(*points, strict=True)
    return Box(min(across), min(up), max(across), max(up))


class _Paint(NamedTuple):
    """A box of the page that an object covers; ``colour`` is None for an unknown one.

    ``path`` is the object and the matrix of a path that may be a rectangle.
    """

    box: Box
    colour: Colour | None = None
    path: tuple[Any, _Matrix] | None = None
    is_picture: bool = False


class _Text(NamedTuple):
    """A text object, its box, and the box in which it can be seen; ``inks`` are its colours."""

    handle: Any
    box: Box
    clip: Box
    inks: tuple[Colour | None, ...]
    is_tiny: bool

    @property
    def is_lost(self) -> bool:
        """Whether nobody can see it; a line that goes beyond the edge of the page is visible."""
        is_outside = self.box.intersect(self.clip).size < 0
        return self.is_tiny or is_outside or self.clip.size <= 0

    def may_be_faint(self, fills: set[Colour | None]) -> bool:
        """Tell whether each ink is white, or the colour of a rectangle."""
        return all(
            ink is not None and (ink in fills or are_similar_colours(ink, _WHITE))
            for ink in self.inks
        )

    def has_colour_of(self, behind: set[Colour | None]) -> bool:
        """Tell whether all inks are like all colours behind the text."""
        return bool(behind) and all(
            ink is not None and colour is not None and are_similar_colours(ink, colour)
            for ink in self.inks
            for colour in behind
        )


class _Grid:
    """Cells over a page, each with the colour that was painted last; None for an unknown one."""

    def __init__(self, page: Box) -> None:
        self._page = page
        wide, high = page.right - page.left, page.top - page.bottom
        self._cell = max(_MIN_CELL_POINTS, wide / _MAX_CELLS, high / _MAX_CELLS)
        self._rows: list[list[Colour | None]] = [
            [_WHITE] * ceil(wide / self._cell) for _ in range(ceil(high / self._cell))
        ]
        self.rows_left = _MAX_PAINTED_ROWS

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
        left, bottom = self._page[:2]
        low, high = (inside.bottom - bottom) / self._cell, (inside.top - bottom) / self._cell
        start, stop = (inside.left - left) / self._cell, (inside.right - left) / self._cell
        return begin(low), end(high), begin(start), end(stop)


class PageVisibility:
    """Finds the hidden text of one page, and makes PDFium leave it out."""

    def __init__(self, page: Any, raw: Any, has_shadings: Callable[[], bool]) -> None:
        self._page, self._raw, self._has_shadings = page, raw, has_shadings
        self._box = Box(*page.get_bbox())
        height = self._box.top - self._box.bottom
        self._tiny = min(_MAX_TINY_POINTS, height * _MAX_TINY_SHARE)
        self._sides = tuple(ctypes.c_float() for _ in range(4))
        self._side_pointers = tuple(map(ctypes.byref, self._sides))
        self._channels = tuple(ctypes.c_uint() for _ in range(4))
        self._channel_pointers = tuple(map(ctypes.byref, self._channels))
        self._matrix = raw.FS_MATRIX()
        self.objects = 0
        self.hidden: list[_Text] = []
        self.path_boxes: list[Box] = []
        if self._box.size > 0 and isfinite(sum(self._box)):
            self._find_hidden_texts()

    def _find_hidden_texts(self) -> None:
        raw = self._raw
        holder = self._page.raw, raw.FPDFPage_CountObjects, raw.FPDFPage_GetObject
        drawn: list[_Text | _Paint] = []
        for item in self._drawn_objects(holder, _IDENTITY, self._box):
            if isinstance(item, _Text) and item.is_lost:
                self.hidden.append(item)
            else:
                drawn.append(item)
        paints = [item for item in drawn if isinstance(item, _Paint)]
        fills = {paint.colour for paint in paints}
        if any(isinstance(item, _Text) and item.may_be_faint(fills) for item in drawn):
            faint = list(self._faint_texts(drawn, fills))
            has_visible_text = len(faint) + len(paints) < len(drawn)
            self.hidden += self._without_scan_texts(
                faint, paints, has_visible_text=has_visible_text
            )

    def hide_pdf_texts(self) -> None:
        """Make PDFium skip the text objects that are hidden."""
        for text in self.hidden:
            self._raw.FPDFPageObj_SetIsActive(text.handle, 0)

    def _faint_texts(
        self, drawn: list[_Text | _Paint], fills: set[Colour | None]
    ) -> Iterator[_Text]:
        """Yield the texts without ink, or in the colour that is behind them."""
        grid = _Grid(self._box)
        for item in drawn:
            if grid.rows_left <= 0 and (isinstance(item, _Paint) or item.inks):
                continue
            if isinstance(item, _Paint):
                self._paint_object(grid, item)
            # An opaque text with transparency is blended or masked.
            elif not item.inks or (
                item.may_be_faint(fills)
                and item.has_colour_of(grid.colours_behind(item.box))
                and not self._raw.FPDFPageObj_HasTransparency(item.handle)
            ):
                yield item

    def _paint_object(self, grid: _Grid, paint: _Paint) -> None:
        if paint.path is None or self._raw.FPDFPageObj_HasTransparency(paint.path[0]):
            grid.paint(paint.box)
        else:
            grid.paint(paint.box, paint.colour, is_rectangle=self._is_rectangle(*paint.path))

    def _without_scan_texts(
        self, texts: list[_Text], paints: list[_Paint], *, has_visible_text: bool
    ) -> list[_Text]:
        """Leave out the texts of a scan: pictures, or any drawings where there is no other text."""
        grid = _Grid(self._box)
        for paint in paints:
            if paint.is_picture or not has_visible_text:
                grid.paint(paint.box)
        if has_visible_text and grid.unknown_share < _MIN_SCAN_SHARE:
            return texts
        return [text for text in texts if None not in grid.colours_behind(text.box)]

    def _drawn_objects(
        self, holder: _Holder, matrix: _Matrix, clip: Box, depth: int = 0
    ) -> Iterator[_Text | _Paint]:
        """Yield the objects of a page or a form in the order of drawing."""
        raw, (container, count, get) = self._raw, holder
        left, bottom, right, top = self._sides
        for number in range(count(container)):
            self.objects += 1
            if self.objects > _MAX_OBJECTS:
                return
            handle = get(container, number)
            kind = raw.FPDFPageObj_GetType(handle)
            if kind == raw.FPDF_PAGEOBJ_FORM and depth < _MAX_FORM_DEPTH:
                yield from self._form_objects(handle, matrix, clip, depth)
            elif raw.FPDFPageObj_GetBounds(handle, *self._side_pointers):
                box = Box(left.value, bottom.value, right.value, top.value).transform(matrix)
                yield from self._read_object(kind, handle, box, matrix, clip)

    def _form_objects(
        self, form: Any, matrix: _Matrix, clip: Box, depth: int
    ) -> Iterator[_Text | _Paint]:
        raw = self._raw
        holder = form, raw.FPDFFormObj_CountObjects, raw.FPDFFormObj_GetObject
        inner = _combine_matrices(self._object_matrix(form), matrix)
        is_blended = raw.FPDFPageObj_HasTransparency(form)
        inner_clip = self._object_clip(form, matrix, clip)
        for item in self._drawn_objects(holder, inner, inner_clip, depth + 1):
            if is_blended and isinstance(item, _Paint):
                yield item._replace(path=None)
            else:
                yield item

    def _read_object(
        self, kind: int, handle: Any, box: Box, matrix: _Matrix, clip: Box
    ) -> Iterator[_Text | _Paint]:
        raw = self._raw
        if kind == raw.FPDF_PAGEOBJ_TEXT:
            # The box of blanks is a point.
            if box[:2] != box[2:]:
                yield self._read_text(handle, box, matrix, clip)
        elif kind != raw.FPDF_PAGEOBJ_PATH:
            yield _Paint(box.intersect(clip), is_picture=kind == raw.FPDF_PAGEOBJ_IMAGE)
        else:
            # Forms hold logos and pictures, but no bullets.
            self.path_boxes += [box] if matrix is _IDENTITY else []
            if box.size < _MIN_BACKGROUND_POINTS:
                yield _Paint(box.intersect(clip))
            else:
                yield from self._read_path(handle, box, matrix, clip)

    def _read_text(self, handle: Any, box: Box, matrix: _Matrix, clip: Box) -> _Text:
        raw = self._raw
        mode = raw.FPDFTextObj_GetTextRenderMode(handle)
        inks = [raw.FPDFPageObj_GetFillColor] * (mode in _FILL_MODES)
        inks += [raw.FPDFPageObj_GetStrokeColor] * (mode in _STROKE_MODES)
        colours = [self._object_colour(handle, ink) for ink in inks]
        inked = tuple(colour for colour, alpha in colours if alpha)
        is_tiny = box.size <= self._tiny and self._is_tiny_text(handle, matrix)
        # Pictures may be drawn through letters that are a clip.
        inked = (None,) if mode == _CLIP_MODE else inked
        return _Text(handle, box, self._object_clip(handle, matrix, clip), inked, is_tiny)

    def _is_tiny_text(self, handle: Any, matrix: _Matrix) -> bool:
        self._raw.FPDFTextObj_GetFontSize(handle, self._side_pointers[0])
        a, b, c, d, _, _ = _combine_matrices(self._object_matrix(handle), matrix)
        return bool(self._sides[0].value * min(hypot(a, b), hypot(c, d)) <= self._tiny)

    def _read_path(self, handle: Any, box: Box, matrix: _Matrix, clip: Box) -> Iterator[_Paint]:
        raw, fill, stroke = self._raw, ctypes.c_int(), ctypes.c_int()
        raw.FPDFPath_GetDrawMode(handle, ctypes.byref(fill), ctypes.byref(stroke))
        colour, alpha = self._object_colour(handle, raw.FPDFPageObj_GetFillColor)
        if fill.value and alpha:
            shown = box.intersect(self._object_clip(handle, matrix, clip))
            yield _Paint(shown, colour, (handle, matrix))
        elif stroke.value:
            raw.FPDFPageObj_GetStrokeWidth(handle, self._side_pointers[0])
            scale = hypot(*_combine_matrices(self._object_matrix(handle), matrix)[:2])
            if self._sides[0].value * scale >= _MIN_BACKGROUND_POINTS:
                yield _Paint(box.intersect(clip))

    def _is_rectangle(self, path: Any, matrix: _Matrix) -> bool:
        raw = self._raw
        count = raw.FPDFPath_CountSegments(path)
        if count not in _RECTANGLE_POINTS or self._clip_count(path) > 0:
            return False
        points = [self._point(raw.FPDFPath_GetPathSegment(path, index)) for index in range(count)]
        across, up = ({*values} for values in zip(*points, strict=True))
        a, b, c, d, _, _ = _combine_matrices(self._object_matrix(path), matrix)
        return len(across) == len(up) == 2 and (a == d == 0 or b == c == 0)  # noqa: PLR2004

    def _point(self, segment: Any) -> tuple[float, float]:
        self._raw.FPDFPathSegment_GetPoint(segment, *self._side_pointers[:2])
        return self._sides[0].value, self._sides[1].value

    def _clip_count(self, handle: Any) -> int:
        return int(self._raw.FPDFClipPath_CountPaths(self._raw.FPDFPageObj_GetClipPath(handle)))

    def _object_clip(self, handle: Any, matrix: _Matrix, clip: Box) -> Box:
        """Return the box in which an object can be seen."""
        raw = self._raw
        for index in range(self._clip_count(handle)):
            path = raw.FPDFPageObj_GetClipPath(handle)
            count = raw.FPDFClipPath_CountPathSegments(path, index)
            self.objects += count + 1
            if count > 0 and self.objects <= _MAX_OBJECTS:
                segments = (
                    raw.FPDFClipPath_GetPathSegment(path, index, point) for point in range(count)
                )
                box = _bounding_box(self._point(segment) for segment in segments)
                clip = clip.intersect(box.transform(matrix))
        return clip

    def _object_matrix(self, handle: Any) -> _Matrix:
        matrix = self._matrix
        if not self._raw.FPDFPageObj_GetMatrix(handle, ctypes.byref(matrix)):
            return _IDENTITY
        return matrix.a, matrix.b, matrix.c, matrix.d, matrix.e, matrix.f

    def _object_colour(self, handle: Any, read: Callable[..., int]) -> tuple[Colour | None, int]:
        """Return a colour and its opacity, None for a pattern."""
        if not read(handle, *self._channel_pointers):
            return None, 1
        red, green, blue, alpha = (channel.value for channel in self._channels)
        colour = red, green, blue
        # PDFium returns white for a pattern of shades too.
        return None if colour == _WHITE and self._has_shadings() else colour, alpha


def _combine_matrices(inner: _Matrix, outer: _Matrix) -> _Matrix:
    if outer == _IDENTITY:
        return inner
    a, b, c, d, e, f = inner
    (x, y), (u, v, w, z, _, _) = _transform_point((e, f), outer), outer
    return a * u + b * w, a * v + b * z, c * u + d * w, c * v + d * z, x, y
