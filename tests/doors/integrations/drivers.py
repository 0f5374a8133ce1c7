"""How each framework calls a tool, the way its own agents do: sync where it can, and async.

A driver gives what the model is told, and whether the framework takes it for a failure.
"""

import asyncio
import json
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from webseam import BlockingWeb, integrations


class Told(NamedTuple):
    text: str
    failed: bool


Driver = Callable[[BlockingWeb, str, dict[str, Any]], Told]


def named(tools: list[Any], name: str) -> Any:
    return next(tool for tool in tools if tool.name == name)


def langchain(web: BlockingWeb, name: str, args: dict[str, Any]) -> Told:
    tool = named(integrations.langchain_tools(web), name)
    message = tool.invoke({"type": "tool_call", "id": "1", "name": name, "args": args})
    return Told(message.content, message.status == "error")


def langchain_async(web: BlockingWeb, name: str, args: dict[str, Any]) -> Told:
    tool = named(integrations.langchain_tools(web), name)
    call = {"type": "tool_call", "id": "1", "name": name, "args": args}
    message = asyncio.run(tool.ainvoke(call))
    return Told(message.content, message.status == "error")


def llama_index(web: BlockingWeb, name: str, args: dict[str, Any]) -> Told:
    from llama_index.core.tools.calling import call_tool

    tools = {tool.metadata.name: tool for tool in integrations.llama_index_tools(web)}
    output = call_tool(tools[name], args)
    return Told(output.content, output.is_error)


def llama_index_async(web: BlockingWeb, name: str, args: dict[str, Any]) -> Told:
    from llama_index.core.tools.calling import acall_tool

    tools = {tool.metadata.name: tool for tool in integrations.llama_index_tools(web)}
    output = asyncio.run(acall_tool(tools[name], args))
    return Told(output.content, output.is_error)


def _pydantic_agent(web: BlockingWeb, name: str, args: dict[str, Any]) -> Any:
    from pydantic_ai import Agent
    from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
    from pydantic_ai.models.function import FunctionModel

    def model(messages: Any, _info: Any) -> ModelResponse:
        if len(messages) == 1:
            return ModelResponse(parts=[ToolCallPart(name, args)])
        return ModelResponse(parts=[TextPart("done")])

    return Agent(FunctionModel(model), tools=integrations.pydantic_ai_tools(web))


def _pydantic_told(result: Any) -> Told:
    content = result.all_messages()[2].parts[0].content
    # A retry, or a failure that is told: words in place of the reply.
    return Told(
        content if isinstance(content, str) else json.dumps(content), isinstance(content, str)
    )


def pydantic_ai(web: BlockingWeb, name: str, args: dict[str, Any]) -> Told:
    return _pydantic_told(_pydantic_agent(web, name, args).run_sync("go"))


def pydantic_ai_async(web: BlockingWeb, name: str, args: dict[str, Any]) -> Told:
    return _pydantic_told(asyncio.run(_pydantic_agent(web, name, args).run("go")))


def openai_agents(web: BlockingWeb, name: str, args: dict[str, Any]) -> Told:
    from agents.tool_context import ToolContext

    tool = named(integrations.openai_agents_tools(web), name)
    text = json.dumps(args)
    context = ToolContext(context=None, tool_name=name, tool_call_id="1", tool_arguments=text)
    reply = asyncio.run(tool.on_invoke_tool(context, text))
    return Told(reply, not reply.startswith("{"))


def claude_agent(web: BlockingWeb, name: str, args: dict[str, Any]) -> Told:
    assert integrations.claude_agent_server(web)["name"] == "webseam"
    tool = named(integrations.claude_agent_tools(web), name)
    reply = asyncio.run(tool.handler(args))
    return Told(reply["content"][0]["text"], reply["is_error"])


def crewai(web: BlockingWeb, name: str, args: dict[str, Any]) -> Told:
    return _crew_told(named(integrations.crewai_tools(web), name).run(**args))


def crewai_async(web: BlockingWeb, name: str, args: dict[str, Any]) -> Told:
    return _crew_told(asyncio.run(named(integrations.crewai_tools(web), name).arun(**args)))


def _crew_told(said: Any) -> Told:
    return Told(said, failed=False) if isinstance(said, str) else Told(said.message, failed=True)


def smolagents(web: BlockingWeb, name: str, args: dict[str, Any]) -> Told:
    from smolagents import ToolCallingAgent
    from smolagents.models import Model

    agent = ToolCallingAgent(tools=integrations.smolagents_tools(web), model=Model())
    try:
        return Told(agent.execute_tool_call(name, args), failed=False)
    except Exception as error:  # noqa: BLE001  what the agent tells its model of
        return Told(str(error), failed=True)


def _agno_call(web: BlockingWeb, name: str, args: dict[str, Any]) -> Any:
    from agno.tools.function import FunctionCall

    return FunctionCall(function=named(integrations.agno_tools(web), name), arguments=args)


def agno(web: BlockingWeb, name: str, args: dict[str, Any]) -> Told:
    done = _agno_call(web, name, args).execute()
    return Told(done.result or done.error, done.status == "failure")


def agno_async(web: BlockingWeb, name: str, args: dict[str, Any]) -> Told:
    done = asyncio.run(_agno_call(web, name, args).aexecute())
    return Told(done.result or done.error, done.status == "failure")


def google_adk(web: BlockingWeb, name: str, args: dict[str, Any]) -> Told:
    tool = named(integrations.google_adk_tools(web), name)
    assert tool._get_declaration().name == name  # noqa: SLF001  as the framework asks for it
    reply = asyncio.run(tool.run_async(args=args, tool_context=None))
    return Told(json.dumps(reply), reply["status"] == "error")


# Each with the module that must be there for it.
DRIVERS: dict[str, tuple[Driver, str]] = {
    "agno": (agno, "agno"),
    "agno async": (agno_async, "agno"),
    "claude agent sdk": (claude_agent, "claude_agent_sdk"),
    "crewai": (crewai, "crewai"),
    "crewai async": (crewai_async, "crewai"),
    "google adk": (google_adk, "google.adk"),
    "langchain": (langchain, "langchain_core"),
    "langchain async": (langchain_async, "langchain_core"),
    "llamaindex": (llama_index, "llama_index.core"),
    "llamaindex async": (llama_index_async, "llama_index.core"),
    "openai agents": (openai_agents, "agents"),
    "pydantic-ai": (pydantic_ai, "pydantic_ai"),
    "pydantic-ai async": (pydantic_ai_async, "pydantic_ai"),
    "smolagents": (smolagents, "smolagents"),
}


def driver(name: str) -> Driver:
    """Return how a framework calls a tool; skip the test where the framework is not installed."""
    call, module = DRIVERS[name]
    pytest.importorskip(module, reason=f"{module} is not installed: make integrations")
    return call
