"""Every way a call can fail, as one closed union of values.

``match`` on a ``WebError`` and end in ``assert_never``; never look at its text. Each kind has a
fixed ``retryable``, except that ``NobodyAnswered`` has that of its attempts. ``message`` is a
sentence made from the typed fields. Nothing here holds a secret or a vendor's object.
"""

# ruff: noqa: F403
# Each file lists its errors in __all__.

from typing import TYPE_CHECKING, TypeAlias

from . import (
    answers,
    crashes,
    data,
    evidence,
    models,
    network,
    pages,
    planner,
    plugins,
    requests,
    statuses,
    stores,
)
from .answers import *
from .crashes import *
from .data import *
from .evidence import *
from .models import *
from .network import *
from .pages import *
from .planner import *
from .plugins import *
from .requests import *
from .statuses import *
from .stores import *

# Add a new kind to the file of its group only: the class, ``Kinds`` and ``__all__``.
WebError: TypeAlias = (
    answers.Kinds
    | crashes.Kinds
    | data.Kinds
    | evidence.Kinds
    | models.Kinds
    | network.Kinds
    | pages.Kinds
    | planner.Kinds
    | plugins.Kinds
    | requests.Kinds
    | statuses.Kinds
    | stores.Kinds
)

if not TYPE_CHECKING:
    # Type checkers read the imports: they do not follow a list that is made here.
    _GROUPS = (
        answers, crashes, data, evidence, models, network, pages, planner, plugins, requests,
        statuses, stores,
    )  # fmt: skip
    __all__ = ["WebError"]
    for _group in _GROUPS:
        __all__ += _group.__all__
