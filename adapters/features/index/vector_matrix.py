"""Vectors with one byte per number, and their similarity to the vector of a query.

Vectors are normalised, and each number is stored as a share of the largest: a quarter of the space,
with the same ranking. Every vector is compared with the query's: the search is exact.
"""

import sqlite3
from collections.abc import Sequence
from typing import TypeAlias

import msgspec
import numpy as np
import numpy.typing as npt

from .vector_table import packed_vectors, vector_model

_MAX_QUANTISED = 127
# Vectors are unpacked in batches: unpacked they take four times the space.
_BATCH_VECTORS = 8192
_MIN_SIMILARITY_SPREAD = 1e-6

Floats: TypeAlias = npt.NDArray[np.float32]


def _packed_dtype(dimensions: int) -> np.dtype[np.void]:
    return np.dtype([("scale", "<f4"), ("numbers", "i1", (dimensions,))])


def packed_vector_bytes(dimensions: int) -> int:
    """Return how many bytes a packed vector takes."""
    return _packed_dtype(dimensions).itemsize


def pack_vectors(vectors: Sequence[Sequence[float]]) -> list[bytes]:
    """Return vectors packed for storage; a zero vector stays zero and is near to nothing."""
    unit = _unit_vectors(np.asarray(vectors, dtype=np.float64))
    scale = np.abs(unit).max(axis=1, keepdims=True) / _MAX_QUANTISED
    packed = np.zeros(len(unit), dtype=_packed_dtype(unit.shape[1]))
    packed["scale"] = scale[:, 0]
    packed["numbers"] = np.rint(np.divide(unit, scale, out=np.zeros_like(unit), where=scale > 0))
    return [row.tobytes() for row in packed]


def _unit_vectors(vectors: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    # Divide by the largest number first: squares of extreme numbers overflow or vanish.
    largest = np.abs(vectors).max(axis=1, keepdims=True)
    scaled = np.divide(vectors, largest, out=np.zeros_like(vectors), where=largest > 0)
    length = np.linalg.norm(scaled, axis=1, keepdims=True)
    unit: npt.NDArray[np.float64] = np.divide(
        scaled, length, out=np.zeros_like(scaled), where=length > 0
    )
    return unit


class Nearness(msgspec.Struct, frozen=True, kw_only=True):
    """Nearness of passages to a query: 1 for the nearest, 0 for average or less."""

    numbers: npt.NDArray[np.int64]
    shares: Floats

    def passage_nearness(self, number: int) -> float:
        """Return the nearness of a passage; 0 for one without a vector."""
        index = int(np.searchsorted(self.numbers, number))
        is_stored = index < len(self.numbers) and self.numbers[index] == number
        return float(self.shares[index]) if is_stored else 0.0

    def nearest_passages(self, limit: int) -> list[int]:
        """Return the passages that are nearer than average, nearest first."""
        order = np.argsort(-self.shares, kind="stable")
        if limit < len(self.shares):
            candidates = np.argpartition(-self.shares, limit)[:limit]
            order = candidates[np.argsort(-self.shares[candidates], kind="stable")]
        near = order[self.shares[order] > 0]
        return [int(number) for number in self.numbers[near]]


class Matrix:
    """All vectors of a file, ready for comparison with the vector of a query."""

    def __init__(self, vectors: Sequence[tuple[int, bytes]], dimensions: int) -> None:
        """Load packed vectors, ordered by passage number."""
        self._numbers = np.fromiter((number for number, _ in vectors), np.int64, len(vectors))
        content = b"".join(packed for _, packed in vectors)
        self._packed = np.frombuffer(content, dtype=_packed_dtype(dimensions))
        self.dimensions = dimensions

    def nearness(self, vector: Sequence[float]) -> Nearness:
        """Compare all vectors with the vector of a query."""
        query = _unit_vectors(np.asarray([vector], dtype=np.float64))[0].astype(np.float32)
        similarities = np.zeros(len(self._packed), dtype=np.float32)
        for start in range(0, len(self._packed), _BATCH_VECTORS):
            batch = self._packed[start : start + _BATCH_VECTORS]
            products = batch["numbers"].astype(np.float32) @ query
            # A damaged file has infinite and undefined scales.
            scales = np.nan_to_num(batch["scale"], nan=0.0, posinf=0.0, neginf=0.0)
            similarities[start : start + _BATCH_VECTORS] = products * scales
        return Nearness(numbers=self._numbers, shares=_nearness_shares(similarities))


def read_vector_matrix(connection: sqlite3.Connection) -> Matrix:
    """Read the vectors of a file; there may be none."""
    model = vector_model(connection)
    if model is None:
        return Matrix([], 0)
    return Matrix(
        packed_vectors(connection, packed_vector_bytes(model.dimensions)), model.dimensions
    )


def _nearness_shares(likeness: Floats) -> Floats:
    """Return similarities relative to the average of this query: models differ in their scale."""
    if not len(likeness):
        return likeness
    average, best = likeness.mean(), likeness.max()
    # A single vector, or all similarities equal.
    if best - average < _MIN_SIMILARITY_SPREAD:
        return np.full_like(likeness, 1.0 if best > 0 else 0.0)
    # Clamp at 0: a passage below average, of which a small index has many, loses no score.
    shares: Floats = np.maximum((likeness - average) / (best - average), 0.0)
    return shares
