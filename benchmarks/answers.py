"""What the loopback server answers: the same rows in the two shapes that the clients read."""

import msgspec

ROW_COUNTS = (10, 100)
SERVED_COUNTS = (10, 20, 100)
QUERY = "how do wind turbines behave in a storm"
# Real result pages hold a few rows outside ASCII, which are dearer to check.
_FOREIGN_EVERY = 5
_SENTENCE = "Above the cut-out speed the blades are feathered and the brake holds the rotor still; "


def rows_like_ours(count: int) -> list[dict[str, object]]:
    """Return rows of the plain JSON API, the shape that webseam's generic backend reads."""
    return [
        {
            "title": f"{_mark(number)} Wind turbines in a storm, part {number} of the field report",
            "url": f"https://site-{number}.example.com/reports/2026/wind-turbines?part={number}",
            "description": _mark(number) + " " + _SENTENCE * 5,
            "score": round(1 - number / 1000, 3),
        }
        for number in range(count)
    ]


def plain_answer(count: int) -> bytes:
    """Return the body of the plain JSON API."""
    return msgspec.json.encode({"results": rows_like_ours(count)})


def tavily_answer(count: int) -> bytes:
    """Return the same rows as Tavily writes them, for the clients that speak Tavily."""
    rows = [
        {
            "url": row["url"],
            "title": row["title"],
            "content": row["description"],
            "score": row["score"],
            "raw_content": None,
        }
        for row in rows_like_ours(count)
    ]
    return msgspec.json.encode(
        {
            "query": QUERY,
            "follow_up_questions": None,
            "answer": None,
            "images": [],
            "results": rows,
            "response_time": 0.5,
            "request_id": "00000000-0000-0000-0000-000000000000",
        }
    )


def _mark(number: int) -> str:
    return "Über Türme —" if number % _FOREIGN_EVERY == 0 else "On towers:"
