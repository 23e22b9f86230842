"""An engine that answers what it is told, without a network."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import httpx

from svc_sdk import AsyncClient, Client

SETTINGS: dict[str, Any] = {
    "api_url": "http://engine",
    "api_key": "svc_test_key",
    "agent_did": "did:oas:dev:agent:1",
}
METADATA = {
    "correlation_id": "c-1",
    "protocol": "MAX",
    "version": "v1.0.0",
    "operation": "audit_query",
    "audit_head": None,
    "audit_record_id": "r-1",
    "usage": {"tokens_in": 0, "tokens_out": 0, "seconds": 0.1, "watt_hours": 0, "amount_usd": "0.000001"},
    "replayed": False,
}

Handler = Callable[[httpx.Request], httpx.Response]


def answer(output: Any, **more: Any) -> httpx.Response:
    return httpx.Response(200, json={"output": output, "metadata": {**METADATA, **more}})


def refusal(status: int, code: str, **more: Any) -> httpx.Response:
    return httpx.Response(status, json={"error": {"code": code, "message": f"It said {code}.", **more}})


class Engine:
    """Answers in turn; the last answer is repeated. An exception is raised instead."""

    def __init__(self, *answers: httpx.Response | Exception | Handler) -> None:
        self._answers = list(answers)
        self.requests: list[httpx.Request] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        one = self._answers[min(len(self.requests), len(self._answers)) - 1]
        if isinstance(one, Exception):
            raise one
        if not isinstance(one, httpx.Response):
            return one(request)
        # A response belongs to the client that reads it.
        return httpx.Response(one.status_code, headers=one.headers, content=one.content)

    def bodies(self) -> list[Any]:
        return [json.loads(request.content) for request in self.requests]

    def client(self, **more: Any) -> Client:
        http = httpx.Client(transport=httpx.MockTransport(self))
        return Client(**{**SETTINGS, **more}, http_client=http)

    def async_client(self, **more: Any) -> AsyncClient:
        http = httpx.AsyncClient(transport=httpx.MockTransport(self))
        return AsyncClient(**{**SETTINGS, **more}, http_client=http)

    def both(self, call: Callable[[Any], Any], **more: Any) -> list[Any]:
        """What each client makes of a call: its result or its error."""

        async def awaited() -> Any:
            client = self.async_client(**more)
            outcome = call(client)
            if hasattr(outcome, "__aiter__"):
                return [one async for one in outcome]
            return await outcome

        def of(run: Callable[[], Any]) -> Any:
            try:
                outcome = run()
                return list(outcome) if hasattr(outcome, "__next__") else outcome
            except Exception as error:
                return error

        first = of(lambda: _listed(call(self.client(**more))))
        used = len(self.requests)
        self.requests.clear()
        second = of(lambda: asyncio.run(awaited()))
        assert len(self.requests) == used, "both clients send the same number of requests"
        return [first, second]


def _listed(outcome: Any) -> Any:
    return list(outcome) if hasattr(outcome, "__next__") else outcome
