"""Where the sources are, and which tests speak of the kernel."""

from pathlib import Path

ROOT = Path(__file__).parents[2]
_LAWS = (
    "columns",
    "documents",
    "json_api",
    "limits",
    "rows",
    "text",
    "totality",
    "trim",
    "url_policy",
)
TESTS = (
    "tests/kernel",
    "tests/policy",
    "tests/test_errors.py",
    *(f"properties/test_{law}.py" for law in _LAWS),
)


def module_name(file: str) -> str:
    """Return the name under which a file of the kernel is imported.

    >>> module_name("kernel/policy/judge.py")
    'webseam.kernel.policy.judge'
    """
    return "webseam." + file.removesuffix(".py").replace("/", ".")
