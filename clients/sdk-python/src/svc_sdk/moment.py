"""Wire timestamps: RFC 3339 in UTC, compared to the millisecond."""

from __future__ import annotations

import re

_FORM = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})T([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]{1,9}))?Z")


def moment_ms(text: str) -> int | None:
    """Unix milliseconds; None if it is not such a timestamp. Smaller fractions are truncated."""
    form = _FORM.fullmatch(text)
    if form is None:
        return None
    year, month, day, hour, minute, second = (int(part) for part in form.groups()[:6])
    if not (1 <= month <= 12 and 1 <= day <= 31) or hour > 23 or minute > 59 or second > 59:
        return None
    ms = int(((form.group(7) or "") + "000")[:3])
    return (_days_since_epoch(year, month, day) * 86_400 + hour * 3_600 + minute * 60 + second) * 1_000 + ms


def is_after(end: str, now: str) -> bool:
    """False where either is not a timestamp."""
    end_ms, now_ms = moment_ms(end), moment_ms(now)
    return end_ms is not None and now_ms is not None and end_ms > now_ms


def _days_since_epoch(year: int, month: int, day: int) -> int:
    # The year begins in March here, so the leap day is its last day.
    year = year if month > 2 else year - 1
    day_of_year = (153 * ((month + 9) % 12) + 2) // 5 + day - 1
    return year * 365 + year // 4 - year // 100 + year // 400 + day_of_year - 719_468
