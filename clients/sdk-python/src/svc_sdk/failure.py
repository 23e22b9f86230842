"""Errors for calls without an answer: how it failed, and whether it may have been executed."""

from __future__ import annotations

import httpx

from .errors import SvcError
from .flow import Send

_CAUSES_MAX = 8
_DOUBT = " It may have been executed: check before you retry, or set an idempotency_key."
# There was no connection, so nothing was executed.
_NEVER_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.UnsupportedProtocol)


def failed(sending: Send, cause: Exception, *, has_begun: bool) -> SvcError:
    """`has_begun` says that the answer had."""
    is_doubtful = sending.request.changes and not isinstance(cause, _NEVER_SENT)
    doubt = _DOUBT if is_doubtful else ""
    api_url = sending.url.removesuffix(sending.request.path)
    if isinstance(cause, (httpx.TimeoutException, TimeoutError)):
        timeout_ms = round(sending.request.timeout_s * 1000)
        message = f"{api_url} did not answer within {timeout_ms} ms; allow more time, or try again.{doubt}"
        return SvcError("timeout", message, reason="client timeout", retryable=not is_doubtful)
    how = "broke off in the middle of its answer" if has_begun else "cannot be reached"
    advice = "check the address and that the engine runs."
    return SvcError(
        "network",
        f"{api_url} {how} ({_innermost(cause)}); {advice}{doubt}",
        reason="connection lost" if has_begun else "unreachable",
        retryable=not is_doubtful,
    )


def ended_early(sending: Send) -> SvcError:
    return failed(sending, EOFError("the stream ended before its result"), has_begun=True)


def _innermost(cause: BaseException) -> str:
    for _ in range(_CAUSES_MAX):
        deeper = cause.__cause__ or cause.__context__
        if deeper is None:
            break
        cause = deeper
    return str(cause) or type(cause).__name__
