"""A test build: the product's server with the fixture tools that the conformance suite wants.

``python -m tests.doors.mcp.suite.fixtures stdio`` or ``... http PORT``.
"""

import asyncio
import base64
import hashlib
import hmac
import json
import sys
from collections.abc import Awaitable, Callable
from typing import Any

import uvicorn

from webseam.composition.doors.mcp import stdio
from webseam.composition.doors.mcp.exchange import McpExchange, McpSession, Send
from webseam.composition.doors.mcp.json_rpc import (
    CAPABILITIES_KEY,
    INVALID_PARAMS,
    MISSING_CAPABILITY,
    TASKS_KEY,
    Json,
    Response,
    RpcError,
    RpcRequest,
)
from webseam.composition.doors.mcp.mcp_server import Handler, McpServer
from webseam.composition.doors.mcp.mcp_tasks import MISSING_TASKS_ERROR
from webseam.composition.doors.mcp.offer import Outcome
from webseam.composition.doors.mcp.toolset import UsersTools
from webseam.composition.doors.mcp.web_offer import WebOffer
from webseam.composition.features.gateway.mcp.application import Application, ApplicationDeps
from webseam.composition.features.gateway.mcp.heads import HostRules
from webseam.composition.features.gateway.mcp.tenants import KeyAuthenticator, TenantServers
from webseam.composition.wiring.root import open_settings_key_store
from webseam.ports.secrets import Secret

Tool = Callable[[McpExchange, Json], Awaitable[Outcome]]
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
SOUND = base64.b64encode(b"RIFF$\x00\x00\x00WAVEfmt ").decode()
_KEY = b"of this test build alone"
_DRAFT = "https://json-schema.org/draft/2020-12/schema"


def text(words: str) -> Json:
    return {"content": [{"type": "text", "text": words}]}


def embedded(uri: str, kind: str, words: str) -> Json:
    return {"type": "resource", "resource": {"uri": uri, "mimeType": kind, "text": words}}


IMAGE = {"type": "image", "data": PIXEL, "mimeType": "image/png"}
PLAIN: dict[str, Json] = {
    "test_simple_text": text("This is a simple text response for testing."),
    "test_image_content": {"content": [IMAGE]},
    "test_audio_content": {"content": [{"type": "audio", "data": SOUND, "mimeType": "audio/wav"}]},
    "test_embedded_resource": {
        "content": [embedded("test://embedded-resource", "text/plain", "An embedded resource.")]
    },
    "test_multiple_content_types": {
        "content": [
            {"type": "text", "text": "Multiple content types test:"},
            IMAGE,
            embedded("test://mixed-content-resource", "application/json", '{"test": "data"}'),
        ]
    },
    "test_error_handling": {
        **text("This tool intentionally returns an error for testing"),
        "isError": True,
    },
    "json_schema_2020_12_tool": text("Taken."),
}
SCHEMA: Json = {
    "$schema": _DRAFT,
    "type": "object",
    "$defs": {
        "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }
    },
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"},
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}


class FixtureServer(McpServer):
    """The server, with a way to ask the client, which the product has no need of."""

    def __init__(self, offer: "FixtureOffer") -> None:
        subscriptions: dict[str, Handler] = {
            "resources/subscribe": lambda _exchange: {},
            "resources/unsubscribe": lambda _exchange: {},
        }
        super().__init__(offer, more=subscriptions)
        offer.ask = self.ask
        self._sends: dict[int, Send] = {}
        self._waiting: dict[object, asyncio.Future[Json]] = {}
        self._count = 0

    def begin(
        self, request: RpcRequest, session: McpSession, send: Send
    ) -> tuple[McpExchange, Outcome | Awaitable[Outcome]]:
        exchange, outcome = super().begin(request, session, send)
        self._sends[id(exchange)] = send
        return exchange, outcome

    def receive_answer(self, session: McpSession, response: Response) -> None:  # noqa: ARG002
        waiting = self._waiting.pop(response.id, None)
        if waiting is not None:
            loop = waiting.get_loop()
            loop.call_soon_threadsafe(waiting.set_result, response.message.get("result", {}))

    async def ask(self, exchange: McpExchange, method: str, params: Json) -> Json:
        self._count += 1
        known = f"fixture-{self._count}"
        waiting = self._waiting[known] = asyncio.get_running_loop().create_future()
        message = {"jsonrpc": "2.0", "id": known, "method": method, "params": params}
        self._sends[id(exchange)](message)
        return await asyncio.wait_for(waiting, 20)


class FixtureOffer(WebOffer):
    """What the product offers, and the suite's fixtures."""

    long_tools = frozenset({"slow_compute", "failing_job", "protocol_error_job"})

    def __init__(self) -> None:
        super().__init__(UsersTools)
        self.ask: Callable[[McpExchange, str, Json], Awaitable[Json]] | None = None
        self._tools: dict[str, Tool] = {
            "test_tool_with_logging": self._logging,
            "test_logging_tool": self._logging,
            "test_tool_with_progress": self._progress,
            "test_sampling": self._sampling,
            "test_elicitation": self._elicitation,
            "test_elicitation_sep1034_defaults": self._defaults,
            "test_elicitation_sep1330_enums": self._enums,
            "test_missing_capability": self._capability,
            "test_streaming_elicitation": self._input("elicitation", "user_name"),
            "test_reconnection": self._reconnection,
            "greet": self._greet,
            "slow_compute": self._slow,
            "failing_job": self._failing,
            "protocol_error_job": self._broken,
            "test_input_required_result_elicitation": self._input("elicitation", "user_name"),
            "test_input_required_result_sampling": self._input("sampling", "capital_question"),
            "test_input_required_result_list_roots": self._input("roots", "client_roots"),
            "test_input_required_result_request_state": self._stateful(("confirm",)),
            "test_input_required_result_tampered_state": self._stateful(("confirm",)),
            "test_input_required_result_multiple_inputs": self._stateful(
                ("user_name", "greeting", "client_roots")
            ),
            "test_input_required_result_multi_round": self._rounds,
            "test_input_required_result_capabilities": self._capable,
        }

    async def tools(self) -> list[Json]:
        names = [*PLAIN, *self._tools]
        shapes = {"json_schema_2020_12_tool": SCHEMA}
        own = [
            {
                "name": name,
                "description": "A fixture of the conformance suite",
                "inputSchema": shapes.get(name, {"type": "object", "properties": {}}),
            }
            for name in names
        ]
        return [*await super().tools(), *own]

    async def call(self, exchange: McpExchange, name: str, arguments: Json, /) -> Outcome:
        if name in PLAIN:
            return PLAIN[name]
        tool = self._tools.get(name)
        if tool is not None:
            return await tool(exchange, arguments)
        return await super().call(exchange, name, arguments)

    def resources(self) -> list[Json]:
        uris = ("test://static-text", "test://static-binary", "test://watched-resource")
        return [*super().resources(), *({"uri": uri, "name": uri} for uri in uris)]

    def templates(self) -> list[Json]:
        own = {"uriTemplate": "test://template/{id}/data", "name": "template"}
        return [*super().templates(), own]

    async def read(self, exchange: McpExchange, uri: str, /) -> list[Json] | None:
        if uri == "test://static-binary":
            return [{"uri": uri, "mimeType": "image/png", "blob": PIXEL}]
        if uri.startswith("test://template/"):
            known = uri.split("/")[3]
            words = json.dumps({"id": known, "templateTest": True, "data": f"Data for ID: {known}"})
            return [{"uri": uri, "mimeType": "application/json", "text": words}]
        if uri in ("test://static-text", "test://watched-resource"):
            words = "This is the content of the static text resource."
            return [{"uri": uri, "mimeType": "text/plain", "text": words}]
        return await super().read(exchange, uri)

    def prompts(self) -> list[Json]:
        needed: dict[str, tuple[str, ...]] = {
            "test_simple_prompt": (),
            "test_prompt_with_arguments": ("arg1", "arg2"),
            "test_prompt_with_embedded_resource": ("resourceUri",),
            "test_prompt_with_image": (),
            "test_input_required_result_prompt": (),
        }
        own = [
            {
                "name": name,
                "description": "A fixture of the conformance suite",
                "arguments": [{"name": each, "required": True} for each in arguments],
            }
            for name, arguments in needed.items()
        ]
        return [*super().prompts(), *own]

    def prompt(self, exchange: McpExchange, name: str, arguments: Json, /) -> Outcome:
        words: dict[str, list[str | Json]] = {
            "test_simple_prompt": ["This is a simple prompt for testing."],
            "test_prompt_with_arguments": [f"Prompt with arguments: {json.dumps(arguments)}"],
            "test_prompt_with_embedded_resource": [
                embedded(str(arguments.get("resourceUri")), "text/plain", "Embedded."),
                "Please process the embedded resource above.",
            ],
            "test_prompt_with_image": [IMAGE, "Please analyze the image above."],
        }
        if name == "test_input_required_result_prompt":
            responses = exchange.params.get("inputResponses") or {}
            if "user_context" not in responses:
                return _required({"user_context": _elicit("What context?", "context")})
            return {"messages": [_message(json.dumps(responses["user_context"]))]}
        if name not in words:
            return super().prompt(exchange, name, arguments)
        return {"messages": [_message(each) for each in words[name]]}

    def complete(self, reference: Json, name: str, value: str, /) -> list[str] | RpcError:
        if str(reference.get("name")).startswith("test_"):
            return [word for word in ("paris", "park", "party") if word.startswith(value)]
        return super().complete(reference, name, value)

    async def _logging(self, exchange: McpExchange, _arguments: Json) -> Outcome:
        for words in ("Tool execution started", "Tool processing data", "Tool execution completed"):
            exchange.log("info", words)
            await asyncio.sleep(0.05)
        return text("Logged.")

    async def _progress(self, exchange: McpExchange, _arguments: Json) -> Outcome:
        # The suite wants 0 as well, which is no progress to the product.
        token = exchange.meta.get("progressToken")
        for step in (0, 50, 100):
            if token is not None:
                params = {"progressToken": token, "progress": step, "total": 100}
                exchange.notify("notifications/progress", params)
            await asyncio.sleep(0.05)
        return text(str(token))

    async def _client(self, exchange: McpExchange, method: str, params: Json) -> Json:
        assert self.ask is not None
        return await self.ask(exchange, method, params)

    async def _sampling(self, exchange: McpExchange, arguments: Json) -> Outcome:
        params = {"messages": [_message(str(arguments.get("prompt")))], "maxTokens": 100}
        answer = await self._client(exchange, "sampling/createMessage", params)
        return text(f"LLM response: {answer.get('content', {}).get('text')}")

    async def _elicited(self, exchange: McpExchange, message: str, properties: Json) -> Outcome:
        schema = {"type": "object", "properties": properties, "required": []}
        params = {"message": message, "requestedSchema": schema}
        answer = await self._client(exchange, "elicitation/create", params)
        content = json.dumps(answer.get("content"))
        return text(f"Elicitation completed: action={answer.get('action')}, content={content}")

    async def _elicitation(self, exchange: McpExchange, arguments: Json) -> Outcome:
        properties = {"username": {"type": "string"}, "email": {"type": "string"}}
        return await self._elicited(exchange, str(arguments.get("message")), properties)

    async def _defaults(self, exchange: McpExchange, _arguments: Json) -> Outcome:
        states = ["active", "inactive", "pending"]
        properties = {
            "name": {"type": "string", "default": "John Doe"},
            "age": {"type": "integer", "default": 30},
            "score": {"type": "number", "default": 95.5},
            "status": {"type": "string", "enum": states, "default": "active"},
            "verified": {"type": "boolean", "default": True},
        }
        return await self._elicited(exchange, "Please look at these.", properties)

    async def _enums(self, exchange: McpExchange, _arguments: Json) -> Outcome:
        options = ["option1", "option2", "option3"]
        titled = [{"const": f"value{n}", "title": f"Title {n}"} for n in (1, 2, 3)]
        legacy = {"enum": ["opt1", "opt2", "opt3"], "enumNames": ["One", "Two", "Three"]}
        properties = {
            "untitledSingle": {"type": "string", "enum": options},
            "titledSingle": {"type": "string", "oneOf": titled},
            "legacyEnum": {"type": "string", **legacy},
            "untitledMulti": {"type": "array", "items": {"type": "string", "enum": options}},
            "titledMulti": {"type": "array", "items": {"anyOf": titled}},
        }
        return await self._elicited(exchange, "Please choose.", properties)

    async def _capability(self, exchange: McpExchange, _arguments: Json) -> Outcome:
        if "sampling" in exchange.meta.get(CAPABILITIES_KEY, {}):
            return text("It is there.")
        data: Json = {"requiredCapabilities": {"sampling": {}}}
        return RpcError(MISSING_CAPABILITY, "This tool needs sampling.", data)

    async def _reconnection(self, exchange: McpExchange, _arguments: Json) -> Outcome:
        exchange.notify("notifications/message", {"level": "info", "data": "before"})
        await asyncio.sleep(0.1)
        return text("Reconnected.")

    async def _greet(self, _exchange: McpExchange, arguments: Json) -> Outcome:
        return text(f"Hello, {arguments.get('name')}!")

    async def _slow(self, _exchange: McpExchange, arguments: Json) -> Outcome:
        await asyncio.sleep(float(arguments.get("seconds", 0)))
        return text(f"Computed {arguments.get('label')}.")

    async def _failing(self, exchange: McpExchange, _arguments: Json) -> Outcome:
        if not exchange.has_extension(TASKS_KEY):
            return MISSING_TASKS_ERROR
        return {**text("This job fails."), "isError": True}

    async def _broken(self, _exchange: McpExchange, _arguments: Json) -> Outcome:
        return RpcError(INVALID_PARAMS, "This job breaks the protocol.")

    def _input(self, kind: str, key: str) -> Tool:
        async def call(exchange: McpExchange, _arguments: Json) -> Outcome:
            responses = exchange.params.get("inputResponses")
            answer = responses.get(key) if isinstance(responses, dict) else None
            if not isinstance(answer, dict):
                return _required({key: _INPUTS[kind]})
            return text(f"Thank you: {json.dumps(answer)}")

        return call

    def _stateful(self, keys: tuple[str, ...]) -> Tool:
        kinds = {"greeting": "sampling", "client_roots": "roots"}

        async def call(exchange: McpExchange, _arguments: Json) -> Outcome:
            responses = exchange.params.get("inputResponses") or {}
            state = exchange.params.get("requestState")
            if state is not None and _unsealed(state) is None:
                return RpcError(INVALID_PARAMS, "The state was changed.")
            if state is None or not set(keys) <= set(responses):
                wanted = {key: _INPUTS[kinds.get(key, "elicitation")] for key in keys}
                return _required(wanted, _sealed("1"))
            return text("state-ok")

        return call

    async def _rounds(self, exchange: McpExchange, _arguments: Json) -> Outcome:
        responses = exchange.params.get("inputResponses") or {}
        state = _unsealed(exchange.params.get("requestState"))
        if state == "1" and "step1" in responses:
            return _required({"step2": _elicit("Step 2: which color?", "color")}, _sealed("2"))
        if state == "2" and "step2" in responses:
            return text("Done.")
        return _required({"step1": _elicit("Step 1: which name?", "name")}, _sealed("1"))

    async def _capable(self, exchange: McpExchange, _arguments: Json) -> Outcome:
        known = exchange.meta.get(CAPABILITIES_KEY, {})
        return _required({kind: asked for kind, asked in _INPUTS.items() if kind in known})


def _message(content: object) -> Json:
    part = {"type": "text", "text": content} if isinstance(content, str) else content
    return {"role": "user", "content": part}


def _elicit(message: str, field: str) -> Json:
    schema = {"type": "object", "properties": {field: {"type": "string"}}, "required": [field]}
    return {
        "method": "elicitation/create",
        "params": {"message": message, "requestedSchema": schema},
    }


_INPUTS: dict[str, Json] = {
    "elicitation": _elicit("What is your name?", "name"),
    "sampling": {
        "method": "sampling/createMessage",
        "params": {"messages": [_message("What is the capital of France?")], "maxTokens": 100},
    },
    "roots": {"method": "roots/list", "params": {}},
}


def _required(requests: Json, state: str | None = None) -> Json:
    result: Json = {"resultType": "input_required", "inputRequests": requests}
    return result if state is None else {**result, "requestState": state}


def _sealed(state: str) -> str:
    return f"{state}.{hmac.new(_KEY, state.encode(), hashlib.sha256).hexdigest()}"


def _unsealed(sealed: Any) -> str | None:
    state = str(sealed).partition(".")[0]
    return state if hmac.compare_digest(_sealed(state), str(sealed)) else None


def serve_stdio() -> None:
    source, wire = stdio.private_stdio_streams()
    client = stdio.StdioServer(FixtureServer(FixtureOffer()), wire, stdio.BackgroundLoop())
    for line in stdio.read_stdio_lines(source, client.refuse_long_line):
        client.handle_line(line)
    client.wait_for_answers()
    client.cancel_requests()


def serve_http(port: int) -> None:
    server = FixtureServer(FixtureOffer())
    parts = ApplicationDeps(
        tenants=TenantServers(lambda _principal: UsersTools(), lambda _offer, **_: server),
        door=KeyAuthenticator(Secret(""), open_settings_key_store().unwrap(), open_=True),
        rules=HostRules(),
    )
    uvicorn.run(Application(parts), host="127.0.0.1", port=port, log_level="warning")


if __name__ == "__main__":
    if sys.argv[1] == "http":
        serve_http(int(sys.argv[2]))
    else:
        serve_stdio()
