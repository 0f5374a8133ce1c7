"""One turn of a call that may take several: what was learned from those before it."""

from typing import NamedTuple

import msgspec

from ...ports.models import NormalizedResponse
from .budget import TimeBudget


class Turn(NamedTuple):
    """The time there is, how many attempts were made, and what the model turned out not to take."""

    budget: TimeBudget
    attempt: int = 1
    wait: float = 0.0
    left_out: tuple[str, ...] = ()

    def after(self, wait: float) -> "Turn":
        """Return the next attempt at the same thing."""
        return self._replace(attempt=self.attempt + 1, wait=wait)

    def without(self, name: str) -> "Turn":
        """Return the same attempt without one of the fields."""
        return self._replace(left_out=(*self.left_out, name), wait=0.0)

    def stamp(self, response: NormalizedResponse) -> NormalizedResponse:
        """Tell in the answer what was left out for it."""
        if not self.left_out:
            return response
        held = {**(response.provider_data or {}), "_left_out": list(self.left_out)}
        return msgspec.structs.replace(response, provider_data=held)
