"""What was raised, described without its text."""

from returns.result import Success

from webseam.kernel.boundary import Crash, attempt_call, describe_crash


def test_a_call_that_returns_is_a_success() -> None:
    assert attempt_call(lambda: 5) == Success(5)


def test_a_call_that_raises_is_a_crash_with_the_innermost_line() -> None:
    def fall() -> int:
        raise KeyError("secret")

    crash = attempt_call(fall).failure()

    line = fall.__code__.co_firstlineno + 1
    assert crash == Crash(error="KeyError", where=f"test_boundary.py:{line}")


def test_an_exception_that_was_never_raised_has_no_place() -> None:
    assert describe_crash(ValueError()) == Crash(error="ValueError", where="")


def test_a_hostile_exception_cannot_hide_its_place_or_flood_the_error() -> None:
    hostile = type("E" * 200, (Exception,), {"__traceback__": property(lambda _: 1 / 0)})

    def fall() -> int:
        raise hostile

    crash = attempt_call(fall).failure()

    assert crash.error == "E" * 100
    assert crash.where.startswith("test_boundary.py:")


def test_a_windows_path_is_shortened_too() -> None:
    namespace: dict[str, object] = {}
    exec(compile("def fall(): raise ValueError", r"C:\secret\user\plug.py", "exec"), namespace)  # noqa: S102  to have such a path
    fall = namespace["fall"]
    assert callable(fall)

    assert attempt_call(fall).failure().where == "plug.py:1"
