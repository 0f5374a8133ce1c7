"""The example notebook runs from its first cell to its last: as a notebook where Jupyter is."""

import ast
import asyncio
import inspect
import json
from pathlib import Path

import pytest

NOTEBOOK = Path(__file__).parents[3] / "examples" / "agent.ipynb"


def test_the_cells_run_in_their_order_inside_a_running_loop(
    capsys: pytest.CaptureFixture[str],
) -> None:
    cells = json.loads(NOTEBOOK.read_text("utf-8"))["cells"]
    texts = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]

    async def run() -> None:
        names: dict[str, object] = {}
        for text in texts:
            code = compile(text, NOTEBOOK.name, "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
            value = eval(code, names)  # noqa: S307  our own example
            if inspect.isawaitable(value):
                await value

    asyncio.run(run())

    assert "High tide is at 04:12 and 16:37." in capsys.readouterr().out


def test_jupyter_runs_it(tmp_path: Path) -> None:
    nbformat = pytest.importorskip(
        "nbformat", reason="nbformat is not installed: make integrations"
    )
    nbclient = pytest.importorskip(
        "nbclient", reason="nbclient is not installed: make integrations"
    )
    notebook = nbformat.read(NOTEBOOK, as_version=4)

    nbclient.NotebookClient(
        notebook, timeout=120, resources={"metadata": {"path": str(tmp_path)}}
    ).execute()

    assert notebook.cells[-2]["outputs"][-1]["text"].endswith("16:37.\n")
