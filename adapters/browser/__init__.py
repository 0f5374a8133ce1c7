"""Render pages that need scripts in the machine's Chromium."""

from .deps import OnRefused, RenderDeps, RenderLimits
from .renderer import Renderer

__all__ = ["OnRefused", "RenderDeps", "RenderLimits", "Renderer"]
