"""Errors of typed values."""

from collections.abc import Mapping
from typing import TypeAlias

from ..data import ProvedField, RefusedField
from .error_fields import STOP, ErrorFields, Facts, make_remedy


class DataRefused(ErrorFields, frozen=True, kw_only=True, tag="data_refused"):
    """The page does not prove the fields ``required``; what it proves is kept in ``proved``."""

    required: tuple[str, ...]
    refused: Mapping[str, RefusedField]
    proved: Mapping[str, ProvedField] = {}

    usual = Facts(
        refusal="unreadable",
        verdict=STOP,
        remedy=make_remedy(
            "Leave the field out of `required` in the schema if it may be absent.",
            http="Leave the field out of the required ones if it may be absent; the field refused "
            "has what was offered for it.",
            python="Give the field a default if it may be absent; `refused` has what was offered "
            "for it.",
        ),
    )

    def _sentence(self) -> str:
        reasons = ", ".join(
            f"{name} ({self.refused[name].reason.replace('_', ' ')})"
            for name in self.required
            if name in self.refused
        )
        return f"The page does not prove what is required: {reasons}."


Kinds: TypeAlias = DataRefused

__all__ = ["DataRefused"]
