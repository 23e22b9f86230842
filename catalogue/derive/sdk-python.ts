// The Python client's part of the catalogue: a module per protocol with models and methods, and one table of all operations.
import { LiveFigures } from '@svc/contract/live'
import type { OperationFacts } from '@svc/contract/operation-facts'
import type { Declaration } from '@svc/contract/protocol'
import { refusals } from '@svc/contract/refusal'
import { sortedOperations, sortedProtocols, typeName } from './names.ts'
import { docString, pythonName } from './sdk-python-names.ts'
import { modelNames, type PythonField, type PythonModel, PythonShapes } from './sdk-python-shapes.ts'

const head = '# Derived from the catalogue; do not edit. Run `npm run generate` after changing a protocol.\n'
const future = 'from __future__ import annotations\n'

/** File name -> text. */
export function deriveSdkPython(protocols: readonly Declaration[]): [string, string][] {
  const sorted = sortedProtocols(protocols)
  return [
    ['__init__.py', `${head}"""Models and methods of every protocol of the catalogue."""\n`],
    ['catalogue.py', catalogueText(sorted)],
    ['by_name.py', byNameText(sorted)],
    ['live.py', liveText()],
    ...sorted.map((protocol): [string, string] => [`${moduleOf(protocol)}.py`, moduleText(protocol)]),
  ]
}

/** File name -> text: the input of every example, which its model must take and write unchanged. */
export function derivePythonExamples(protocols: readonly Declaration[]): [string, string][] {
  const examples = sortedProtocols(protocols).flatMap((protocol) =>
    sortedOperations(protocol).map(([operation, { example }]) => ({
      protocol: protocol.id,
      operation,
      input: example,
    })),
  )
  return [['examples.json', JSON.stringify(examples, null, 1)]]
}

function moduleOf({ id }: Declaration): string {
  return pythonName(id.toLowerCase())
}

export function moduleText(protocol: Declaration): string {
  const shapes = new PythonShapes()
  const operations = sortedOperations(protocol).map(([name, facts]) => {
    const { input, output } = modelNames(name)
    const request = shapes.add(input, 'Input', facts.input, facts.summary)
    shapes.add(
      output,
      'Output',
      facts.output,
      `Answer of ${protocol.id} ${name}.`,
      facts.secret_output === true,
    )
    return { name, facts, fields: request.fields }
  })
  const clients = [false, true].map((is_async) => clientText(protocol, operations, is_async))
  const text = [...shapes.all().map(modelText), ...clients].join('\n\n')
  const doc = docString(`${protocol.id} ${protocol.version}. ${protocol.summary}`)
  return `${head}${doc}\n\n${future}\n${importsOf(text, shapes.all(), true)}\n\n${text}`
}

/** Only what the text names: unused imports would be lint. */
function importsOf(text: string, models: readonly PythonModel[], has_methods: boolean): string {
  const used = (names: readonly string[], form = (name: string) => `\\b${name}\\b`) =>
    names.filter((name) => new RegExp(form(name)).test(text))
  const typing = used(['Annotated', 'Any', 'ClassVar', 'Dict', 'List', 'Literal'], (name) =>
    ['Any', 'ClassVar'].includes(name) ? `\\b${name}\\b` : `\\b${name}\\[`,
  )
  const sides = ['Input', 'Output', 'SecretOutput'].filter((base) =>
    models.some((model) => baseOf(model) === base),
  )
  const lines = [
    ...(typing.length > 0 ? [`from typing import ${typing.join(', ')}\n`] : []),
    ...(text.includes('Field(') ? ['from pydantic import Field\n'] : []),
    `from ..models import ${sides.join(', ')}`,
    ...(has_methods ? ['from ..operations import AsyncOperations, Operations'] : []),
  ]
  return `${lines.join('\n')}\n`
}

function baseOf({ side, secret }: PythonModel): string {
  return secret ? `Secret${side}` : side
}

function modelText(model: PythonModel): string {
  const nulls = model.fields.filter(({ required, nullable }) => required && nullable)
  const lines = [
    `class ${model.name}(${baseOf(model)}):`,
    `    ${docString(model.doc || 'A part of the above.')}`,
    ...(model.side === 'Input' && nulls.length > 0
      ? [
          '',
          `    null_fields: ClassVar[frozenset[str]] = frozenset([${nulls.map(({ wire }) => JSON.stringify(wire)).join(', ')}])`,
        ]
      : []),
    ...(model.fields.length > 0 ? [''] : []),
    ...model.fields.flatMap(fieldLines),
  ]
  return `${lines.join('\n')}\n`
}

function fieldLines(field: PythonField): string[] {
  const { name, wire, required, doc } = field
  const alias = JSON.stringify(wire)
  // Not `alias`, which type checkers take for the name of the argument.
  const renamed = `validation_alias=${alias}, serialization_alias=${alias}`
  const value =
    name === wire
      ? required
        ? ''
        : ' = None'
      : ` = Field(${required ? renamed : `default=None, ${renamed}`})`
  return [`    ${name}: ${typeOf(field)}${value}`, ...(doc ? [`    ${docString(doc)}`] : [])]
}

function typeOf({ type, required, nullable }: PythonField): string {
  return required || nullable || type === 'Any' ? type : `${type} | None`
}

interface Operation {
  readonly name: string
  readonly facts: OperationFacts
  readonly fields: readonly PythonField[]
}

function clientText(protocol: Declaration, operations: readonly Operation[], is_async: boolean): string {
  const prefix = is_async ? 'Async' : ''
  const methods = operations.map((operation) => methodText(operation, is_async))
  const first = [
    `class ${prefix}${typeName(protocol.id)}(${prefix}Operations):`,
    `    ${docString(protocol.summary)}`,
    '',
    `    protocol = ${JSON.stringify(protocol.id)}`,
  ]
  return `${first.join('\n')}\n\n${methods.join('\n')}`
}

function methodText({ name, facts, fields }: Operation, is_async: boolean): string {
  const { input, output } = modelNames(name)
  const args = fields.map(
    (field) => `        ${field.name}: ${typeOf(field)}${field.required ? '' : ' = None'},\n`,
  )
  const signature = fields.length === 0 ? 'self' : `\n        self,\n        *,\n${args.join('')}    `
  const repeated = facts.effect === 'read' ? 'A read: retried.' : 'A write: never retried.'
  const values = fields.map((field) => `            ${JSON.stringify(field.name)}: ${field.name},\n`)
  const arguments_text = fields.length === 0 ? '{}' : `{\n${values.join('')}        }`
  const call = `self._call(${JSON.stringify(name)}, ${input}, ${output}, ${arguments_text})`
  const def = is_async ? 'async def' : 'def'
  return `    ${def} ${pythonName(name)}(${signature}) -> ${output}:
        ${docString(`${facts.summary} ${repeated}`)}
        return ${is_async ? 'await ' : ''}${call}
`
}

function catalogueText(protocols: readonly Declaration[]): string {
  const rows = protocols.map((protocol) => {
    const operations = sortedOperations(protocol).map(
      ([name, { effect }]) => `            ${JSON.stringify(name)}: "${effect}",\n`,
    )
    return `    ${JSON.stringify(protocol.id.toUpperCase())}: Row(
        ${JSON.stringify(protocol.version)},
        {
${operations.join('')}        },
    ),
`
  })
  const codes = Object.keys(refusals).map((code) => `        "${code}",\n`)
  return `${head}"""What a client must know of a protocol while it runs."""

${future}
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Row:
    version: str
    operations: dict[str, Literal["read", "write"]]


PROTOCOLS: dict[str, Row] = {
${rows.join('')}}

REFUSALS = frozenset(
    [
${codes.join('')}    ]
)
`
}

/** Modules are imported when a protocol is first used: all of them would delay every start. */
function byNameText(protocols: readonly Declaration[]): string {
  const imports = protocols.map((protocol) => {
    const name = typeName(protocol.id)
    return `    from .${moduleOf(protocol)} import Async${name}, ${name}\n`
  })
  const classText = (prefix: string) => {
    const properties = protocols.map((protocol) => {
      const [module, name] = [moduleOf(protocol), `${prefix}${typeName(protocol.id)}`]
      return `    @property
    def ${module}(self) -> ${name}:
        ${docString(protocol.summary)}
        from .${module} import ${name}

        return ${name}(cast("${prefix}Client", self))
`
    })
    return `class ${prefix}ProtocolClients:
    """Every protocol by its lower-case name."""

${properties.join('\n')}`
  }
  return `${head}"""\`client.max.audit_query(...)\`: every protocol as a property of a client."""

${future}
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from ..async_client import AsyncClient
    from ..client import Client
${imports.join('')}

${classText('')}

${classText('Async')}`
}

function liveText(): string {
  const shapes = new PythonShapes()
  shapes.add('LiveFigures', 'Output', LiveFigures, 'An event of GET /v1/live.')
  const text = shapes.all().map(modelText).join('\n\n')
  const doc = docString('Live figures of a tenant.')
  return `${head}${doc}\n\n${future}\n${importsOf(text, shapes.all(), false)}\n\n${text}`
}
