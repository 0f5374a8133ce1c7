"""Pages that need a browser to be read."""

from ...feature_table import Feature

FEATURE = Feature(
    name="browser",
    what="pages that need a browser to be read",
    parts={
        "renderer": "composition.features.browser.rendering:make_renderer",
        "sandboxes": "composition.features.browser.rendering:examine_sandboxes",
    },
)
