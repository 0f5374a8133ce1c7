"""What the makers' own packages take: judged by mypy and pyright, never run."""

from webseam import anthropic_tools, gemini_tools, mcp_tools, openai_responses_tools, openai_tools
from webseam.testing import fake_tools

QUESTION = "When is high tide?"


def openai() -> None:
    from openai import OpenAI

    tools = fake_tools()
    OpenAI().chat.completions.create(
        model="m", messages=[{"role": "user", "content": QUESTION}], tools=openai_tools(tools)
    )
    OpenAI().responses.create(model="m", input=QUESTION, tools=openai_responses_tools(tools))


def anthropic() -> None:
    from anthropic import Anthropic

    Anthropic().messages.create(
        model="m",
        max_tokens=100,
        messages=[{"role": "user", "content": QUESTION}],
        tools=anthropic_tools(fake_tools()),
    )


def gemini() -> None:
    from google import genai

    genai.Client().models.generate_content(
        model="m", contents=QUESTION, config={"tools": [*gemini_tools(fake_tools())]}
    )


def mcp() -> None:
    from mcp.types import Tool

    for tool in mcp_tools(fake_tools()):
        Tool.model_validate(tool)
