"""Count what a backtracking search does, and find the texts on which it does too much.

``worst_growth`` reads a pattern's own structure. Its positions make an automaton; two ways through a
loop on the same text make a pump (Weideman et al., "Analyzing matching time behavior of backtracking
regular expression matchers", 2016); a search that may begin anywhere is one more loop. The automaton
knows no assertion and no possessive repeat, so that it finds too many pumps and not too few. Each is then
counted: ``CountedPattern`` matches as ``re`` does and counts every step, so that no clock is asked.
"""

import re
import sys
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from itertools import islice, product
from typing import Any, NamedTuple

# Python's own parser of patterns, and the names of its nodes.
SRE: Any = import_module("re._constants")
_PARSER: Any = import_module("re._parser")
MAX_GROWTH = 2.5
SIZES = (1, 2, 4)
# The shortest text is so long, and has the pump so often.
_MIN_CHARS, _MIN_PUMPS = 128, 16
# A bounded repeat of this many rounds or more is a loop of the automaton.
_LOOP_ROUNDS = 48
_MAX_PAIRS = 1_000
_MAX_PUMPS = 60
# Of two loops, or of one, so many pairs of positions are tried.
_MAX_TRIES, _MAX_STARTS = 64, 2
_MAX_SUFFIXES = 5
# The budget of the first size, for each pair of characters; what is exponential ends here.
_MAX_STEPS = 40
_USUAL_CHARS = "aZ0_ \t\n\r!-.\x00é中\x85\u00a0"
_CATEGORIES = {
    SRE.CATEGORY_DIGIT: r"\d", SRE.CATEGORY_NOT_DIGIT: r"\D", SRE.CATEGORY_SPACE: r"\s",
    SRE.CATEGORY_NOT_SPACE: r"\S", SRE.CATEGORY_WORD: r"\w", SRE.CATEGORY_NOT_WORD: r"\W",
}  # fmt: skip
_Test = Callable[[str], bool]
_Rest = Callable[[int], bool]
_Matcher = Callable[[int, _Rest], bool]


class TooMuchWorkError(Exception):
    """The count passed its budget."""


def _char_test(op: Any, argument: Any, flags: int) -> _Test:  # noqa: ANN401  sre's own values
    """Return the test of one node that takes one character."""
    if op is SRE.ANY:
        return (lambda _: True) if flags & re.DOTALL else (lambda char: char != "\n")
    if op in (SRE.LITERAL, SRE.NOT_LITERAL):
        source = re.escape(chr(argument))
        source = source if op is SRE.LITERAL else f"[^{source}]"
    else:
        source = "[" + "".join(map(_set_item, argument)) + "]"
    matcher = re.compile(source, flags & (re.IGNORECASE | re.ASCII)).match
    answers: dict[str, bool] = {}

    def test(char: str) -> bool:
        if char not in answers:
            answers[char] = matcher(char) is not None
        return answers[char]

    return test


def _set_item(item: tuple[Any, Any]) -> str:
    op, argument = item
    if op is SRE.NEGATE:
        return "^"
    if op is SRE.LITERAL:
        return re.escape(chr(argument))
    if op is SRE.RANGE:
        return "-".join(re.escape(chr(border)) for border in argument)
    return _CATEGORIES[argument]


def _borders(op: Any, argument: Any) -> Iterator[int]:  # noqa: ANN401
    """Yield the code points at which the answer of a node may change."""
    if op in (SRE.LITERAL, SRE.NOT_LITERAL):
        yield argument
    elif op is SRE.IN:
        for kind, value in argument:
            if kind is SRE.LITERAL:
                yield value
            elif kind is SRE.RANGE:
                yield from value


_TAKING = (SRE.LITERAL, SRE.NOT_LITERAL, SRE.ANY, SRE.IN)
_REPEATS = (SRE.MAX_REPEAT, SRE.MIN_REPEAT, SRE.POSSESSIVE_REPEAT)


class CountedPattern:
    """A pattern that is matched as ``re`` matches it, and whose steps are counted."""

    def __init__(self, pattern: str | bytes, flags: int) -> None:
        source = pattern.decode("latin-1") if isinstance(pattern, bytes) else pattern
        flags |= re.ASCII if isinstance(pattern, bytes) else 0
        self.tree = _PARSER.parse(source, flags)
        self.flags = self.tree.state.flags
        self.text = ""
        self.steps = 0
        self.budget = 0
        self.spans: dict[int, tuple[int, int]] = {}
        self._match = self._sequence(list(self.tree), self.flags)

    def count(self, text: str, budget: int, *, anchored: bool) -> int:
        """Return the steps of one match, or of all matches; more than the budget is ``TooMuchWorkError``."""
        self.text, self.steps, self.budget = text, 0, budget
        self.matches: list[tuple[int, int]] = []
        at = 0
        while at <= len(text):
            self.spans.clear()
            ends: list[int] = []
            self._step()
            found = self._match(at, lambda end, ends=ends: not ends.append(end))  # type: ignore[misc]
            if found:
                self.matches.append((at, ends[0]))
            if anchored:
                break
            at = ends[0] if found and ends[0] > at else at + 1
        return self.steps

    def _step(self, steps: int = 1) -> None:
        self.steps += steps
        if self.steps > self.budget:
            raise TooMuchWorkError

    def _sequence(self, nodes: Sequence[Any], flags: int) -> _Matcher:
        matchers = [self._node(op, argument, flags) for op, argument in nodes]
        if len(matchers) == 1:
            return matchers[0]

        def run(index: int, at: int, rest: _Rest) -> bool:
            if index == len(matchers):
                return rest(at)
            return matchers[index](at, lambda end: run(index + 1, end, rest))

        return lambda at, rest: run(0, at, rest)

    def _node(self, op: Any, argument: Any, flags: int) -> _Matcher:  # noqa: ANN401
        if op in _TAKING:
            return self._char(_char_test(op, argument, flags))
        if op is SRE.SUBPATTERN:
            group, added, removed, body = argument
            return self._group(group, self._sequence(list(body), (flags | added) & ~removed))
        if op is SRE.BRANCH:
            return self._branch([self._sequence(list(body), flags) for body in argument[1]])
        if op in _REPEATS:
            low, high, body = argument
            return self._repeat(op, low, high, body, flags)
        if op is SRE.ATOMIC_GROUP:
            return self._atomic(self._sequence(list(argument), flags))
        if op in (SRE.ASSERT, SRE.ASSERT_NOT):
            direction, body = argument
            return self._look(direction, body, flags, wanted=op is SRE.ASSERT)
        if op is SRE.AT:
            return self._border(argument, flags)
        if op is SRE.GROUPREF:
            return self._again(argument)
        if op is SRE.FAILURE:
            return lambda _at, _rest: False
        raise NotImplementedError(op)

    def _char(self, test: _Test) -> _Matcher:
        def match(at: int, rest: _Rest) -> bool:
            self._step()
            return at < len(self.text) and test(self.text[at]) and rest(at + 1)

        return match

    def _group(self, group: int | None, body: _Matcher) -> _Matcher:
        def match(at: int, rest: _Rest) -> bool:
            def close(end: int) -> bool:
                before = self.spans.get(group)  # type: ignore[arg-type]
                self.spans[group] = (at, end)  # type: ignore[index]
                if rest(end):
                    return True
                if before is None:
                    self.spans.pop(group, None)  # type: ignore[arg-type]
                else:
                    self.spans[group] = before  # type: ignore[index]
                return False

            return body(at, close)

        return body if group is None else match

    def _branch(self, bodies: Sequence[_Matcher]) -> _Matcher:
        def match(at: int, rest: _Rest) -> bool:
            for body in bodies:
                self._step()
                if body(at, rest):
                    return True
            return False

        return match

    def _repeat(self, op: Any, low: int, high: int, body: Any, flags: int) -> _Matcher:  # noqa: ANN401
        if len(body) == 1 and body[0][0] in _TAKING:
            return self._char_repeat(op, low, high, _char_test(body[0][0], body[0][1], flags))
        once = self._sequence(list(body), flags)

        def rounds(number: int, at: int, rest: _Rest) -> bool:
            self._step()

            def again(end: int) -> bool:
                return (end > at or number < low) and rounds(number + 1, end, rest)

            if number < low:
                return once(at, again)
            if op is SRE.MIN_REPEAT:
                return rest(at) or (number < high and once(at, again))
            return (number < high and once(at, again)) or rest(at)

        if op is SRE.POSSESSIVE_REPEAT:
            return self._atomic(lambda at, rest: rounds(0, at, rest))
        return lambda at, rest: rounds(0, at, rest)

    def _char_repeat(self, op: Any, low: int, high: int, test: _Test) -> _Matcher:  # noqa: ANN401
        def reach(at: int, most: int) -> int:
            end, limit = at, min(len(self.text), at + most)
            while end < limit and test(self.text[end]):
                end += 1
            self._step(end - at + 1)
            return end

        def match(at: int, rest: _Rest) -> bool:
            if op is SRE.MIN_REPEAT:
                end = reach(at, low)
                while end - at >= low:
                    self._step()
                    if rest(end):
                        return True
                    if end - at >= high or reach(end, 1) == end:
                        return False
                    end += 1
                return False
            end = reach(at, high)
            if op is SRE.POSSESSIVE_REPEAT:
                return end - at >= low and rest(end)
            while end - at >= low:
                self._step()
                if rest(end):
                    return True
                end -= 1
            return False

        return match

    def _atomic(self, body: _Matcher) -> _Matcher:
        def match(at: int, rest: _Rest) -> bool:
            ends: list[int] = []
            return body(at, lambda end: not ends.append(end)) and rest(ends[0])  # type: ignore[func-returns-value]

        return match

    def _look(self, direction: int, body: Any, flags: int, *, wanted: bool) -> _Matcher:  # noqa: ANN401
        inner = self._sequence(list(body), flags)
        width = body.getwidth()[0] if direction < 0 else 0

        def match(at: int, rest: _Rest) -> bool:
            self._step()
            found = at >= width and inner(at - width, lambda _: True)
            return found is wanted and rest(at)

        return match

    def _border(self, place: Any, flags: int) -> _Matcher:  # noqa: ANN401
        is_word = re.compile(r"\w", flags & re.ASCII).match

        def word_at(at: int) -> bool:
            return 0 <= at < len(self.text) and is_word(self.text[at]) is not None

        def holds(at: int) -> bool:
            if place in (SRE.AT_BOUNDARY, SRE.AT_NON_BOUNDARY):
                return (word_at(at - 1) != word_at(at)) is (place is SRE.AT_BOUNDARY)
            many = flags & re.MULTILINE and place in (SRE.AT_BEGINNING, SRE.AT_END)
            if place in (SRE.AT_BEGINNING, SRE.AT_BEGINNING_STRING):
                return at == 0 or bool(many and self.text[at - 1] == "\n")
            if place is SRE.AT_END_STRING:
                return at == len(self.text)
            return self.text[at:] in ("", "\n") or bool(many and self.text[at] == "\n")

        def match(at: int, rest: _Rest) -> bool:
            self._step()
            return holds(at) and rest(at)

        return match

    def _again(self, group: int) -> _Matcher:
        def match(at: int, rest: _Rest) -> bool:
            span = self.spans.get(group)
            if span is None:
                return False
            said = self.text[slice(*span)]
            self._step(len(said) + 1)
            return self.text.startswith(said, at) and rest(at + len(said))

        return match


class _Part(NamedTuple):
    """A part of a pattern: its first and last positions, and whether it may be empty."""

    first: Counter[int]
    last: Counter[int]
    empty: bool


class _Automaton:
    """The positions of a pattern, and which may follow which on which character.

    Position 0 stands before the pattern; a search stays there as long as it likes.
    """

    def __init__(self, counted: CountedPattern, *, anchored: bool) -> None:
        self.tests: list[_Test] = [lambda _: not anchored]
        self.follow: dict[int, Counter[int]] = {0: Counter() if anchored else Counter([0])}
        self.borders: set[int] = set()
        self.reach: dict[int, set[int]] = {}
        self.before: dict[int, set[int]] = {}
        body = self._sequence(list(counted.tree), counted.flags)
        self.follow[0] += body.first
        for position in self.follow:
            self.follow[position] = +self.follow[position]
        self.chars = self._classes()
        self.masks = [
            sum(1 << index for index, char in enumerate(self.chars) if test(char))
            for test in self.tests
        ]

    def _classes(self) -> list[str]:
        """Return one character for each group that all positions treat alike."""
        chars = dict.fromkeys(_USUAL_CHARS)
        for border in sorted(self.borders):
            for code in (border, border - 1, border + 1):
                if 0 <= code <= sys.maxunicode:
                    chars.update(dict.fromkeys((chr(code), chr(code).swapcase()[:1])))
        groups: dict[tuple[bool, ...], str] = {}
        for char in chars:
            groups.setdefault(tuple(test(char) for test in self.tests), char)
        return list(groups.values())

    def _link(self, last: Counter[int], first: Counter[int]) -> None:
        for position, ways in last.items():
            for following, more in first.items():
                self.follow[position][following] = min(
                    2, self.follow[position][following] + ways * more
                )

    def _sequence(self, nodes: Sequence[Any], flags: int) -> _Part:
        whole = _Part(Counter(), Counter(), empty=True)
        for op, argument in nodes:
            whole = self._joined(whole, self._node(op, argument, flags))
        return whole

    def _joined(self, left: _Part, right: _Part) -> _Part:
        self._link(left.last, right.first)
        return _Part(
            left.first + right.first if left.empty else left.first,
            left.last + right.last if right.empty else right.last,
            left.empty and right.empty,
        )

    def _node(self, op: Any, argument: Any, flags: int) -> _Part:  # noqa: ANN401
        if op in _TAKING:
            position = len(self.tests)
            self.tests.append(_char_test(op, argument, flags))
            self.borders.update(_borders(op, argument))
            self.follow[position] = Counter()
            return _Part(Counter([position]), Counter([position]), empty=False)
        if op is SRE.SUBPATTERN:
            return self._sequence(list(argument[3]), (flags | argument[1]) & ~argument[2])
        if op is SRE.ATOMIC_GROUP:
            return self._sequence(list(argument), flags)
        if op is SRE.BRANCH:
            parts = [self._sequence(list(body), flags) for body in argument[1]]
            first: Counter[int] = sum((part.first for part in parts), Counter())
            last: Counter[int] = sum((part.last for part in parts), Counter())
            return _Part(first, last, any(part.empty for part in parts))
        if op in _REPEATS:
            low, high, body = argument
            return self._repeat(low, high, body, flags)
        if op in (SRE.ASSERT, SRE.ASSERT_NOT) and argument[0] > 0:
            # A look ahead is work on the side: its positions lead nowhere.
            inner = self._sequence(list(argument[1]), flags)
            return _Part(inner.first, Counter(), empty=True)
        if op is SRE.GROUPREF:
            position = len(self.tests)
            self.tests.append(lambda _: True)
            self.follow[position] = Counter([position])
            return _Part(Counter([position]), Counter([position]), empty=True)
        return _Part(Counter(), Counter(), empty=True)

    def _repeat(self, low: int, high: int, body: Any, flags: int) -> _Part:  # noqa: ANN401
        is_loop = high >= _LOOP_ROUNDS
        whole = _Part(Counter(), Counter(), empty=True)
        copies = max(min(low, 4), 1) if is_loop else max(min(low, 4), min(high, low + 1, 5))
        for number in range(copies):
            once = self._sequence(list(body), flags)
            if is_loop and number == copies - 1:
                self._link(once.last, once.first)
            optional = number >= low
            whole = self._joined(whole, _Part(once.first, once.last, once.empty or optional))
        return whole

    def rare_chars(self) -> list[str]:
        """Return the characters that the fewest positions take, on which a match is likely to fail."""
        counts = [sum(mask >> index & 1 for mask in self.masks) for index in range(len(self.chars))]
        ranked = sorted(range(len(self.chars)), key=counts.__getitem__)
        return [self.chars[index] for index in ranked[:_MAX_SUFFIXES]]

    def pumps(self) -> Iterator[tuple[str, str]]:
        """Yield the way to a loop, and a text that passes it in two ways."""
        loops = self._loops()
        names = {position: min(group) for position, group in loops.items()}
        tried = Counter[tuple[int, int]]()
        for start, goal in product(loops, loops):
            pair = (names[start], names[goal])
            # Two ways round one loop are seen from any of its positions.
            is_one = pair[0] == pair[1]
            if tried[pair] >= (_MAX_STARTS if is_one else _MAX_TRIES) or (is_one and start != goal):
                continue
            if start in self._before(goal):
                tried[pair] += 1
                pump = self._pump(start, loops[start], goal, loops[goal])
                if pump:
                    yield self._way(start), pump

    def _loops(self) -> dict[int, frozenset[int]]:
        """Return the positions that lead back to themselves, each with those of its loop."""
        reach = self.reach
        for start in self.follow:
            seen: set[int] = set()
            todo = list(self.follow[start])
            while todo:
                position = todo.pop()
                if position not in seen:
                    seen.add(position)
                    todo += self.follow[position]
            reach[start] = seen
        return {
            start: frozenset(other for other in seen if start in reach[other])
            for start, seen in reach.items()
            if start in seen
        }

    def _way(self, goal: int) -> str:
        """Return the shortest text from the start to a position."""
        texts = {0: ""}
        queue = deque([0])
        while queue and goal not in texts:
            position = queue.popleft()
            for following in self.follow[position]:
                if following not in texts and self.masks[following]:
                    char = self.chars[
                        (self.masks[following] & -self.masks[following]).bit_length() - 1
                    ]
                    texts[following] = texts[position] + char
                    queue.append(following)
        return texts.get(goal, "")

    def _pump(self, start: int, group: frozenset[int], goal: int, home: frozenset[int]) -> str:
        """Return a text that leads from ``start`` to itself and to ``goal``, and ``goal`` to itself."""
        begin = (start, start, goal, start != goal)
        texts = {begin: ""}
        queue = deque([begin])
        while queue and len(texts) < _MAX_PAIRS:
            state = queue.popleft()
            left, middle, right, parted = state
            before = self._before(goal)
            lefts = self.follow[left].keys() & group
            rights = self.follow[right].keys() & home
            pairs = product(lefts, rights) if start != goal else zip(lefts, lefts, strict=True)
            masks = [
                (one, three, mask)
                for one, three in pairs
                if (mask := self.masks[one] & self.masks[three])
            ]
            for (one, three, both), two in product(masks, self.follow[middle].keys() & before):
                mask = both & self.masks[two]
                if not mask:
                    continue
                twice = self.follow[middle][two] > 1 and left == middle
                now = (one, two, three, parted or one != two or twice)
                text = texts[state] + self.chars[(mask & -mask).bit_length() - 1]
                if now == (start, goal, goal, True):
                    return text
                if now not in texts:
                    texts[now] = text
                    queue.append(now)
        return ""

    def _before(self, goal: int) -> set[int]:
        """Return the positions from which a position can be reached."""
        if goal not in self.before:
            self.before[goal] = {start for start, seen in self.reach.items() if goal in seen} | {
                goal
            }
        return self.before[goal]


class Growth(NamedTuple):
    """What a text costs at three sizes, each twice the one before."""

    prefix: str
    pump: str
    suffix: str
    steps: tuple[int, ...]

    @property
    def is_linear(self) -> bool:
        """Whether the last doubling costs at most ``MAX_GROWTH`` times as much."""
        return self.steps[-1] <= MAX_GROWTH * self.steps[-2]


@contextmanager
def deep_recursion() -> Iterator[None]:
    """Let the matcher call itself once for each round of a loop."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(200_000)
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)


def worst_growth(pattern: str | bytes, flags: int, *, anchored: bool) -> Growth | None:
    """Return a text on which the pattern is worse than linear, or None."""
    counted = CountedPattern(pattern, flags)
    automaton = _Automaton(counted, anchored=anchored)
    suffixes = ("", *automaton.rare_chars())
    with deep_recursion():
        for prefix, pump in islice(dict.fromkeys(automaton.pumps()), _MAX_PUMPS):
            for suffix in suffixes:
                growth = measured_growth(counted, prefix, pump, suffix, anchored=anchored)
                if not growth.is_linear:
                    return growth
    return None


def measured_growth(
    counted: CountedPattern, prefix: str, pump: str, suffix: str, *, anchored: bool
) -> Growth:
    """Count the steps at every size, and stop at a size that shows linear work."""
    steps: list[int] = []
    pumps = max(_MIN_CHARS // len(pump), _MIN_PUMPS)
    for times in SIZES:
        text = prefix + pump * (pumps * times) + suffix
        size = len(text)
        try:
            budget = int(steps[-1] * MAX_GROWTH) + 1 if len(steps) > 1 else _MAX_STEPS * size * size
            steps.append(counted.count(text, budget, anchored=anchored))
        except (TooMuchWorkError, RecursionError):
            steps.append(max(_MAX_STEPS * size * size, 1 + int(MAX_GROWTH * (steps or [0])[-1])))
            break
        if len(steps) == 2 and steps[1] <= MAX_GROWTH * steps[0]:
            break
    if len(steps) == 1:
        steps = [0, *steps]
    return Growth(prefix, pump, suffix, tuple(steps))
