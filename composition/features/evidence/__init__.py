"""Answers whose claims are checked against their sources."""

from ...feature_table import Feature, SettingsBlock

FEATURE = Feature(
    name="evidence",
    what="answers whose claims are checked against their sources",
    needs=("models", "index"),
    parts={
        "tool": "composition.features.evidence.ask_tool:TOOL",
        "step_text": "kernel.features.evidence.rendering:step_text",
    },
    settings=(
        SettingsBlock("ask", "composition.features.evidence.settings:AskSettings", after="rerank"),
    ),
)
