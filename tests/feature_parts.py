"""Every part of every feature beside its key, for mypy.

The core finds a part by a name in a record, which mypy cannot follow. Here it is imported as code
is: a signature that changes, at the key or at the part, is an error of `make types`.
``test_features.py`` makes sure that no part is missing.
"""

from typing import Generic, TypeVar

from webseam.composition.doors.cli.commands.completion import PROVIDER_NAMES
from webseam.composition.doors.cli.commands.doctor import SANDBOXES
from webseam.composition.doors.cli.commands.mcp import MCP_SERVER
from webseam.composition.doors.cli.commands.search import RERANKER
from webseam.composition.doors.client.web import LEARN_PAGES, PAGE_DATA
from webseam.composition.doors.hermes import HERMES_TOOL
from webseam.composition.doors.mcp.toolset import STEP_TEXT
from webseam.composition.feature_table import Part, SharedPart
from webseam.composition.features.browser import rendering
from webseam.composition.features.data import data_tool, learning, page_data
from webseam.composition.features.evidence import ask_tool
from webseam.composition.features.gateway import health as gateway_health
from webseam.composition.features.gateway.mcp import serving
from webseam.composition.features.index import backends as index_backends, health as index_health
from webseam.composition.features.models import (
    backends as model_backends,
    clients,
    health as model_health,
    hermes_x_search,
    relevance,
    small_work_models,
    x_search_tool,
)
from webseam.composition.health.examination import HEALTH
from webseam.composition.health.health_parts import PROVIDERS
from webseam.composition.tools.feature_tools import TOOLS
from webseam.composition.wiring.backend_rows import BACKENDS
from webseam.composition.wiring.backend_table import PICTURE_DESCRIBER
from webseam.composition.wiring.compressors import MODEL_COMPRESSOR
from webseam.composition.wiring.pages import RENDERER
from webseam.kernel.features.evidence.rendering import step_text

Promised = TypeVar("Promised")


class Slot(Generic[Promised]):
    """A key, which ``fill`` holds a part against.

    Two calls, so that mypy takes the type from the key alone and names what differs.
    """

    def __init__(self, part: Part[Promised] | SharedPart[Promised]) -> None:
        self._name = part.name

    def fill(self, provider: Promised) -> tuple[str, object]:
        """Return the name of the key, and a part that has its type."""
        return self._name, provider


PROVIDED = (
    Slot(BACKENDS).fill(index_backends.BACKENDS),
    Slot(BACKENDS).fill(model_backends.BACKENDS),
    Slot(HEALTH).fill(gateway_health.health_parts),
    Slot(HEALTH).fill(index_health.health_parts),
    Slot(HEALTH).fill(model_health.model_health_parts),
    Slot(HERMES_TOOL).fill(hermes_x_search.register_x_search),
    Slot(LEARN_PAGES).fill(learning.learn_pages),
    Slot(MCP_SERVER).fill(serving.serve_http),
    Slot(MODEL_COMPRESSOR).fill(small_work_models.open_model_compressor),
    Slot(PAGE_DATA).fill(page_data.read_page_data),
    Slot(PICTURE_DESCRIBER).fill(small_work_models.picture_describer),
    Slot(PROVIDERS).fill(model_health.PROVIDER_HEALTH),
    Slot(PROVIDER_NAMES).fill(clients.provider_names),
    Slot(RENDERER).fill(rendering.make_renderer),
    Slot(RERANKER).fill(relevance.open_reranker),
    Slot(SANDBOXES).fill(rendering.examine_sandboxes),
    Slot(STEP_TEXT).fill(step_text),
    Slot(TOOLS).fill(data_tool.TOOL),
    Slot(TOOLS).fill(ask_tool.TOOL),
    Slot(TOOLS).fill(x_search_tool.TOOL),
)
