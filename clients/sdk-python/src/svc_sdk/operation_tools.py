"""Operations of the engine as tools of a framework: their names, descriptions and schemas, from the catalogue."""

from __future__ import annotations

import ast
import functools
import importlib
import inspect
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from .answer import Answer
from .calls import Calls
from .errors import SvcError
from .flow import Flow
from .governed import Refused
from .models import Input
from .operations import content_of
from .options import CallOptions
from .protocols.catalogue import PROTOCOLS


@dataclass(frozen=True)
class OperationTool:
    """An operation, ready to be offered to a model."""

    protocol: str
    operation: str
    model: type[Input]

    @property
    def name(self) -> str:
        """Model providers allow no dots."""
        return f"{self.protocol.lower()}_{self.operation.replace('.', '_')}"

    @property
    def description(self) -> str:
        return inspect.cleandoc(self.model.__doc__ or "")

    def schema(self) -> dict[str, Any]:
        """JSON Schema of the input, with a description of every field."""
        schema = self.model.model_json_schema(by_alias=True)
        texts = _field_texts(self.model.__module__)
        for name, part in {self.model.__name__: schema, **schema.get("$defs", {})}.items():
            for field, text in texts.get(name, {}).items():
                part["properties"][field]["description"] = text
        return schema

    def call(self, calls: Calls, arguments: Mapping[str, Any], options: CallOptions) -> Flow[str]:
        """The output as JSON, or the refusal, as text for a model: it can explain itself, or try something else."""
        try:
            content = content_of(self.protocol, self.operation, self.model, arguments)
            answer: Answer[Any] = yield from calls.dispatch(self.protocol, self.operation, content, options)
        except SvcError as error:
            return str(Refused.of(self.name, error))
        return json.dumps(answer.output, ensure_ascii=False)


def operation_tools(operations: Sequence[str]) -> list[OperationTool]:
    """Of names such as `MIND.store_memory`."""
    return [_tool_of(name) for name in operations]


def _tool_of(name: str) -> OperationTool:
    protocol, _, operation = name.partition(".")
    row = PROTOCOLS.get(protocol.upper())
    if row is None or operation not in row.operations:
        example = "write PROTOCOL.operation as in the reference, such as MIND.store_memory"
        raise ValueError(f"There is no operation {name} in the catalogue of this version; {example}.")
    words = operation.replace(".", "_").split("_")
    module = importlib.import_module(f".protocols.{protocol.lower()}", __package__)
    model: type[Input] = getattr(module, "".join(word[:1].upper() + word[1:] for word in words) + "Input")
    return OperationTool(protocol.upper(), operation, model)


@functools.cache
def _field_texts(module_name: str) -> dict[str, dict[str, str]]:
    """By class and wire name: the texts below the fields, which are for editors, and which a model can read as well."""
    module = importlib.import_module(module_name)
    try:
        statements = ast.parse(inspect.getsource(module)).body
    except OSError:
        # Packed without sources: then there are types only.
        return {}
    texts: dict[str, dict[str, str]] = {}
    for statement in statements:
        model = getattr(module, getattr(statement, "name", ""), None)
        if isinstance(statement, ast.ClassDef) and isinstance(model, type) and issubclass(model, BaseModel):
            texts[statement.name] = {
                model.model_fields[name].serialization_alias or name: text
                for name, text in _documented(statement.body)
            }
    return texts


def _documented(body: list[ast.stmt]) -> Iterator[tuple[str, str]]:
    for field, text in zip(body, body[1:]):
        match field, text:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(value))):
                yield name, value
