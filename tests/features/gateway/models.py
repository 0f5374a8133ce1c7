"""A chat model and a reranker on loopback."""

from typing import Any

from tests.answering import Asked, Reply


class Models:
    """A chat model and a reranker on loopback."""

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []
        self.status = 200
        self.text = "High tide is at noon [1]."
        self.url = ""

    def answer(self, asked: Asked) -> Reply:
        self.asked.append(asked.body)
        if asked.path.endswith("/embeddings"):
            vectors = [{"index": index, "embedding": [0.5, index]} for index in range(2)]
            usage = {"prompt_tokens": 4, "total_tokens": 4}
            return Reply({"data": vectors, "model": "e", "usage": usage}, status=self.status)
        if asked.path.endswith("/rerank"):
            scores = ((1, 0.9), (0, 0.2))
            ranked = [{"index": index, "relevance_score": score} for index, score in scores]
            return Reply({"results": ranked}, status=self.status)
        message = {"role": "assistant", "content": self.text}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        usage = {"prompt_tokens": 20, "completion_tokens": 7, "total_tokens": 27}
        made = {"id": "1", "model": "m", "choices": [choice], "usage": usage}
        return Reply(made, status=self.status)
