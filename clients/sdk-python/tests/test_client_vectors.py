"""The vectors of errors and retries, which the other SDKs run as well."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest
from engine import Engine
from vectors import cases

from svc_sdk import SvcError
from svc_sdk.retry import retry_delay_ms


@pytest.mark.parametrize("case", cases("error_mapping"), ids=lambda case: case["name"][:60])
def test_answers_are_read_as_the_vectors_say(case: Any) -> None:
    text = case["text"] if "text" in case else json.dumps(case["body"])
    answer = httpx.Response(case["status"], headers=case["headers"], content=text)
    for error in Engine(answer).both(lambda client: client.dispatch("PLUGIN", "do", {})):
        assert isinstance(error, SvcError), error
        fields = error.to_json()
        assert {name: fields[name] for name in case["expected"]} == case["expected"]


def test_reads_are_retried_if_and_when_the_vectors_say() -> None:
    for case in cases("retry"):
        delay = retry_delay_ms(case["code"], case["retry_after_ms"], case["attempt"], case["random"])
        if delay is None or case["delay_ms"] is None:
            assert delay == case["delay_ms"], case
        else:
            assert delay == pytest.approx(case["delay_ms"], abs=1e-6), case
