"""The client for threads and scripts; `AsyncClient` is the same with await."""

from __future__ import annotations

import threading
import time
from collections.abc import Generator, Iterator
from contextlib import closing
from types import TracebackType
from typing import Any, TypeVar, overload

import httpx
from typing_extensions import Self, Unpack

from .answer import Answer, DryRun, Progress, Result, Whoami
from .audit_log_export import Ask, advance, export_steps
from .calls import Content
from .client_base import ClientBase
from .events import ANSWER_BYTES_MAX, EventReader, ServerEvent, too_large
from .failure import ended_early, failed
from .flow import Acquire, Effect, Flow, Lock, Opened, Response, Send
from .key_changes import KeepKeys, KeyChanges, Recovery, RecoveryState, RotatedKey
from .options import CallOptions
from .protocols.by_name import ProtocolClients
from .protocols.live import LiveFigures

T = TypeVar("T")


class Client(ClientBase[httpx.Client], ProtocolClients):
    """A client of one engine: `dispatch` and related methods, and every operation of the catalogue by name.

    Settings come from the arguments, then the environment, then `~/.svc/config.json`; without them it raises here, not
    at the first call. May be used by several threads.

    `private_key` (the agent's own Ed25519 key, 32 bytes in base64url; never sent) and `workload_token_file` (where the
    platform writes its token) stand instead of an `api_key`. `headers` are sent with every request, `traceparent`
    returns the trace of a call that names none itself. `http_client` replaces the connections, e.g. to use a proxy; you
    close it yourself.
    """

    @overload
    def dispatch(
        self, protocol: str, operation: str, content: Content, **options: Unpack[CallOptions]
    ) -> Answer[Any]: ...

    @overload
    def dispatch(
        self,
        protocol: str,
        operation: str,
        content: Content,
        *,
        output: type[T],
        **options: Unpack[CallOptions],
    ) -> Answer[T]: ...

    def dispatch(
        self,
        protocol: str,
        operation: str,
        content: Content,
        *,
        output: type[Any] | None = None,
        **options: Unpack[CallOptions],
    ) -> Answer[Any]:
        """Calls an operation, including a plugin's, and returns its output with metadata.

        `content` is a mapping or a model; `output` a model to read the output as, by default it stays plain JSON.
        """
        return self._run(self._calls.dispatch(protocol, operation, content, options, output))

    @overload
    def stream(
        self, protocol: str, operation: str, content: Content, **options: Unpack[CallOptions]
    ) -> Iterator[Progress | Result[Any]]: ...

    @overload
    def stream(
        self,
        protocol: str,
        operation: str,
        content: Content,
        *,
        output: type[T],
        **options: Unpack[CallOptions],
    ) -> Iterator[Progress | Result[T]]: ...

    def stream(
        self,
        protocol: str,
        operation: str,
        content: Content,
        *,
        output: type[Any] | None = None,
        **options: Unpack[CallOptions],
    ) -> Iterator[Progress | Result[Any]]:
        """The same, with progress while it runs: any number of `Progress`, then one `Result`. Never retried.

        Leaving the loop cancels the call at the engine.
        """
        sent = self._run(self._calls.open_stream(protocol, operation, content, options))
        if isinstance(sent, Response):
            yield self._calls.whole_result(sent, output)
            return
        with closing(_events(sent)) as events:
            for event in events:
                one = self._calls.stream_event(sent, event, output)
                if one is not None:
                    yield one
                if isinstance(one, Result):
                    return
        raise ended_early(sent.sending)

    def live(self, **options: Unpack[CallOptions]) -> Iterator[LiveFigures]:
        """Live figures of the tenant, about once a second, until the engine ends them: then call it again."""
        sent = self._run(self._calls.open_live(options))
        if isinstance(sent, Response):
            raise self._calls.no_stream()
        with closing(_events(sent)) as events:
            for event in events:
                figures = self._calls.figures_of(event)
                if figures is not None:
                    yield figures

    def dry_run(
        self, protocol: str, operation: str, content: Content, **options: Unpack[CallOptions]
    ) -> DryRun:
        """Checks a call stage by stage without executing it."""
        return self._run(self._calls.dry_run(protocol, operation, content, options))

    def whoami(self, **options: Unpack[CallOptions]) -> Whoami:
        """The caller's identity and permissions."""
        return self._run(self._calls.whoami(options))

    def rotate_key(
        self, keep: KeepKeys, *, next_private_key: str | None = None, recovery: Recovery | None = None
    ) -> RotatedKey:
        """Changes this client's own key to the one that was committed to, commits to another, and goes on with the new one.

        The first time, without `next_private_key`, it only commits. `keep` stores the keys before they are used. Needs
        `private_key`; for keys that the engine keeps call `macs.rotate_key`.
        """
        return self._run(KeyChanges(self._calls).rotate(keep, next_private_key, recovery))

    def recover_key(
        self, agent_did: str, keep: KeepKeys, *, recovery: Recovery | None = None
    ) -> RecoveryState:
        """Makes new keys for an identity that lost its own, as its parent or one of those it has named."""
        return self._run(KeyChanges(self._calls).recover(agent_did, keep, recovery))

    def sign_recovery(
        self, agent_did: str, public_key: str, *, recovery: Recovery | None = None
    ) -> RecoveryState:
        """Agrees to a recovery that another of those named has begun, and whose new key it tells."""
        return self._run(KeyChanges(self._calls).sign_recovery(agent_did, public_key, recovery))

    def export_audit_log(self, *, from_seq: int = 1, to_seq: int | None = None) -> Iterator[str]:
        """Your tenant's audit log as the lines of an export: store them, or pass them to `verify_export`.

        With `to_seq`, up to the first signed checkpoint at or after that record; by default up to the newest.
        """
        steps = export_steps(from_seq, to_seq)
        step = advance(steps)
        while step is not None:
            if isinstance(step, Ask):
                step = advance(steps, self.dispatch("MAX", "audit_query", step.content).output)
            else:
                yield step
                step = advance(steps)

    def close(self) -> None:
        """Closes the connections."""
        if self._is_own:
            self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _new_lock(self) -> Lock:
        return threading.Lock()

    def _new_http(self) -> httpx.Client:
        return httpx.Client()

    def _run(self, flow: Flow[T]) -> T:
        try:
            effect = next(flow)
            while True:
                try:
                    outcome = self._do(effect)
                except BaseException as error:
                    effect = flow.throw(error)
                else:
                    effect = flow.send(outcome)
        except StopIteration as end:
            value: T = end.value
            return value

    def _do(self, effect: Effect) -> Response | Opened | None:
        if isinstance(effect, Send):
            return self._send(effect)
        if isinstance(effect, Acquire):
            effect.lock.acquire()
        else:
            time.sleep(effect.seconds)
        return None

    def _send(self, sending: Send) -> Response | Opened:
        request, limit_s = sending.request, sending.request.timeout_s or None
        deadline = None if limit_s is None else time.monotonic() + limit_s
        has_begun = False
        try:
            message = self._http.build_request(
                request.method,
                sending.url,
                headers=sending.headers,
                content=request.body,
                timeout=httpx.Timeout(limit_s),
            )
            answer = self._http.send(message, stream=True, follow_redirects=False)
            has_begun = True
            headers = {name.lower(): value for name, value in answer.headers.items()}
            is_events = headers.get("content-type", "").startswith("text/event-stream")
            if sending.is_stream and is_events and answer.is_success:
                return Opened(sending, answer.status_code, headers, _chunks(answer, sending))
            try:
                return Response(answer.status_code, headers, _whole(answer, deadline))
            finally:
                answer.close()
        except (httpx.RequestError, httpx.InvalidURL, TimeoutError) as cause:
            raise failed(sending, cause, has_begun=has_begun) from cause


def _events(opened: Opened) -> Generator[ServerEvent, None, None]:
    reader = EventReader()
    with closing(opened.chunks):
        for chunk in opened.chunks:
            yield from reader.take(chunk)


def _whole(answer: httpx.Response, deadline: float | None) -> bytes:
    body = bytearray()
    for chunk in answer.iter_bytes():
        body += chunk
        if len(body) > ANSWER_BYTES_MAX:
            raise too_large()
        # Each read has its own limit; a slow trickle must not outlast the whole.
        if deadline is not None and time.monotonic() > deadline:
            raise TimeoutError
    return bytes(body)


def _chunks(answer: httpx.Response, sending: Send) -> Generator[bytes, None, None]:
    try:
        yield from answer.iter_bytes()
    except httpx.RequestError as cause:
        raise failed(sending, cause, has_begun=True) from cause
    finally:
        answer.close()
