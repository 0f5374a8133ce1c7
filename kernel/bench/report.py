"""A comparison as text, and as one HTML page with plots that needs nothing else."""

import html
from collections.abc import Sequence

from ...ports.bench import Estimate, Pairing, RouteScore

_STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:56rem;margin:2rem auto;padding:0 1rem}"
    "table{border-collapse:collapse}td,th{padding:.2rem .8rem;text-align:right}"
    "td:first-child,th:first-child{text-align:left}svg{display:block;margin:1rem 0}"
)
_LEFT, _WIDTH, _ROW = 160, 480, 28


def report_text(scores: Sequence[RouteScore], pairs: Sequence[Pairing], most: int) -> str:
    """Return the comparison for a terminal."""
    lines = [_text_of(score, most) for score in scores]
    lines += [sentence(pair) for pair in pairs]
    return "\n".join(lines)


def _text_of(score: RouteScore, most: int) -> str:
    measures = [
        f"{name}@{most} {_estimate(estimate)}"
        for name, estimate in (("hit", score.hit), ("nDCG", score.ndcg), ("answer", score.answer))
        if estimate is not None
    ]
    failed = ", ".join(f"{count} {kind}" for kind, count in sorted(score.failures.items()))
    cost = "" if score.cost is None else f", ${score.cost:.4f}"
    time = f"median {score.median_seconds:.2f} s, p95 {score.slow_seconds:.2f} s"
    head = f"{score.route}: {score.asked} asked, {failed or 'none'} failed, {time}{cost}"
    return "\n  ".join([head, *measures])


def _estimate(estimate: Estimate) -> str:
    return f"{estimate.mean:.3f} [{estimate.low:.3f}, {estimate.high:.3f}] of {estimate.count}"


def sentence(pair: Pairing) -> str:
    """Return what a pairing says, also that it says nothing.

    >>> sentence(Pairing(one="a", two="b", measure="hit", wins=3, losses=2, ties=5, p=1.0))
    'hit: a better on 3, b on 2, alike on 5: this may be chance (p = 1.000)'
    """
    counts = f"{pair.one} better on {pair.wins}, {pair.two} on {pair.losses}, alike on {pair.ties}"
    verdict = "this may be chance" if pair.is_noise else "hardly chance"
    return f"{pair.measure}: {counts}: {verdict} (p = {pair.p:.3f})"


def report_html(scores: Sequence[RouteScore], pairs: Sequence[Pairing], most: int) -> str:
    """Return the comparison as a page: tables, plots with intervals, and the tests."""
    plots = [
        _plot(f"{name}@{most}", [(score.route, getattr(score, field)) for score in scores])
        for name, field in (("hit", "hit"), ("nDCG", "ndcg"), ("answer", "answer"))
    ]
    rows = "".join(_html_row(score) for score in scores)
    tests = "".join(f"<li>{html.escape(sentence(pair))}</li>" for pair in pairs)
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>webseam bench</title>'
        f"<style>{_STYLE}</style><h1>Search, compared</h1>{''.join(plots)}"
        "<h2>Time, failures, cost</h2><table><tr><th>route</th><th>asked</th><th>failed</th>"
        f"<th>median</th><th>p95</th><th>cost</th></tr>{rows}</table>"
        "<h2>Is it more than chance?</h2>"
        f"<ul>{tests or '<li>There is one route.</li>'}</ul></html>\n"
    )


def _html_row(score: RouteScore) -> str:
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


def _plot(title: str, estimates: Sequence[tuple[str, Estimate | None]]) -> str:
    known = [(route, estimate) for route, estimate in estimates if estimate is not None]
    if not known:
        return ""
    height = _ROW * len(known) + 24
    bars = "".join(_bar(at, route, estimate) for at, (route, estimate) in enumerate(known))
    return (
        f"<h2>{html.escape(title)}</h2>"
        f'<svg viewBox="0 0 {_LEFT + _WIDTH + 80} {height}" role="img"'
        f' aria-label="{html.escape(title)}">{bars}</svg>'
    )


def _bar(at: int, route: str, estimate: Estimate) -> str:
    top = at * _ROW + 14
    low, middle, high = (
        _LEFT + _WIDTH * part for part in (estimate.low, estimate.mean, estimate.high)
    )
    return (
        f'<text x="{_LEFT - 10}" y="{top + 5}" text-anchor="end">{html.escape(route)}</text>'
        f'<line x1="{low:.1f}" x2="{high:.1f}" y1="{top}" y2="{top}" stroke="#888"'
        ' stroke-width="2"/>'
        f'<circle cx="{middle:.1f}" cy="{top}" r="5" fill="#1a5fb4"/>'
        f'<text x="{_LEFT + _WIDTH + 10}" y="{top + 5}">{estimate.mean:.3f}</text>'
    )
