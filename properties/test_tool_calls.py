"""Whatever plugins answer and whatever is asked: one JSON object, no failure made a success."""

import asyncio
import json
from typing import Any

from hypothesis import given, strategies as st
from returns.result import Failure, Success

from webseam.composition.features.testing.strategies import errors, json_values
from webseam.composition.features.testing.strategies.hostile import exceptions
from webseam.composition.session import Session
from webseam.composition.tools import Tools, web_tools
from webseam.kernel import WebDeps
from webseam.ports import Hook, Middleware, WebError
from webseam.ports.middleware import Callbacks
from webseam.testing import FakeBackend

ROWS = [{"title": "A", "url": "https://a.example/", "snippet": "about a"}]
ARGS = (
    st.just({"query": "q"})
    | st.dictionaries(st.sampled_from(["query", "limit", "url"]), json_values())
    | json_values()
    | st.text()
)
ANSWERS = st.one_of(
    json_values(),
    json_values().map(json.dumps),
    st.fixed_dictionaries({"args": ARGS}),
    st.fixed_dictionaries(
        {"action": st.sampled_from(["block", "approve", "modify"]), "args": ARGS}
    ),
    st.fixed_dictionaries({"success": st.booleans(), "error": json_values()}),
    st.builds(object),
    errors().map(Failure),
    json_values().map(Success),
    exceptions(),
)
PLANS = st.tuples(ANSWERS, st.booleans(), st.sampled_from(["open", "closed"]))


def callback(answer: object, *, goes_on: bool) -> Any:  # noqa: ANN401  any callback
    async def called(**told: Any) -> object:  # noqa: ANN401  whatever it is told
        if goes_on and "next_call" in told:
            await told["next_call"]()
        if isinstance(answer, BaseException):
            raise answer
        return answer

    return called


@given(
    execution=st.lists(PLANS, max_size=2),
    request=st.lists(PLANS, max_size=2),
    hooks=st.lists(
        st.tuples(
            st.sampled_from(["pre_tool_call", "post_tool_call", "transform_tool_result"]), PLANS
        ),
        max_size=3,
    ),
    args=ARGS,
    error=st.none() | errors(),
)
def test_a_call_is_answered_with_one_envelope(
    execution: list[Any],
    request: list[Any],
    hooks: list[Any],
    args: object,
    error: WebError | None,
) -> None:
    backend = FakeBackend(rows=ROWS, search=None if error is None else Failure(error))
    deps = Success(WebDeps(backend=backend))
    chains = (("tool_execution", execution), ("tool_request", request))
    middleware = tuple(
        Middleware(kind=kind, callback=callback(answer, goes_on=goes), plugin="p", on_error=how)
        for kind, plans in chains
        for answer, goes, how in plans
    )
    heard = tuple(
        Hook(name=name, callback=callback(answer, goes_on=goes), plugin="p", on_error=how)
        for name, (answer, goes, how) in hooks
    )
    around = Session(
        callbacks=Callbacks(middleware=middleware, hooks=heard), log=lambda _mishap: None
    )

    text = asyncio.run(Tools(web_tools(deps, deps), around).call("web_search", args))

    envelope = json.loads(text)
    assert isinstance(envelope, dict)
    assert type(envelope["success"]) is bool
    if not envelope["success"]:
        assert envelope["error"]
        assert envelope["failure"]["kind"]
    if error is not None and backend.searched:
        assert envelope["success"] is False
