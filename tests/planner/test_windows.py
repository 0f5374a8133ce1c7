"""What the headers of an answer say of calls that are left."""

import pytest

from webseam.kernel.planner.pacing import RateWindow, read_rate_windows

NOW = 1_800_000_000.0


@pytest.mark.parametrize(
    ("headers", "windows"),
    [
        (
            {"x-ratelimit-remaining": "1, 1000", "x-ratelimit-reset": "1, 1419704"},
            (RateWindow(1, 1.0), RateWindow(1000, 1419704.0)),
        ),
        ({"x-ratelimit-remaining": "7", "x-ratelimit-reset": "1800000060"}, (RateWindow(7, 60.0),)),
        (
            {"x-ratelimit-remaining": "7", "x-ratelimit-reset": "1800000060000"},
            (RateWindow(7, 60.0),),
        ),
        ({"ratelimit-remaining": "3", "ratelimit-reset": "20"}, (RateWindow(3, 20.0),)),
        ({"ratelimit": '"default";r=50;t=30'}, (RateWindow(50, 30.0),)),
        (
            {"ratelimit": '"burst";r=5;t=1, "day";r=90;t=80000'},
            (RateWindow(5, 1.0), RateWindow(90, 8e4)),
        ),
        ({"ratelimit": "limit=100, remaining=50, reset=30"}, (RateWindow(50, 30.0),)),
        (
            {"x-ratelimit-remaining-requests": "59", "x-ratelimit-reset-requests": "6m0s"},
            (RateWindow(59, 360.0),),
        ),
        (
            {"x-ratelimit-remaining-requests": "59", "x-ratelimit-reset-requests": "20ms"},
            (RateWindow(59, 0.02),),
        ),
        (
            {
                "anthropic-ratelimit-requests-remaining": "4",
                "anthropic-ratelimit-requests-reset": "2027-01-15T08:00:30Z",
            },
            (RateWindow(4, 30.0),),
        ),
        (
            {"x-ratelimit-remaining": "4", "x-ratelimit-reset": "2027-01-15T08:00:30"},
            (RateWindow(4, 30.0),),
        ),
        ({}, ()),
        ({"x-ratelimit-remaining": "4"}, ()),
        ({"x-ratelimit-remaining": "4, 5", "x-ratelimit-reset": "1"}, ()),
        ({"x-ratelimit-remaining": "many", "x-ratelimit-reset": "1"}, ()),
        ({"x-ratelimit-remaining": "4", "x-ratelimit-reset": "soon"}, ()),
        ({"x-ratelimit-remaining": "4", "x-ratelimit-reset": "0"}, ()),
        ({"x-ratelimit-remaining": "4", "x-ratelimit-reset": "99999999"}, ()),
        ({"x-ratelimit-remaining": "4", "x-ratelimit-reset": "5s of rest"}, ()),
        ({"x-ratelimit-remaining": "4", "x-ratelimit-reset": "0001-01-01T00:00:00+14:00"}, ()),
        ({"ratelimit": "r=5"}, ()),
        ({"ratelimit": "r=5;t=0"}, ()),
    ],
)
def test_headers_are_read_as_they_are_written(
    headers: dict[str, str], windows: tuple[RateWindow, ...]
) -> None:
    assert read_rate_windows(headers, NOW) == windows
