"""Where the sources are, and which tests speak of the kernel."""

from pathlib import Path

ROOT = Path(__file__).parents[2]
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


def module_name(file: str) -> str:
    """Return the name under which a file of the kernel is imported.

    >>> module_name("kernel/policy/judge.py")
    'webseam.kernel.policy.judge'
    """
    return "webseam." + file.removesuffix(".py").replace("/", ".")
