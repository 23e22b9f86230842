"""The client for asyncio and trio: the same calls as `Client`, with await."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from types import TracebackType
from typing import Any, TypeVar, overload

import anyio
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
from .protocols.by_name import AsyncProtocolClients
from .protocols.live import LiveFigures

T = TypeVar("T")


class AsyncClient(ClientBase[httpx.AsyncClient], AsyncProtocolClients):
    """A client of one engine, as `Client`; calls are awaited, and cancelling a task cancels its call.

    Streams are asynchronous generators: leave them with `contextlib.aclosing`, which cancels the call at once.
    """

    @overload
    async def dispatch(
        self, protocol: str, operation: str, content: Content, **options: Unpack[CallOptions]
    ) -> Answer[Any]: ...

    @overload
    async def dispatch(
        self,
        protocol: str,
        operation: str,
        content: Content,
        *,
        output: type[T],
        **options: Unpack[CallOptions],
    ) -> Answer[T]: ...

    async def dispatch(
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
        return await self._run(self._calls.dispatch(protocol, operation, content, options, output))

    @overload
    def stream(
        self, protocol: str, operation: str, content: Content, **options: Unpack[CallOptions]
    ) -> AsyncGenerator[Progress | Result[Any], None]: ...

    @overload
    def stream(
        self,
        protocol: str,
        operation: str,
        content: Content,
        *,
        output: type[T],
        **options: Unpack[CallOptions],
    ) -> AsyncGenerator[Progress | Result[T], None]: ...

    async def stream(
        self,
        protocol: str,
        operation: str,
        content: Content,
        *,
        output: type[Any] | None = None,
        **options: Unpack[CallOptions],
    ) -> AsyncGenerator[Progress | Result[Any], None]:
        """The same, with progress while it runs: any number of `Progress`, then one `Result`. Never retried."""
        sent = await self._run(self._calls.open_stream(protocol, operation, content, options))
        if isinstance(sent, Response):
            yield self._calls.whole_result(sent, output)
            return
        async with aclosing(_events(sent)) as events:
            async for event in events:
                one = self._calls.stream_event(sent, event, output)
                if one is not None:
                    yield one
                if isinstance(one, Result):
                    return
        raise ended_early(sent.sending)

    async def live(self, **options: Unpack[CallOptions]) -> AsyncGenerator[LiveFigures, None]:
        """Live figures of the tenant, about once a second, until the engine ends them: then call it again."""
        sent = await self._run(self._calls.open_live(options))
        if isinstance(sent, Response):
            raise self._calls.no_stream()
        async with aclosing(_events(sent)) as events:
            async for event in events:
                figures = self._calls.figures_of(event)
                if figures is not None:
                    yield figures

    async def dry_run(
        self, protocol: str, operation: str, content: Content, **options: Unpack[CallOptions]
    ) -> DryRun:
        """Checks a call stage by stage without executing it."""
        return await self._run(self._calls.dry_run(protocol, operation, content, options))

    async def whoami(self, **options: Unpack[CallOptions]) -> Whoami:
        """The caller's identity and permissions."""
        return await self._run(self._calls.whoami(options))

    async def rotate_key(
        self, keep: KeepKeys, *, next_private_key: str | None = None, recovery: Recovery | None = None
    ) -> RotatedKey:
        """Changes this client's own key to the one that was committed to, commits to another, and goes on with the new one.

        The first time, without `next_private_key`, it only commits. `keep` stores the keys before they are used. Needs
        `private_key`; for keys that the engine keeps call `macs.rotate_key`.
        """
        return await self._run(KeyChanges(self._calls).rotate(keep, next_private_key, recovery))

    async def recover_key(
        self, agent_did: str, keep: KeepKeys, *, recovery: Recovery | None = None
    ) -> RecoveryState:
        """Makes new keys for an identity that lost its own, as its parent or one of those it has named."""
        return await self._run(KeyChanges(self._calls).recover(agent_did, keep, recovery))

    async def sign_recovery(
        self, agent_did: str, public_key: str, *, recovery: Recovery | None = None
    ) -> RecoveryState:
        """Agrees to a recovery that another of those named has begun, and whose new key it tells."""
        return await self._run(KeyChanges(self._calls).sign_recovery(agent_did, public_key, recovery))

    async def export_audit_log(self, *, from_seq: int = 1, to_seq: int | None = None) -> AsyncIterator[str]:
        """Your tenant's audit log as the lines of an export: store them, or pass them to an `ExportVerifier`.

        With `to_seq`, up to the first signed checkpoint at or after that record; by default up to the newest.
        """
        steps = export_steps(from_seq, to_seq)
        step = advance(steps)
        while step is not None:
            if isinstance(step, Ask):
                step = advance(steps, (await self.dispatch("MAX", "audit_query", step.content)).output)
            else:
                yield step
                step = advance(steps)

    async def aclose(self) -> None:
        """Closes the connections."""
        if self._is_own:
            await self._http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.aclose()

    def _new_lock(self) -> Lock:
        return anyio.Lock()

    def _new_http(self) -> httpx.AsyncClient:
        return httpx.AsyncClient()

    async def _run(self, flow: Flow[T]) -> T:
        try:
            effect = next(flow)
            while True:
                try:
                    outcome = await self._do(effect)
                except BaseException as error:
                    effect = flow.throw(error)
                else:
                    effect = flow.send(outcome)
        except StopIteration as end:
            value: T = end.value
            return value

    async def _do(self, effect: Effect) -> Response | Opened | None:
        if isinstance(effect, Send):
            return await self._send(effect)
        if isinstance(effect, Acquire):
            await effect.lock.acquire()
        else:
            await anyio.sleep(effect.seconds)
        return None

    async def _send(self, sending: Send) -> Response | Opened:
        request, limit_s = sending.request, sending.request.timeout_s or None
        has_begun = False
        try:
            with anyio.fail_after(limit_s):
                message = self._http.build_request(
                    request.method,
                    sending.url,
                    headers=sending.headers,
                    content=request.body,
                    timeout=httpx.Timeout(limit_s),
                )
                answer = await self._http.send(message, stream=True, follow_redirects=False)
                has_begun = True
                headers = {name.lower(): value for name, value in answer.headers.items()}
                is_events = headers.get("content-type", "").startswith("text/event-stream")
                if sending.is_stream and is_events and answer.is_success:
                    return Opened(sending, answer.status_code, headers, _chunks(answer, sending))
                try:
                    return Response(answer.status_code, headers, await _whole(answer))
                finally:
                    await answer.aclose()
        except (httpx.RequestError, httpx.InvalidURL, TimeoutError) as cause:
            raise failed(sending, cause, has_begun=has_begun) from cause


async def _events(opened: Opened) -> AsyncGenerator[ServerEvent, None]:
    reader = EventReader()
    async with aclosing(opened.chunks):
        async for chunk in opened.chunks:
            for event in reader.take(chunk):
                yield event


async def _whole(answer: httpx.Response) -> bytes:
    body = bytearray()
    async for chunk in answer.aiter_bytes():
        body += chunk
        if len(body) > ANSWER_BYTES_MAX:
            raise too_large()
    return bytes(body)


async def _chunks(answer: httpx.Response, sending: Send) -> AsyncGenerator[bytes, None]:
    try:
        async for chunk in answer.aiter_bytes():
            yield chunk
    except httpx.RequestError as cause:
        raise failed(sending, cause, has_begun=True) from cause
    finally:
        await answer.aclose()
