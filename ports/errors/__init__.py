"""Every way a call can fail, as one closed union of values.

``match`` on a ``WebError`` and end in ``assert_never``; never look at its text. Each kind has a
fixed ``retryable``, except that ``NobodyAnswered`` has that of its attempts. ``message`` is a
sentence made from the typed fields. Nothing here holds a secret or a vendor's object.
"""

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
from .answers import *  # noqa: F403
from .crashes import *  # noqa: F403
from .data import *  # noqa: F403
from .evidence import *  # noqa: F403
from .models import *  # noqa: F403
from .network import *  # noqa: F403
from .pages import *  # noqa: F403
from .planner import *  # noqa: F403
from .plugins import *  # noqa: F403
from .requests import *  # noqa: F403
from .statuses import *  # noqa: F403
from .stores import *  # noqa: F403

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
