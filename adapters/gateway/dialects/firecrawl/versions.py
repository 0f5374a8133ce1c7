"""The two versions of the API."""

from typing import Literal, TypeAlias

Version: TypeAlias = Literal["v1", "v2"]
