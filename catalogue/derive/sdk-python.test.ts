import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operation, protocol } from '@svc/contract/protocol'
import { AnyObject, Closed, Did, ListOf, OneOf, Text } from '@svc/contract/schema'
import { Type } from 'typebox'
import { catalogue } from '../catalogue.ts'
import { derivePythonExamples, deriveSdkPython, moduleText } from './sdk-python.ts'
import { docString, pythonName } from './sdk-python-names.ts'

const Move = Type.Union([
  Closed({ kind: Type.Literal('go'), to: Text(9) }),
  Closed({ kind: Type.Literal('stay'), hours: Type.Optional(Type.Integer({ minimum: 0 })) }),
])

const travel = operation({
  summary: 'Travel fast.',
  effect: 'write',
  level: 'L0',
  meters: [],
  secret_output: true,
  input: Closed({
    agent_did: Did,
    from: Type.Optional(Move),
    '5m': Type.Optional(Type.Number()),
    pace: OneOf('slow', 'very_fast'),
    until: Type.Union([Type.Integer({ minimum: 1 }), Type.Null()]),
    labels: Type.Optional(Type.Record(Type.String(), Type.Boolean())),
    extra: Type.Optional(AnyObject),
  }),
  output: Closed({
    pace: OneOf('slow', 'very_fast'),
    move: Move,
    stops: ListOf(Closed({ place: Text(9), cost: Type.Union([Type.Number(), Text(9)]) })),
    json: Type.Optional(Type.Unknown()),
  }),
  example: { agent_did: `did:oas:acme:agent:${'a'.repeat(64)}`, pace: 'slow', until: null },
  handle: () => ({ pace: 'slow' as const, move: { kind: 'go' as const, to: 'Rome' }, stops: [] }),
})

const tour = protocol({
  id: 'TOUR',
  version: 'v1.0.0',
  plane: 'execution',
  estate: 'protocol',
  rate: 'standard',
  category: 'svc-infrastructure',
  summary: 'Journeys.',
  operations: { 'long.travel': travel },
})

const module = moduleText(tour)

function assertHas(...parts: string[]): void {
  for (const part of parts) assert.ok(module.includes(part), `${part}\nis not in\n${module}`)
}

test('fields keep their wire names, and optional ones may be absent', () => {
  assertHas(
    'class LongTravelInput(Input):\n    """Travel fast."""\n',
    '    agent_did: str\n',
    '    from_: LongTravelFromGo | LongTravelFromStay | None = Field(default=None, validation_alias="from", serialization_alias="from")\n',
    '    n5m: float | None = Field(default=None, validation_alias="5m", serialization_alias="5m")\n',
    '    labels: Dict[str, bool] | None = None\n',
    '    extra: Dict[str, Any] | None = None\n',
  )
})

test('null is written only where it is a value of its own', () => {
  assertHas('    null_fields: ClassVar[frozenset[str]] = frozenset(["until"])\n', '    until: int | None\n')
})

test('a sent word must be known, an answered one may be new, and so may a variant', () => {
  assertHas(
    '    pace: Literal["slow", "very_fast"]\n',
    '    pace: Literal["slow", "very_fast"] | str\n',
    '    move: Annotated[LongTravelOutputMoveGo | LongTravelOutputMoveStay | Dict[str, Any], Field(union_mode="left_to_right")]\n',
    '    kind: Literal["go"]\n',
    '    stops: List[LongTravelOutputStop]\n',
    '    json_: Any = Field(default=None, validation_alias="json", serialization_alias="json")\n',
  )
})

test('a secret output is not printed, and both clients have the method', () => {
  assertHas(
    'class LongTravelOutput(SecretOutput):\n',
    'class Tour(Operations):\n',
    'class AsyncTour(AsyncOperations):\n',
    '    def long_travel(\n        self,\n        *,\n        agent_did: str,\n',
    '    async def long_travel(\n',
    '        """Travel fast. A write: never retried."""\n        return self._call("long.travel", LongTravelInput, LongTravelOutput, {\n',
  )
})

test('names are Python, and texts cannot end their docstring', () => {
  const names = ['inputSchema', '@context', '_type', 'class', 'model_ref', 'copy', 'charter.declare']
  assert.deepEqual(names.map(pythonName), [
    'input_schema',
    'context',
    'type',
    'class_',
    'model_ref',
    'copy_',
    'charter_declare',
  ])
  assert.equal(docString('a """b""" \\n "c"'), '"""a \'\'\'b\'\'\' \\\\n "c" """')
})

test('every protocol of the catalogue has a module, and every operation its example', () => {
  const files = new Map(deriveSdkPython(catalogue))
  for (const { id } of catalogue) assert.ok(files.has(`${id.toLowerCase()}.py`), id)
  const [[, text] = []] = derivePythonExamples(catalogue)
  const count = catalogue.flatMap(({ operations }) => Object.keys(operations)).length
  assert.equal(JSON.parse(text!).length, count)
  for (const [path, module_text] of files) {
    assert.doesNotMatch(module_text, /: undefined|\[object/, path)
    // No two fields of a class may share a name.
    for (const block of module_text.split(/^class /m).slice(1)) {
      const fields = [...block.matchAll(/^ {4}(\w+): /gm)].map(([, name]) => name!)
      assert.deepEqual(
        fields.filter((name, i) => fields.indexOf(name) !== i),
        [],
        path,
      )
    }
  }
})
