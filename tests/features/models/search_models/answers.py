"""Answers of search models, each in the shape of one API; all about the same two pages."""

from typing import Any

TIDES = "https://tides.example/today"
PORT = "https://port.example/log"

SONAR: dict[str, Any] = {
    "id": "pp-1",
    "model": "sonar",
    "object": "chat.completion",
    "citations": [TIDES, PORT],
    "search_results": [
        {"title": "Tide table", "url": TIDES, "date": "2026-11-12", "snippet": "High water 04:12"},
        {"title": "Port log", "url": PORT, "date": None, "snippet": "", "source": "web"},
    ],
    "choices": [
        {
            "index": 0,
            "finish_reason": "stop",
            "message": {"role": "assistant", "content": "High tide is at 04:12.[1]"},
        }
    ],
}
AGENT: dict[str, Any] = {
    "id": "resp_5d1",
    "object": "response",
    "model": "perplexity/sonar",
    "status": "completed",
    "error": None,
    "output": [
        {
            "type": "search_results",
            "queries": ["tide times today"],
            "results": [{"id": 1, "title": "Tide table", "url": TIDES, "snippet": "High water"}],
        },
        {"type": "fetch_url_results", "contents": [{"title": "Port log", "url": PORT}]},
        {
            "type": "message",
            "role": "assistant",
            "status": "completed",
            "content": [{"type": "output_text", "text": "At 04:12.[1]", "annotations": []}],
        },
    ],
}
OPENAI: dict[str, Any] = {
    "id": "resp_7",
    "status": "completed",
    "output": [
        {
            "type": "web_search_call",
            "id": "ws_1",
            "status": "completed",
            "action": {
                "type": "search",
                "query": "tide times leith",
                "sources": [{"type": "url", "url": TIDES}, {"type": "url", "url": PORT}],
            },
        },
        {
            "type": "message",
            "role": "assistant",
            "status": "completed",
            "content": [
                {
                    "type": "output_text",
                    "text": "High tide is 04:12 (tides.example).",
                    "annotations": [
                        {
                            "type": "url_citation",
                            "start_index": 19,
                            "end_index": 34,
                            "title": "Tide table",
                            "url": f"{TIDES}?utm_source=openai",
                        }
                    ],
                }
            ],
        },
    ],
}
XAI: dict[str, Any] = {
    "id": "8f0c",
    "status": "completed",
    "output": [
        {"type": "web_search_call", "id": "ws", "action": {"type": "open_page", "url": PORT}},
        {
            "type": "message",
            "role": "assistant",
            "content": [
                {
                    "type": "output_text",
                    "text": f"Calm today. High tide is 04:12.[[1]]({TIDES})",
                    "annotations": [
                        {
                            "type": "url_citation",
                            "url": TIDES,
                            "title": "1",
                            "start_index": 31,
                            "end_index": 67,
                        }
                    ],
                }
            ],
        },
    ],
    "citations": [TIDES, PORT],
}
ANTHROPIC: dict[str, Any] = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "stop_reason": "end_turn",
    "content": [
        {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"query": "tide"}},
        {
            "type": "web_search_tool_result",
            "tool_use_id": "s1",
            "content": [
                {
                    "type": "web_search_result",
                    "url": TIDES,
                    "title": "Tide table",
                    "page_age": "2 days ago",
                    "encrypted_content": "Eo",
                },
                {"type": "web_search_result", "url": PORT, "title": "Port log"},
            ],
        },
        {
            "type": "text",
            "text": "High tide is at 04:12",
            "citations": [
                {
                    "type": "web_search_result_location",
                    "url": TIDES,
                    "title": "Tide table",
                    "cited_text": "High water 04:12",
                }
            ],
        },
        {"type": "text", "text": "."},
    ],
    "usage": {"input_tokens": 900, "output_tokens": 60},
}
GEMINI: dict[str, Any] = {
    "candidates": [
        {
            "content": {"role": "model", "parts": [{"text": "High tide is at 04:12."}]},
            "finishReason": "STOP",
            "groundingMetadata": {
                "webSearchQueries": ["tide times leith"],
                "groundingChunks": [
                    {"web": {"uri": TIDES, "title": "Tide table"}},
                    {"web": {"uri": PORT, "title": "port.example"}},
                ],
                "groundingSupports": [
                    {
                        "segment": {"startIndex": 0, "endIndex": 22, "text": "High tide at 04:12."},
                        "groundingChunkIndices": [0],
                    }
                ],
            },
        }
    ],
    "modelVersion": "gemini-3.6-flash",
}
OPENROUTER: dict[str, Any] = {
    "choices": [
        {
            "finish_reason": "stop",
            "message": {
                "role": "assistant",
                "content": f"High tide is 04:12 [tides.example]({TIDES}).",
                "annotations": [
                    {
                        "type": "url_citation",
                        "url_citation": {
                            "url": TIDES,
                            "title": "Tide table",
                            "content": "High water 04:12",
                            "start_index": 19,
                            "end_index": 63,
                        },
                    },
                    {"type": "url_citation", "url_citation": {"url": PORT, "title": "Port log"}},
                ],
            },
        }
    ]
}
MISTRAL: dict[str, Any] = {
    "conversation_id": "conv_1",
    "outputs": [
        {"type": "tool.execution", "name": "web_search", "arguments": "{}"},
        {
            "type": "message.output",
            "role": "assistant",
            "content": [
                {"type": "text", "text": "High tide is at 04:12"},
                {
                    "type": "tool_reference",
                    "tool": "web_search",
                    "title": "Tide table",
                    "url": TIDES,
                    "description": "Daily tide times",
                },
                {"type": "tool_reference", "tool": "web_search", "title": "Port log", "url": PORT},
                {"type": "text", "text": "."},
            ],
        },
    ],
}
BEDROCK: dict[str, Any] = {
    "output": {
        "message": {
            "role": "assistant",
            "content": [
                {
                    "citationsContent": {
                        "content": [{"text": "High tide is at 04:12."}],
                        "citations": [
                            {
                                "title": "Tide table",
                                "sourceContent": [{"text": "High water 04:12"}],
                                "location": {"web": {"url": TIDES, "domain": "tides.example"}},
                            },
                            {"title": "Port log", "location": {"web": {"url": PORT}}},
                        ],
                    }
                }
            ],
        }
    },
    "stopReason": "end_turn",
}
LITELLM: dict[str, Any] = {
    "choices": [
        {
            "finish_reason": "stop",
            "message": {
                "role": "assistant",
                "content": "High tide is at 04:12.",
                "provider_specific_fields": {
                    "citations": [
                        [
                            {
                                "type": "web_search_result_location",
                                "url": TIDES,
                                "title": "Tide table",
                                "cited_text": "High water 04:12",
                                "supported_text": "High tide is at 04:12.",
                            }
                        ]
                    ],
                    "web_search_results": [ANTHROPIC["content"][1]],
                },
            },
        }
    ]
}
EVERY = {
    "sonar": SONAR,
    "agent": AGENT,
    "openai": OPENAI,
    "xai": XAI,
    "anthropic": ANTHROPIC,
    "gemini": GEMINI,
    "openrouter": OPENROUTER,
    "mistral": MISTRAL,
    "bedrock": BEDROCK,
    "litellm": LITELLM,
}


def chat(content: str | None, **more: object) -> dict[str, Any]:
    """Return an answer of a chat completions API; ``more`` stands at its top."""
    message = {"role": "assistant", "content": content}
    return {"choices": [{"finish_reason": "stop", "message": message}], **more}
