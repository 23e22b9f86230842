"""Every example of the catalogue stays what it is, and every protocol and operation has its name."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

import pytest
from engine import Engine, answer
from pydantic import ValidationError

from svc_sdk.models import Input
from svc_sdk.protocols.catalogue import PROTOCOLS
from svc_sdk.protocols.macs import GenerateChallengeOutput

EXAMPLES: list[Any] = json.loads((Path(__file__).parent / "generated" / "examples.json").read_text())


def model_of(example: Any) -> type[Input]:
    words = example["operation"].replace(".", "_").split("_")
    name = "".join(word[:1].upper() + word[1:] for word in words)
    module = importlib.import_module(f"svc_sdk.protocols.{example['protocol'].lower()}")
    model: type[Input] = getattr(module, f"{name}Input")
    return model


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda one: f"{one['protocol']}.{one['operation']}")
def test_an_example_stays_what_it_is(example: Any) -> None:
    model = model_of(example)
    assert model.model_validate(example["input"]).to_json() == example["input"]
    with pytest.raises(ValidationError):
        model.model_validate({**example["input"], "not_a_field": 1})


def test_every_operation_is_a_method_that_sends_its_example() -> None:
    # The output is of no interest here.
    engine = Engine(answer({}))
    for example in EXAMPLES:
        model = model_of(example).model_validate(example["input"])
        fields = {name: getattr(model, name) for name in model.model_fields_set}
        operations = getattr(engine.client(), example["protocol"].lower())
        try:
            getattr(operations, example["operation"].replace(".", "_"))(**fields)
        except Exception as error:
            assert getattr(error, "code", None) == "bad_answer", (example, error)
        body = json.loads(engine.requests[-1].content)
        assert body["input"] == example["input"]
        assert (body["protocol"], body["operation"]) == (example["protocol"], example["operation"])
    assert {one["protocol"].upper() for one in EXAMPLES} == set(PROTOCOLS)
    count = sum(len(row.operations) for row in PROTOCOLS.values())
    assert len(engine.requests) == len(EXAMPLES) == count


def test_an_answer_that_only_its_caller_may_know_is_not_printed() -> None:
    fields: dict[str, Any] = dict.fromkeys(GenerateChallengeOutput.model_fields, "secret")
    assert "secret" not in repr(GenerateChallengeOutput.model_construct(**fields))
