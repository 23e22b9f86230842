"""Every call as a flow: its request, its credentials, its retries, its approval, its answer."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from ._version import VERSION
from .answer import Answer, DryRun, Progress, Reply, Result, Whoami, answer_of, dry_run_of, whoami_of
from .errors import SvcError, bad_answer, read_answer_headers, refusal_of
from .events import ServerEvent
from .flow import TIMEOUT_S_DEFAULT, Flow, Lock, Opened, Request, Response, Send, Sleep
from .json_text import NotJson, read_json
from .models import Input
from .options import CallOptions
from .protocols.catalogue import PROTOCOLS
from .protocols.live import LiveFigures
from .retry import retry_delay_ms
from .session import authorization_of
from .settings import Settings

T = TypeVar("T")
Content = Mapping[str, Any] | BaseModel
"""The input of an operation: a mapping, or a model."""

_HEADER_NAME = re.compile(r"[a-z0-9_-]+")
_HEADER_VALUE = re.compile(r"[\x20-\x7e]*")

_APPROVAL_WAIT_S = 2.0
_APPROVAL_WAIT_S_MAX = 15.0
_APPROVAL_WAIT_GROWTH = 1.5


class Calls:
    """The flows of one client. Knows no network: a client runs them."""

    def __init__(
        self,
        settings: Settings,
        lock: Lock,
        headers: Mapping[str, str] | None = None,
        traceparent: Callable[[], str | None] | None = None,
        defaults: CallOptions | None = None,
    ) -> None:
        self.settings = settings
        self._headers = {name.lower(): value for name, value in (headers or {}).items()}
        self._traceparent = traceparent
        self.defaults: CallOptions = defaults or {}
        self.authorization = authorization_of(settings, self._send_once, lock)

    def with_options(self, options: CallOptions) -> Calls:
        """The same caller and session, with other defaults."""
        other = object.__new__(Calls)
        other.__dict__.update(self.__dict__)
        other.defaults = {**self.defaults, **options}
        return other

    def dispatch(
        self,
        protocol: str,
        operation: str,
        content: Content,
        options: CallOptions,
        output: type[T] | None = None,
    ) -> Flow[Answer[T]]:
        call = self._with_defaults(options)
        request = self._request_of(protocol, operation, content, call)
        is_retried = is_read(protocol, operation, call.get("version")) and call.get("retry", True)

        def send() -> Flow[Answer[T]]:
            if is_retried:
                reply = yield from _repeat(lambda: self._ask(request))
            else:
                reply = yield from self._ask(request)
            return answer_of(reply, output)

        within_s = call.get("wait_for_approval_s") or 0
        if within_s <= 0:
            return (yield from send())
        return (yield from self._with_approval(send, within_s, request.timeout_s))

    def dry_run(self, protocol: str, operation: str, content: Content, options: CallOptions) -> Flow[DryRun]:
        call = self._with_defaults(options)
        more = {"x-svc-dry-run": "true"}
        request = self._request_of(protocol, operation, content, call, more, changes=False)
        return dry_run_of((yield from self._ask(request)))

    def whoami(self, options: CallOptions) -> Flow[Whoami]:
        call = self._with_defaults(options)
        request = Request("GET", "/v1/whoami", _trace_of(call), changes=False, timeout_s=_timeout_of(call))
        if not call.get("retry", True):
            return whoami_of((yield from self._ask(request)))
        return whoami_of((yield from _repeat(lambda: self._ask(request))))

    def open_stream(
        self, protocol: str, operation: str, content: Content, options: CallOptions
    ) -> Flow[Response | Opened]:
        call = self._with_defaults(options)
        more = {"accept": "text/event-stream"}
        request = self._request_of(protocol, operation, content, call, more)
        return (yield from self._exchange(request, is_stream=True))

    def open_live(self, options: CallOptions) -> Flow[Response | Opened]:
        call = self._with_defaults(options)
        headers = {"accept": "text/event-stream", **_trace_of(call)}
        request = Request("GET", "/v1/live", headers, changes=False, timeout_s=_timeout_of(call))
        return (yield from self._exchange(request, is_stream=True))

    def reply_of(self, status: int, headers: dict[str, str], body: str) -> Reply:
        try:
            value = read_json(body)
        except NotJson:
            details = {"status": status, "content_type": headers.get("content-type")}
            message = f"{self.settings.api_url} answered with something that is no JSON; check api_url."
            raise bad_answer(message, details, read_answer_headers(headers)) from None
        return Reply(value, read_answer_headers(headers), self.settings.api_url)

    def stream_event(
        self, opened: Opened, event: ServerEvent, output: type[T] | None
    ) -> Progress | Result[T] | None:
        """None for events that this version does not know. A refusal is raised."""
        if event.event not in ("progress", "result", "error"):
            return None
        reply = self.reply_of(opened.status, opened.headers, event.data)
        if event.event == "progress":
            return Progress(reply.body if isinstance(reply.body, dict) else {})
        if event.event == "result":
            return Result(answer_of(reply, output))
        # It came in a stream that had begun well, so there is no other status.
        raise refusal_of(reply.body, 200, opened.headers, self.settings.api_url)

    def whole_result(self, response: Response, output: type[T] | None) -> Result[T]:
        """An engine that answered without a stream: the answer is the result."""
        return Result(answer_of(self._reply_to(response), output))

    def figures_of(self, event: ServerEvent) -> LiveFigures | None:
        if event.event != "figures":
            return None
        try:
            return LiveFigures.model_validate_json(event.data)
        except ValidationError:
            message = (
                f"{self.settings.api_url} sent figures that this version of svc-sdk does not know; update it."
            )
            raise bad_answer(message) from None

    def no_stream(self) -> SvcError:
        return bad_answer(f"{self.settings.api_url} answered without a stream; check api_url.")

    def _with_defaults(self, options: CallOptions) -> CallOptions:
        merged: dict[str, Any] = {"traceparent": self._traceparent() if self._traceparent else None}
        for source in (self.defaults, options):
            merged.update({name: value for name, value in source.items() if value is not None})
        return merged  # type: ignore[return-value]

    def _request_of(
        self,
        protocol: str,
        operation: str,
        content: Content,
        call: CallOptions,
        more: Mapping[str, str] | None = None,
        *,
        changes: bool | None = None,
    ) -> Request:
        row = PROTOCOLS.get(protocol.upper())
        version = call.get("version")
        envelope = {
            "protocol": protocol,
            "version": version or (row.version if row else "v1"),
            "operation": operation,
            "input": _plain(content),
            "tenant_id": call.get("tenant_id") or self.settings.tenant_id,
        }
        key = call.get("idempotency_key")
        headers = {
            "content-type": "application/json",
            "idempotency-key": key,
            "x-correlation-id": call.get("correlation_id"),
            **_trace_of(call),
            "prefer": "wait=audit" if call.get("wait_for_audit") else None,
            **(more or {}),
        }
        is_write = key is None and not is_read(protocol, operation, version)
        return Request(
            "POST",
            "/v1/dispatch",
            headers,
            changes=is_write if changes is None else changes,
            body=_as_json(envelope),
            timeout_s=_timeout_of(call),
        )

    def _ask(self, request: Request) -> Flow[Reply]:
        return self._reply_to((yield from self._exchange(request)))

    def _reply_to(self, response: Response | Opened) -> Reply:
        assert isinstance(response, Response)
        return self.reply_of(response.status, response.headers, _text_of(response.body))

    def _exchange(self, request: Request, *, is_stream: bool = False) -> Flow[Response | Opened]:
        credentials: dict[str, str] | None = None
        try:
            credentials = yield from self.authorization.headers_for(request)
            return (yield from self._send(request, credentials, is_stream))
        except SvcError as refusal:
            if not self.authorization.may_repeat(refusal, credentials):
                raise
        credentials = yield from self.authorization.headers_for(request)
        return (yield from self._send(request, credentials, is_stream))

    def _send_once(self, request: Request, credentials: dict[str, str]) -> Flow[Response]:
        response = yield from self._send(request, credentials, False)
        assert isinstance(response, Response)
        return response

    def _send(
        self, request: Request, credentials: dict[str, str], is_stream: bool
    ) -> Flow[Response | Opened]:
        headers = _sent_headers({**self._headers, **request.headers, **credentials})
        url = f"{self.settings.api_url}{request.path}"
        response: Response | Opened = yield Send(request, url, headers, is_stream)
        if isinstance(response, Opened) or 200 <= response.status < 300:
            return response
        raise self._refused(response)

    def _refused(self, response: Response) -> SvcError:
        api_url, status = self.settings.api_url, response.status
        if 300 <= status < 400:
            location = response.headers.get("location")
            place = f" ({location})" if location else ""
            message = (
                f"{api_url} sends its callers elsewhere{place}; set api_url to the engine's own address."
            )
            details = {"status": status, "location": location}
            return bad_answer(message, details, read_answer_headers(response.headers))
        try:
            body = read_json(_text_of(response.body))
        except NotJson:
            body = None
        return refusal_of(body, status, response.headers, api_url)

    def _with_approval(
        self, send: Callable[[], Flow[Answer[T]]], within_s: float, timeout_s: float
    ) -> Flow[Answer[T]]:
        """If the call waits for the consent of others, sends it again once they have decided."""
        refusal: SvcError
        try:
            return (yield from send())
        except SvcError as error:
            refusal = _awaiting(error)
        approval_id = refusal.details["approval_id"]
        waited_s, wait_s = 0.0, _APPROVAL_WAIT_S
        while waited_s < within_s:
            wait_s = min(wait_s, within_s - waited_s)
            yield Sleep(wait_s)
            waited_s += wait_s
            wait_s = min(wait_s * _APPROVAL_WAIT_GROWTH, _APPROVAL_WAIT_S_MAX)
            state = yield from self._approval_state(refusal, timeout_s)
            if state == "PENDING":
                continue
            # Sent again, an expired one would ask for another.
            if state == "EXPIRED":
                break
            try:
                return (yield from send())
            except SvcError as error:
                refusal = _awaiting(error)
            if refusal.details["approval_id"] != approval_id:
                break
        raise refusal

    def _approval_state(self, refusal: SvcError, timeout_s: float) -> Flow[str | None]:
        """None where it cannot be read: then repeating the call tells it."""
        if refusal.details["approval_tenant"] != self.settings.tenant_id:
            return None
        content = {"approval_id": refusal.details["approval_id"]}
        request = self._request_of("MAXIM", "approval_get", content, {"timeout_s": timeout_s})
        try:
            answer: Answer[Any] = answer_of((yield from self._ask(request)), None)
        except SvcError:
            return None
        state = answer.output.get("state") if isinstance(answer.output, dict) else None
        return state if isinstance(state, str) else None


def is_read(protocol: str, operation: str, version: str | None = None) -> bool:
    """Operations that are not in the catalogue may be writes, so they are not retried."""
    row = PROTOCOLS.get(protocol.upper())
    if row is None or (version or row.version).split(".")[0] != row.version.split(".")[0]:
        return False
    return row.operations.get(operation) == "read"


def _repeat(send: Callable[[], Flow[T]]) -> Flow[T]:
    """Retries until success or a final error. Each kind of failure is counted separately."""
    failures: dict[str, int] = {}
    while True:
        try:
            return (yield from send())
        except SvcError as error:
            attempt = failures.get(error.code, 0)
            failures[error.code] = attempt + 1
            wait_ms = retry_delay_ms(error.code, error.retry_after_ms, attempt, random.random())
            if wait_ms is None:
                raise
        yield Sleep(wait_ms / 1000)


def _awaiting(error: SvcError) -> SvcError:
    """Raises any other refusal."""
    is_pending = error.code == "approval_required" and error.reason == "approval required"
    names = ("approval_id", "approval_tenant")
    if not is_pending or not all(isinstance(error.details.get(name), str) for name in names):
        raise error
    return error


def _sent_headers(headers: Mapping[str, str | None]) -> dict[str, str]:
    """Names an invalid header without its value, which may be a key."""
    sent = {name: value for name, value in headers.items() if value is not None}
    for name, value in sent.items():
        if _HEADER_NAME.fullmatch(name) is None or _HEADER_VALUE.fullmatch(value) is None:
            message = f"The header {json.dumps(name)} cannot be sent; use printable ASCII for its value."
            raise SvcError("invalid_request", message, reason="header")
    # Compression would only hide how large an answer is.
    return {"user-agent": f"svc-sdk-python/{VERSION}", "accept-encoding": "identity", **sent}


def _plain(content: Content) -> Any:
    if isinstance(content, Input):
        return content.to_json()
    return content.model_dump(mode="json", by_alias=True) if isinstance(content, BaseModel) else content


def _as_json(envelope: Mapping[str, Any]) -> str:
    def plain(value: Any) -> Any:
        if isinstance(value, BaseModel):
            return _plain(value)
        if isinstance(value, Mapping):
            return dict(value)
        raise TypeError(f"a value is a {type(value).__name__}")

    try:
        return json.dumps(envelope, allow_nan=False, default=plain, separators=(",", ":"))
    except (TypeError, ValueError, RecursionError) as why:
        call = f"{envelope['protocol']} {envelope['operation']}"
        message = f"The input of {call} cannot be written as JSON ({why})."
        raise SvcError("invalid_payload", message, reason="not JSON") from why


def _trace_of(call: CallOptions) -> dict[str, str | None]:
    return {"traceparent": call.get("traceparent"), "tracestate": call.get("tracestate")}


def _timeout_of(call: CallOptions) -> float:
    timeout_s = call.get("timeout_s")
    return TIMEOUT_S_DEFAULT if timeout_s is None else timeout_s


def _text_of(body: bytes) -> str:
    return body.decode("utf-8-sig", "replace")
