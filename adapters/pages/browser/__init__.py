"""Pages rendered by the machine's own Chromium, for those that are empty without scripts."""

from .renderer import Renderer
from .surroundings import OnRefused, RenderLimits, RenderSurroundings

__all__ = ["OnRefused", "RenderLimits", "RenderSurroundings", "Renderer"]
