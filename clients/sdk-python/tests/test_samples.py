"""Values of every schema of the catalogue, with nothing optional and with everything, stay what they are.

checks/clients/sdk of the repository derives them: they are too many to be kept.
"""

from __future__ import annotations

import importlib
import json
import os
from pathlib import Path
from typing import Any

import pytest

from svc_sdk.models import Input, Output

FILE = os.environ.get("SVC_TEST_SAMPLES", "")


def model_of(sample: Any) -> type[Input] | type[Output]:
    words = sample["operation"].replace(".", "_").split("_")
    name = "".join(word[:1].upper() + word[1:] for word in words)
    module = importlib.import_module(f"svc_sdk.protocols.{sample['protocol'].lower()}")
    model: type[Input] | type[Output] = getattr(module, f"{name}{sample['side']}")
    return model


@pytest.mark.skipif(not FILE, reason="no samples: checks/clients/sdk derives them")
def test_every_sample_stays_what_it_is() -> None:
    samples = json.loads(Path(FILE).read_text(encoding="utf-8"))
    assert len(samples) > 500
    for sample in samples:
        value = model_of(sample).model_validate(sample["value"])
        # An answer may hold null where a field is absent elsewhere, so only what came is compared.
        back = (
            value.to_json()
            if isinstance(value, Input)
            else value.model_dump(by_alias=True, exclude_unset=True)
        )
        assert back == sample["value"], sample


@pytest.mark.skipif(not FILE, reason="no samples: checks/clients/sdk derives them")
def test_an_answer_bears_fields_that_are_not_known_here() -> None:
    for sample in json.loads(Path(FILE).read_text(encoding="utf-8")):
        news = {**sample["value"], "said_by_a_newer_engine": [1]}
        if sample["side"] == "Output":
            assert model_of(sample).model_validate(news)
        else:
            with pytest.raises(ValueError):
                model_of(sample).model_validate(news)
