"""Whether and when a read is sent again."""

from __future__ import annotations

_NETWORK_RETRIES_MAX = 3
_NETWORK_WAIT_MS = 200
_RATE_RETRIES_MAX = 5
_RATE_WAIT_MS = 1_000
_RATE_WAIT_MS_MIN = 50
# Longer waits are left to the caller.
_RATE_WAIT_MS_MAX = 60_000
# So that callers refused together do not retry together.
_RATE_JITTER = 0.1
_CIRCUIT_RETRIES_MAX = 8
_CIRCUIT_WAIT_MS = 500
_CIRCUIT_WAIT_MS_MAX = 30_000


def retry_delay_ms(code: str, retry_after_ms: float | None, attempt: int, chance: float) -> float | None:
    """The delay before a retry, None for none; `attempt` counts earlier failures of the kind, `chance` is from 0 to 1.

    Only for reads: repeating a write is safe only if the first was lost.
    """
    growth = 2.0**attempt
    if code == "rate_limited":
        wait_ms = _RATE_WAIT_MS * growth if retry_after_ms is None else retry_after_ms
        if attempt >= _RATE_RETRIES_MAX or wait_ms > _RATE_WAIT_MS_MAX:
            return None
        # Never sooner than the server asks.
        return max(wait_ms, _RATE_WAIT_MS_MIN) * (1 + _RATE_JITTER * chance)
    if code in ("circuit_open", "unavailable"):
        if attempt >= _CIRCUIT_RETRIES_MAX:
            return None
        return min(_CIRCUIT_WAIT_MS * growth, _CIRCUIT_WAIT_MS_MAX)
    if code == "network":
        if attempt >= _NETWORK_RETRIES_MAX:
            return None
        return _NETWORK_WAIT_MS * growth * (0.5 + chance)
    return None
