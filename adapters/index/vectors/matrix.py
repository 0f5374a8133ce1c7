"""Vectors in a byte a number, and how near each of them is to that of a query.

A vector is made one long, and each number is kept as a share of its largest: a quarter of the room,
and it ranks as the vector does. Every one is compared with the query's: nothing near is missed.
"""

import sqlite3
from collections.abc import Sequence
from typing import TypeAlias

import msgspec
import numpy as np
import numpy.typing as npt

from .vector_table import packed_vectors, stored_model

_MAX_QUANTISED = 127
# So many are unpacked at once: what is unpacked takes four times the room.
_BATCH_VECTORS = 8192
_ALIKE = 1e-6

Floats: TypeAlias = npt.NDArray[np.float32]


def _form(dimensions: int) -> np.dtype[np.void]:
    return np.dtype([("scale", "<f4"), ("numbers", "i1", (dimensions,))])


def packed_size(dimensions: int) -> int:
    """Return how many bytes a vector takes."""
    return _form(dimensions).itemsize


def pack_vectors(vectors: Sequence[Sequence[float]]) -> list[bytes]:
    """Return vectors as they are kept; one of zeros stays one, and is near to nothing."""
    whole = _unit(np.asarray(vectors, dtype=np.float64))
    scale = np.abs(whole).max(axis=1, keepdims=True) / _MAX_QUANTISED
    packed = np.zeros(len(whole), dtype=_form(whole.shape[1]))
    packed["scale"] = scale[:, 0]
    packed["numbers"] = np.rint(np.divide(whole, scale, out=np.zeros_like(whole), where=scale > 0))
    return [row.tobytes() for row in packed]


def _unit(vectors: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    # By the largest first: the squares of very large or small numbers are none.
    largest = np.abs(vectors).max(axis=1, keepdims=True)
    even = np.divide(vectors, largest, out=np.zeros_like(vectors), where=largest > 0)
    length = np.linalg.norm(even, axis=1, keepdims=True)
    unit: npt.NDArray[np.float64] = np.divide(
        even, length, out=np.zeros_like(even), where=length > 0
    )
    return unit


class Nearness(msgspec.Struct, frozen=True, kw_only=True):
    """How near passages are to a query: 1 is the nearest of all, 0 as near as usual, or less."""

    numbers: npt.NDArray[np.int64]
    shares: Floats

    def of(self, number: int) -> float:
        """Return how near a passage is; 0 for one without a vector."""
        at = int(np.searchsorted(self.numbers, number))
        known = at < len(self.numbers) and self.numbers[at] == number
        return float(self.shares[at]) if known else 0.0

    def nearest(self, most: int) -> list[int]:
        """Return the numbers of passages that are nearer than usual, the nearest first."""
        order = np.argsort(-self.shares, kind="stable")
        if most < len(self.shares):
            few = np.argpartition(-self.shares, most)[:most]
            order = few[np.argsort(-self.shares[few], kind="stable")]
        near = order[self.shares[order] > 0]
        return [int(number) for number in self.numbers[near]]


class Matrix:
    """Every vector of a file, ready to be compared with that of a query."""

    def __init__(self, vectors: Sequence[tuple[int, bytes]], dimensions: int) -> None:
        """Take vectors as they are kept, in the order of their numbers."""
        self._numbers = np.fromiter((number for number, _ in vectors), np.int64, len(vectors))
        content = b"".join(packed for _, packed in vectors)
        self._packed = np.frombuffer(content, dtype=_form(dimensions))
        self.dimensions = dimensions

    def nearness(self, vector: Sequence[float]) -> Nearness:
        """Compare all with the vector of a query."""
        asked = _unit(np.asarray([vector], dtype=np.float64))[0].astype(np.float32)
        likeness = np.zeros(len(self._packed), dtype=np.float32)
        for start in range(0, len(self._packed), _BATCH_VECTORS):
            part = self._packed[start : start + _BATCH_VECTORS]
            like = part["numbers"].astype(np.float32) @ asked
            likeness[start : start + _BATCH_VECTORS] = like * _sound(part["scale"])
        return Nearness(numbers=self._numbers, shares=_shares(likeness))


def read_matrix(connection: sqlite3.Connection) -> Matrix:
    """Read the vectors of a file; there may be none."""
    model = stored_model(connection)
    if model is None:
        return Matrix([], 0)
    return Matrix(packed_vectors(connection, packed_size(model.dimensions)), model.dimensions)


def _sound(scale: Floats) -> Floats:
    """Return scales without what only damage to the file can have made of them."""
    return np.nan_to_num(scale, nan=0.0, posinf=0.0, neginf=0.0)


def _shares(likeness: Floats) -> Floats:
    """Return likeness by what is usual for this query: models differ in what they call near."""
    if not len(likeness):
        return likeness
    usual, best = likeness.mean(), likeness.max()
    # One alone, or all of them alike.
    if best - usual < _ALIKE:
        return np.full_like(likeness, 1.0 if best > 0 else 0.0)
    # In a small index many are less near than usual: that takes nothing from what their words say.
    shares: Floats = np.maximum((likeness - usual) / (best - usual), 0.0)
    return shares
