import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = (*(ROOT / "docs").glob("*.md"), *ROOT.glob("*.md"), ROOT / "NOTICE")
PATH = re.compile(r"`((?:kernel|ports|adapters|composition|tests|properties|benchmarks)/[\w./-]*)")
# Made up in an example.
EXAMPLES = ("adapters/features/models/providers/acme.py", "composition/features/NAME/")


def test_every_path_that_a_page_names_exists() -> None:
    missing = [
        f"{page.name}: {path}"
        for page in PAGES
        for path in PATH.findall(page.read_text("utf-8"))
        if not path.startswith(EXAMPLES) and not (ROOT / path.rstrip(".")).exists()
    ]

    assert missing == []
