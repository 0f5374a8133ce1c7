"""The scenes: what goes wrong, when, with which of three backends."""

import msgspec

from .world import Backend, Mode, Script


class Scene(msgspec.Struct, frozen=True):
    """What each backend does; ``told`` says whether ``a`` sends Retry-After."""

    a: Script
    b: Script
    c: Script
    told: bool = True

    def backends(self) -> list[Backend]:
        """Two that cost money, and a slower one that does not."""
        return [
            Backend("a", 5000, 0.6, 0.47, self.a, told=self.told),
            Backend("b", 4000, 0.8, 0.46, self.b),
            Backend("c", 0, 1.2, 0.55, self.c),
        ]


def always(mode: Mode) -> Script:
    return lambda _now: mode


def during(mode: Mode, start: float, stop: float) -> Script:
    return lambda now: mode if start <= now < stop else "well"


def scenes(seconds: float) -> dict[str, Scene]:
    """Return the scenes of a run that lasts so many seconds."""
    well, half = always("well"), seconds / 2
    ended = half * 1.2

    def flapping(now: float) -> Mode:
        return "down" if int(now / 30) % 2 else "well"

    return {
        "healthy": Scene(well, well, well),
        "slow tail": Scene(always("slow"), well, well),
        "hung": Scene(always("hung"), well, well),
        "hangs midway": Scene(during("hung", half, seconds), well, well),
        "30 % hang": Scene(always("now and then hung"), well, well),
        "flapping": Scene(flapping, well, well),
        "429, told": Scene(always(12.0), well, well),
        "429, untold": Scene(always(12.0), well, well, told=False),
        "quota end": Scene(always("quota"), well, well),
        "wrong rows": Scene(always("wrong"), well, well),
        "overload": Scene(always("busy"), well, well),
        "outage": Scene(
            during("down", half, ended),
            during("down", half, ended + 30),
            during("hung", half, ended + 60),
        ),
    }


def recovered_at(seconds: float) -> float:
    """Return when the first backend is well again after the outage."""
    return seconds / 2 * 1.2
