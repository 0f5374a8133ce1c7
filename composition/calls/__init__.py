"""Model calls through plugins: what ``llm_request`` and ``llm_execution`` stand around."""

from .model import PluggedModel, plugged

__all__ = ["PluggedModel", "plugged"]
