"""Pages rendered by the machine's own Chromium, for those that are empty without scripts."""

from .deps import OnRefused, RenderDeps, RenderLimits
from .renderer import Renderer

__all__ = ["OnRefused", "RenderDeps", "RenderLimits", "Renderer"]
