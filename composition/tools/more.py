"""The tool that goes on in a page which was shown in part."""

from returns.result import Failure, Result, Success

from ...kernel.arguments import check_more
from ...kernel.envelopes import piece_envelope
from ...kernel.page_budget import web_more
from ...kernel.text.trim import Budget
from ...ports.errors import WebError
from ...ports.stores import TextStore
from ...ports.tools import MoreArguments
from .descriptions import MORE_FIELDS, MORE_WORDS
from .web_tools import Arguments, Tool, ToolAnswer, Trace, failure_or_none

# A piece for a model that did not say how much it wants.
PIECE_CHARS = 20_000


def more_tool(texts: Result[TextStore, WebError], characters: int = PIECE_CHARS) -> Tool:
    """Return ``web_more`` over the texts that ``web_extract`` keeps."""

    async def run(args: Arguments, _trace: Trace) -> Result[ToolAnswer, WebError]:
        checked = check_more(args)
        if isinstance(checked, Failure):
            return checked
        arguments = checked.unwrap()
        budget = Budget(characters=arguments.char_limit or characters)
        piece = await web_more(arguments.handle, arguments.cursor, budget, texts.unwrap())
        return piece.map(lambda it: ToolAnswer(envelope=piece_envelope(Success(it)), outcome=it))

    return Tool(
        name="web_more",
        description=MORE_WORDS,
        arguments=MoreArguments,
        explained=MORE_FIELDS,
        aliases={},
        judge=lambda args: failure_or_none(check_more(args)),
        run=run,
        unavailable=failure_or_none(texts),
    )
