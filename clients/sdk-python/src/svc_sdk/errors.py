"""What is raised for a refused or failed call."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any

from .protocols.catalogue import REFUSALS

_COUNT_FORM = re.compile(r"[0-9]{1,12}")
_DATE_FORM = re.compile(r"[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9]{2}:[0-9]{2}:[0-9]{2} GMT")


@dataclass(frozen=True)
class RateLimit:
    """The caller's remaining rate limit for this protocol."""

    limit: int
    remaining: int
    reset_s: int
    """Seconds until the limit is fully restored."""


@dataclass(frozen=True)
class AnswerHeaders:
    """The headers of an answer: the same for successes, refusals and streams."""

    correlation_id: str | None = None
    """`X-Correlation-Id`: names the call in the audit log."""
    traceparent: str | None = None
    """As sent and returned."""
    rate_limit: RateLimit | None = None
    """`X-RateLimit-*`; None if no limit applies."""


class SvcError(Exception):
    """A refused or failed call. Its text says what happened, why, and what to do.

    `code` is the service's, or `not_configured` (address, key or DID is missing), `network` (no answer), `bad_answer`
    (not an answer of svc, or an unknown code: see `details["code"]`).
    """

    def __init__(
        self,
        code: str,
        message: str,
        *,
        reason: str | None = None,
        stage: int | None = None,
        correlation_id: str | None = None,
        retryable: bool = False,
        retry_after_ms: float | None = None,
        details: Mapping[str, Any] | None = None,
        audit_head: str | None = None,
        headers: AnswerHeaders | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.reason = reason
        """A short stable phrase naming the rule, e.g. `no active treaty`."""
        self.stage = stage
        """The stage that refused, 0 to 8; None if the request never became a call."""
        self.correlation_id = correlation_id or (headers.correlation_id if headers else None)
        self.retryable = retryable
        """Whether a retry may help and is safe."""
        self.retry_after_ms = retry_after_ms
        self.details: dict[str, Any] = dict(details or {})
        self.audit_head = audit_head
        self.headers = headers
        """The answer's headers; None without an answer."""

    def to_json(self) -> dict[str, Any]:
        """The wire's `error` object."""
        names = (
            "code",
            "message",
            "reason",
            "stage",
            "correlation_id",
            "retryable",
            "retry_after_ms",
            "details",
            "audit_head",
        )
        return {name: getattr(self, name) for name in names}

    def __reduce__(self) -> tuple[Any, ...]:
        # Exceptions with keyword arguments are not pickled by themselves, and process pools do that.
        return (_rebuilt, (self.to_json(), self.headers))


def _rebuilt(fields: dict[str, Any], headers: AnswerHeaders | None) -> SvcError:
    return SvcError(**fields, headers=headers)


def not_configured(message: str) -> SvcError:
    return SvcError("not_configured", message, reason="not configured")


def bad_answer(
    message: str, details: Mapping[str, Any] | None = None, headers: AnswerHeaders | None = None
) -> SvcError:
    return SvcError("bad_answer", message, reason="bad answer", details=details, headers=headers)


def read_answer_headers(headers: Mapping[str, str]) -> AnswerHeaders:
    """The names are lowercase."""
    limit, remaining, reset_s = (
        _count_of(headers.get(f"x-ratelimit-{name}")) for name in ("limit", "remaining", "reset")
    )
    rate_limit = None
    if limit is not None and remaining is not None and reset_s is not None:
        rate_limit = RateLimit(limit, remaining, reset_s)
    return AnswerHeaders(headers.get("x-correlation-id"), headers.get("traceparent"), rate_limit)


def refusal_of(body: Any, status: int, headers: Mapping[str, str], api_url: str) -> SvcError:
    """The error of an unsuccessful answer; a proxy's page is not mistaken for an answer of the service."""
    answer_headers = read_answer_headers(headers)
    error = body.get("error") if isinstance(body, dict) else None
    code, message = (error.get("code"), error.get("message")) if isinstance(error, dict) else (None, None)
    if not isinstance(error, dict) or not isinstance(code, str) or not isinstance(message, str):
        return _stranger_said(status, answer_headers, api_url)
    details = error["details"] if isinstance(error.get("details"), dict) else {}
    is_known = code in REFUSALS
    stage = error.get("stage")
    wait_ms = _wait_of(error.get("retry_after_ms"))
    if wait_ms is None:
        wait_ms = _retry_after_ms(headers.get("retry-after"), headers.get("date"))
    return SvcError(
        code if is_known else "bad_answer",
        message,
        reason=_text_of(error.get("reason")),
        stage=stage if isinstance(stage, (int, float)) and not isinstance(stage, bool) else None,  # type: ignore[arg-type]
        correlation_id=_text_of(error.get("correlation_id")),
        retryable=error.get("retryable") is True,
        retry_after_ms=wait_ms,
        # A newer service may have more codes: its message is used, and its code is in the details.
        details=details if is_known else {**details, "code": code, "status": status},
        audit_head=_text_of(error.get("audit_head")),
        headers=answer_headers,
    )


def _stranger_said(status: int, headers: AnswerHeaders, api_url: str) -> SvcError:
    advice = (
        "a proxy in between may have said it: check that the engine runs."
        if status >= 500
        else "check that api_url is that of an engine or its gateway."
    )
    message = f"{api_url} answered {status} with something that is no answer of svc; {advice}"
    return bad_answer(message, {"status": status}, headers)


def _retry_after_ms(retry_after: str | None, answered_at: str | None) -> float | None:
    """In seconds or as a date, which is compared with the answer's own `Date`, not with the local clock."""
    if retry_after is None:
        return None
    seconds = _count_of(retry_after)
    if seconds is not None:
        return seconds * 1000
    until_ms, now_ms = _time_ms(retry_after), _time_ms(answered_at or "")
    return None if until_ms is None or now_ms is None else max(0.0, until_ms - now_ms)


def _time_ms(date: str) -> float | None:
    if _DATE_FORM.fullmatch(date) is None:
        return None
    try:
        return parsedate_to_datetime(date).timestamp() * 1000
    except (ValueError, OverflowError):
        return None


def _count_of(text: str | None) -> int | None:
    return int(text) if text is not None and _COUNT_FORM.fullmatch(text) else None


def _text_of(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _wait_of(value: Any) -> float | None:
    is_wait = isinstance(value, (int, float)) and not isinstance(value, bool)
    return value if is_wait and 0 <= value < float("inf") else None
