"""Read the domains and dates by which vendors filter. Pure.

Our backends filter by whole hosts and by whole days. A filter must never mean more here than its
caller wrote: a domain with a path is refused by its name, and so is a period shorter than a day. A
moment inside of a day is honoured to its day, and the field is among ``inexact``, which the reply
names: to leave the day out would lose the newest rows of everybody who asks until now.
"""

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import NamedTuple

import msgspec

from webseam.ports.text import truncate

from .replies import Refusal, refuse_invalid, refuse_unsupported

_SCHEME_PATTERN = re.compile(r"https?://", re.IGNORECASE)
_PATH_PATTERN = re.compile(r"[/?#]")
_DAY_PATTERN = re.compile(r"\d{4}-\d{2}-\d{2}")
_AMERICAN_DAY_PATTERN = re.compile(r"(\d{1,2})/(\d{1,2})/(\d{4})")
_AMERICAN_RANGE_PATTERN = re.compile(r"cdr:1,cd_min:([\d/]{8,10}),cd_max:([\d/]{8,10})")
_MAX_VALUE_CHARS = 80
_PERIOD_DAYS = {"day": 1, "week": 7, "month": 30, "year": 365}
_PERIOD_LETTERS = {"d": "day", "w": "week", "m": "month", "y": "year"}
# Vendors end a window with the last second of a day, or with its last millisecond.
_LAST_SECOND = time(23, 59, 59)
PERPLEXITY_FIELD_NAMES = {
    "published_after": "search_after_date_filter", "published_before": "search_before_date_filter",
    "include_domains": "search_domain_filter", "exclude_domains": "search_domain_filter",
}  # fmt: skip


def bare_domain(domain: str) -> str:
    """Return a domain without the scheme and the final slash of a URL.

    >>> [bare_domain(text) for text in ("https://www.a.test/", "*.b.test", "c.test/docs")]
    ['www.a.test', '*.b.test', 'c.test/docs']
    """
    return _SCHEME_PATTERN.sub("", domain.strip(), count=1).removesuffix("/")


def read_domains(
    include: Sequence[str] | None, exclude: Sequence[str] | None, names: Mapping[str, str]
) -> dict[str, object] | Refusal:
    """Return the search fields of domains; refuse a domain with a path by the name of its field.

    ``names`` are the vendor's names of our fields. Blank entries ask for nothing: clients send
    them. The kernel judges the hosts.
    """
    fields: dict[str, object] = {}
    for field, domains in (("include_domains", include), ("exclude_domains", exclude)):
        hosts = [host for domain in domains or () if (host := bare_domain(domain))]
        partial = next((host for host in hosts if _PATH_PATTERN.search(host)), None)
        if partial is not None:
            shown = truncate(ascii(partial), _MAX_VALUE_CHARS)
            reason = f"this gateway filters by whole hosts, got {shown}"
            return refuse_unsupported(names[field], reason)
        fields[field] = hosts
    return fields


class DayWindow(NamedTuple):
    """The search fields of two dates, and the names of those that are honoured to their day."""

    fields: dict[str, object]
    inexact: tuple[str, ...] = ()


def read_window(
    start: str | None, end: str | None, names: Mapping[str, str], rule: str
) -> DayWindow | Refusal:
    """Return the days from ``start`` to ``end``, which are days or moments of ISO 8601.

    Moments are those of UTC; without an offset they are taken so. Days count as they are written.

    >>> names = {"published_after": "from", "published_before": "to"}
    >>> read_window("2026-03-01T00:00+02:00", "2026-03-05T00:00Z", names, "must be a date")
    ... # doctest: +NORMALIZE_WHITESPACE
    DayWindow(fields={'published_after': '2026-02-28', 'published_before': '2026-03-04'},
              inexact=('from',))
    """
    fields: dict[str, object] = {}
    inexact: list[str] = []
    for field, text in (("published_after", start), ("published_before", end)):
        if not (text := (text or "").strip()):
            continue
        if (moment := _read_moment(text)) is None:
            return refuse_invalid(f"{names[field]} {rule}.", names[field])
        day, is_exact = (_first_day if field == "published_after" else _last_day)(moment)
        fields[field] = day.isoformat()
        if not is_exact:
            inexact.append(names[field])
    return DayWindow(fields, tuple(inexact))


def _read_moment(text: str) -> date | datetime | None:
    """Return the day, or the moment in UTC, that a text is; None if it is neither."""
    # Python also reads weeks and days without dashes.
    if _DAY_PATTERN.match(text) is None:
        return None
    try:
        if _DAY_PATTERN.fullmatch(text) is not None:
            return date.fromisoformat(text)
        moment = datetime.fromisoformat(text)
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _first_day(moment: date | datetime) -> tuple[date, bool]:
    """Return the day on which a window begins, and whether it is that day from its start on."""
    if not isinstance(moment, datetime):
        return moment, True
    return moment.date(), moment.time() == time.min


def _last_day(moment: date | datetime) -> tuple[date, bool]:
    """Return the day on which a window ends, and whether it is that day to its end."""
    if not isinstance(moment, datetime):
        return moment, True
    if moment.time() == time.min and moment.date() > date.min:
        # Nothing of this day is left in the window.
        return moment.date() - timedelta(days=1), True
    return moment.date(), moment.time() >= _LAST_SECOND


def period_start(period: str, today: date) -> str | None:
    """Return the first day of a period of time; None for an unknown period.

    An hour is none: the days that backends filter by would make it one or two.

    >>> (period_start("week", date(2026, 11, 15)), period_start("d", date(2026, 11, 15)),
    ...  period_start("h", date.min))
    ('2026-11-08', '2026-11-14', None)
    """
    days = _PERIOD_DAYS.get(_PERIOD_LETTERS.get(period.lower(), period.lower()))
    return None if days is None else (today - timedelta(days=days)).isoformat()


def read_tbs(tbs: str | None, today: date) -> dict[str, object] | Refusal:
    """Return the search fields of Google's ``tbs``: a period or a range of days.

    >>> read_tbs("qdr:w", date(2026, 11, 15)), read_tbs("qdr:h", date.min).params
    ({'published_after': '2026-11-08'}, ('tbs',))
    """
    if not tbs:
        return {}
    if (days := _AMERICAN_RANGE_PATTERN.fullmatch(tbs)) is not None:
        first, last = map(american_day, days.groups())
        return {"published_after": first, "published_before": last}
    after = period_start(tbs.removeprefix("qdr:"), today)
    if after is None:
        return refuse_unsupported("tbs", "qdr:d, qdr:w, qdr:m, qdr:y and a range of days are known")
    return {"published_after": after}


def american_day(day: str | None) -> str:
    """Return a day in the form MM/DD/YYYY as an ISO day; other texts as they are.

    >>> american_day("3/24/2026"), american_day("soon"), american_day(None)
    ('2026-03-24', 'soon', '')
    """
    parts = _AMERICAN_DAY_PATTERN.fullmatch(day or "")
    return day or "" if parts is None else f"{parts[3]}-{parts[1]:0>2}-{parts[2]:0>2}"


class PerplexityFilters(msgspec.Struct):
    """The filters that Perplexity's searches and chats share."""

    search_domain_filter: list[str] | None = None
    search_recency_filter: str | None = None
    search_after_date_filter: str | None = None
    search_before_date_filter: str | None = None
    search_mode: str | None = None


def perplexity_filters(body: PerplexityFilters, today: date) -> dict[str, object] | Refusal:
    """Return the search fields of Perplexity's filters; a domain with a minus is excluded."""
    recency = body.search_recency_filter or ""
    recent = period_start(recency, today) if recency else None
    if recency and recent is None:
        return refuse_unsupported("search_recency_filter", "day, week, month and year are known")
    if body.search_mode not in (None, "", "web"):
        return refuse_unsupported("search_mode", "web is known")
    first, last = map(american_day, (body.search_after_date_filter, body.search_before_date_filter))
    rule = "must be in the format MM/DD/YYYY"
    window = read_window(first, last, PERPLEXITY_FIELD_NAMES, rule)
    if isinstance(window, Refusal):
        return window
    listed = [name.strip() for name in body.search_domain_filter or ()]
    excluded = [name[1:] for name in listed if name.startswith("-")]
    included = [name for name in listed if not name.startswith("-")]
    domains = read_domains(included, excluded, PERPLEXITY_FIELD_NAMES)
    if isinstance(domains, Refusal):
        return domains
    return {**domains, **window.fields, "published_after": latest_day(window, recent)}


def latest_day(window: DayWindow, recent: str | None) -> str | None:
    """Return the later of the days on which a window and a period begin: both were asked for."""
    first = window.fields.get("published_after")
    days = [day for day in (first, recent) if isinstance(day, str)]
    return max(days, default=None)
