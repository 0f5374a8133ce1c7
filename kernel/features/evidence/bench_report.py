"""Write a comparison as text, and as a self-contained HTML page with plots."""

import html
from collections.abc import Sequence

from webseam.ports.bench import Comparison, Estimate, MeasureName, Pairing, RouteScore

_STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:56rem;margin:2rem auto;padding:0 1rem}"
    "table{border-collapse:collapse}td,th{padding:.2rem .8rem;text-align:right}"
    "td:first-child,th:first-child{text-align:left}svg{display:block;margin:1rem 0}"
)
_MEASURE_LABELS: dict[MeasureName, str] = {
    "hit": "hit", "ndcg": "nDCG", "answer": "answer", "pages": "answer in pages",
}  # fmt: skip
_LEFT_PIXELS, _WIDTH_PIXELS, _ROW_PIXELS = 160, 480, 28


def report_text(comparison: Comparison) -> str:
    """Return the comparison for a terminal."""
    lines = [_score_text(score, comparison.most) for score in comparison.routes]
    lines += [pairing_sentence(pair) for pair in comparison.pairs]
    return "\n".join([*lines, *_holm_note(comparison)])


def _holm_note(comparison: Comparison) -> list[str]:
    """Return a note on multiple tests; nothing for a single test."""
    count = len(comparison.pairs)
    if count <= 1:
        return []
    return [f"p is for {count} tests at once (Holm): one in twenty would look good by luck alone."]


def _score_text(score: RouteScore, max_rows: int) -> str:
    measures = [
        f"{name}@{max_rows} {_estimate_text(estimate)}"
        for field, name in _MEASURE_LABELS.items()
        if (estimate := getattr(score, field)) is not None
    ]
    failed = ", ".join(f"{count} {kind}" for kind, count in sorted(score.failures.items()))
    cost = "" if score.cost is None else f", ${score.cost:.4f}"
    time = f"median {score.median_seconds:.2f} s, p95 {score.slow_seconds:.2f} s"
    head = f"{score.route}: {score.asked} asked, {failed or 'none'} failed, {time}{cost}"
    return "\n  ".join([head, *measures])


def _estimate_text(estimate: Estimate) -> str:
    return f"{estimate.mean:.3f} [{estimate.low:.3f}, {estimate.high:.3f}] of {estimate.count}"


def pairing_sentence(pair: Pairing) -> str:
    """Describe a pair of routes and whether the difference is noise."""
    by = pair.difference
    size = f"{pair.one} - {pair.two} is {by.mean:+.3f} [{by.low:+.3f}, {by.high:+.3f}]"
    verdict = "noise" if pair.is_noise else "hardly chance"
    counts = f"better on {pair.wins}, worse on {pair.losses} of {by.count}"
    return f"{_MEASURE_LABELS[pair.measure]}: {size}, {counts}: {verdict} (p = {pair.adjusted:.3f})"


def report_html(comparison: Comparison) -> str:
    """Return the comparison as an HTML page: plots with intervals, a table and the tests."""
    scores, max_rows = comparison.routes, comparison.most
    plots = [
        _measure_plot(
            f"{name}@{max_rows}", [(score.route, getattr(score, field)) for score in scores]
        )
        for field, name in _MEASURE_LABELS.items()
    ]
    rows = "".join(_score_html_row(score) for score in scores)
    sentences = [*map(pairing_sentence, comparison.pairs), *_holm_note(comparison)]
    tests = "".join(f"<li>{html.escape(line)}</li>" for line in sentences)
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>webseam bench</title>'
        f"<style>{_STYLE}</style><h1>Search, compared</h1>{''.join(plots)}"
        "<h2>Time, failures, cost</h2><table><tr><th>route</th><th>asked</th><th>failed</th>"
        f"<th>median</th><th>p95</th><th>cost</th></tr>{rows}</table>"
        "<h2>Is it more than chance?</h2>"
        f"<ul>{tests or '<li>There is one route.</li>'}</ul></html>\n"
    )


def _score_html_row(score: RouteScore) -> str:
    cost = "" if score.cost is None else f"${score.cost:.4f}"
    failed = ", ".join(f"{count} {kind}" for kind, count in sorted(score.failures.items())) or "0"
    cells = (
        score.route,
        str(score.asked),
        failed,
        f"{score.median_seconds:.2f} s",
        f"{score.slow_seconds:.2f} s",
        cost,
    )
    return "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in cells) + "</tr>"


def _measure_plot(title: str, estimates: Sequence[tuple[str, Estimate | None]]) -> str:
    measured = [(route, estimate) for route, estimate in estimates if estimate is not None]
    if not measured:
        return ""
    height = _ROW_PIXELS * len(measured) + 24
    bars = "".join(
        _plot_bar(index, route, estimate) for index, (route, estimate) in enumerate(measured)
    )
    return (
        f"<h2>{html.escape(title)}</h2>"
        f'<svg viewBox="0 0 {_LEFT_PIXELS + _WIDTH_PIXELS + 80} {height}" role="img"'
        f' aria-label="{html.escape(title)}">{bars}</svg>'
    )


def _plot_bar(index: int, route: str, estimate: Estimate) -> str:
    top = index * _ROW_PIXELS + 14
    low, middle, high = (
        _LEFT_PIXELS + _WIDTH_PIXELS * part for part in (estimate.low, estimate.mean, estimate.high)
    )
    return (
        f'<text x="{_LEFT_PIXELS - 10}" y="{top + 5}" text-anchor="end">{html.escape(route)}</text>'
        f'<line x1="{low:.1f}" x2="{high:.1f}" y1="{top}" y2="{top}" stroke="#888"'
        ' stroke-width="2"/>'
        f'<circle cx="{middle:.1f}" cy="{top}" r="5" fill="#1a5fb4"/>'
        f'<text x="{_LEFT_PIXELS + _WIDTH_PIXELS + 10}" y="{top + 5}">{estimate.mean:.3f}</text>'
    )
