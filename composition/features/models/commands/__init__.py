"""The commands ``model``, ``models``, ``setup`` and ``x``."""
