"""Pages that need a browser to be read."""

from ..features import Feature

FEATURE = Feature(
    name="browser",
    what="pages that need a browser to be read",
    parts={
        "make_renderer": "composition.browser.rendering:make_renderer",
        "sandboxes": "composition.browser.rendering:examine_sandboxes",
    },
)
