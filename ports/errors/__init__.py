"""Every way a call can fail, as one closed union of values.

``match`` on a ``WebError`` and end in ``assert_never``; never look at its text. Each kind has a
fixed ``retryable``, and ``message`` is a sentence made from the typed fields. Nothing here holds a
secret or a vendor's object.
"""

from typing import TypeAlias

from . import (
    answers,
    crashes,
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
from .evidence import *  # noqa: F403
from .models import *  # noqa: F403
from .network import *  # noqa: F403
from .pages import *  # noqa: F403
from .planner import *  # noqa: F403
from .plugins import *  # noqa: F403
from .requests import *  # noqa: F403
from .statuses import *  # noqa: F403
from .stores import *  # noqa: F403

# A new kind stands in the file of its group alone: its class, its ``Kinds``, its ``__all__``.
WebError: TypeAlias = (
    answers.Kinds
    | crashes.Kinds
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

__all__ = ["WebError"]
__all__ += answers.__all__
__all__ += crashes.__all__
__all__ += evidence.__all__
__all__ += models.__all__
__all__ += network.__all__
__all__ += pages.__all__
__all__ += planner.__all__
__all__ += plugins.__all__
__all__ += requests.__all__
__all__ += statuses.__all__
__all__ += stores.__all__
