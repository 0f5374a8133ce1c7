"""Where the sources are, and which tests speak of the kernel or of another room."""

from pathlib import Path

from tests.rooms import ROOMS

ROOT = Path(__file__).parents[2]
_FEATURE_FOLDERS = ("kernel/features", "adapters/features", "composition/features")
_ROOM_FOLDERS = (*_FEATURE_FOLDERS, "composition/doors", "kernel", "adapters", "composition")
# Laws that speak of anything but the kernel, and take their time.
_ELSEWHERE = ("formats", "library", "pages")
_LAWS = sorted(
    str(path.relative_to(ROOT))
    for path in (ROOT / "properties").glob("test_*.py")
    if not path.stem.endswith(_ELSEWHERE)
)
_EXAMPLES = (
    "kernel",
    "policy",
    "middleware",
    "planner",
    "evidence",
    "compressors",
    "x_search",
    "choosing",
    "tools",
    "plugins",
    "test_errors.py",
)
# The examples in docstrings are tests as well.
_DOCSTRINGS = ".namespace/webseam/kernel"
TESTS = (_DOCSTRINGS, *(f"tests/{name}" for name in _EXAMPLES), *_LAWS)


def room_folders(room: str) -> list[Path]:
    """Return the folders of a room, such as the three of a feature.

    >>> [str(folder.relative_to(ROOT)) for folder in room_folders("evidence")]
    ['kernel/features/evidence', 'composition/features/evidence']
    """
    folders = (ROOT / parent / room for parent in _ROOM_FOLDERS)
    return [folder for folder in folders if (folder / "__init__.py").exists()]


def room_tests(room: str) -> tuple[str, ...]:
    """Return the tests and laws of a room, with the examples of its docstrings."""
    examples = (f".namespace/webseam/{path.relative_to(ROOT)}" for path in room_folders(room))
    return (*examples, *ROOMS[room])


def module_name(file: str) -> str:
    """Return the name under which a file of the kernel is imported.

    >>> module_name("kernel/policy/judge.py")
    'webseam.kernel.policy.judge'
    """
    return "webseam." + file.removesuffix(".py").replace("/", ".")
