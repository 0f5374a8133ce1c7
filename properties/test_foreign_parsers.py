"""Parsers of foreign text are called in workers, or here for a reason that is written down.

The loops of a library are not ours to count (test_linear_scans.py counts ours), so a parser in the process of
a gateway or of a caller has no limit of time, memory or output, and cannot be ended.
"""

import ast
from collections.abc import Iterator

from properties.written_patterns import module_tree, parent_modules, walk_run_code

PARSERS = (
    "bs4", "html.parser", "html5lib", "lxml", "markdown_it", "mistune", "pycld2", "pypdfium2", "rich.markdown",
    "selectolax", "turbohtml", "xml",
)  # fmt: skip
REASONS = {
    "here for texts of 400 characters, in workers for all others": (
        "adapters.pages.page_forms",
        "composition.terminal.rich_markdown",
    ),
    "only workers call what this module imports it for": (
        "adapters.features.bulk.crawling.links",
        "adapters.features.documents.formats.office.xml_elements",
        "adapters.reader.html_parsing",
        "adapters.reader.page_links",
    ),
    "the selector of the caller, over an empty page": ("adapters.transforms.selectors",),
    "a reply of a service that the user chose, whose size has a limit": (
        "adapters.services.vendors.arxiv",
        "adapters.services.vendors.duckduckgo",
    ),
    "the lists of pages of a run of bulk, which serves nobody else; 50 MB at most": (
        "adapters.features.bulk.crawling.listings",
    ),
    "the first characters of a text": ("adapters.language.detection",),
}


def _imported_names(module: str) -> Iterator[str]:
    for node in walk_run_code(module_tree(module)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield node.module or ""


def _imports_parser(module: str) -> bool:
    return any(
        name == parser or name.startswith(f"{parser}.")
        for name in _imported_names(module)
        for parser in PARSERS
    )


def test_parsers_outside_of_the_workers_have_a_reason() -> None:
    importing = {module for module in parent_modules() if _imports_parser(module)}

    assert importing == {module for modules in REASONS.values() for module in modules}
