"""Pages rendered by the machine's own Chromium, for those that are empty without scripts."""

from .limits import BrowserSettings, RenderLimits
from .renderer import Renderer
from .rendering import Rendered

__all__ = ["BrowserSettings", "RenderLimits", "Rendered", "Renderer"]
