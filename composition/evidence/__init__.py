"""Answers whose claims are checked against their sources."""

from ..features import Feature

FEATURE = Feature(
    name="evidence",
    what="answers whose claims are checked against their sources, and comparisons of backends",
    needs=("models", "index"),
    parts={
        "tool": "composition.evidence.ask_tool:TOOL",
        "step_text": "kernel.evidence.rendering:step_text",
    },
)
