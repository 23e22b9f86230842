import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operation, protocol } from '@svc/contract/protocol'
import { AnyObject, Closed, Did, ListOf, OneOf, Text } from '@svc/contract/schema'
import { Type } from 'typebox'
import { Check } from 'typebox/value'
import { catalogue } from '../catalogue.ts'
import { deriveModule, deriveSdkRust, shapesOf, typed_protocols } from './sdk-rust.ts'
import { deriveRustExamples, samplesOf, valuesOf } from './sdk-rust-samples.ts'

const Move = Type.Union([
  Closed({ kind: Type.Literal('go'), to: Text(9) }),
  Closed({ kind: Type.Literal('stay'), hours: Type.Optional(Type.Integer({ minimum: 0 })) }),
])

const travel = operation({
  summary: 'Travel <fast> to [somewhere].',
  effect: 'write',
  level: 'L0',
  meters: [],
  secret_output: true,
  input: Closed({
    agent_did: Did,
    do: Type.Optional(Move),
    '5m': Type.Optional(Type.Number()),
    pace: OneOf('slow', 'very_fast'),
    range: Type.Array(Type.Number(), { minItems: 2, maxItems: 2 }),
    delta: Type.Integer(),
    until: Type.Union([Type.Integer({ minimum: 1 }), Type.Null()]),
    labels: Type.Optional(Type.Record(Type.String(), Type.Boolean())),
    extra: Type.Optional(AnyObject),
  }),
  output: Closed({
    pace: OneOf('slow', 'very_fast'),
    mood: OneOf('good', 'unknown'),
    stops: ListOf(Closed({ place: Text(9), cost: Type.Union([Type.Number(), Text(9)]) })),
  }),
  example: {
    agent_did: `did:oas:acme:agent:${'a'.repeat(64)}`,
    do: { kind: 'go', to: 'Rome' },
    pace: 'very_fast',
    range: [0, 1.5],
    delta: -1,
    until: null,
    labels: { rail: true },
  },
  handle: () => ({ pace: 'slow' as const, mood: 'good' as const, stops: [] }),
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

const module = deriveModule(tour)

function assertHas(...parts: string[]): void {
  for (const part of parts) assert.ok(module.includes(part), `${part}\nis not in\n${module}`)
}

test('required fields are arguments, optional ones are set by name, and the wire names stay', () => {
  assertHas(
    '    pub agent_did: String,\n',
    '    #[serde(skip_serializing_if = "Option::is_none")]\n    pub r#do: Option<LongTravelDo>,\n',
    '    #[serde(rename = "5m", skip_serializing_if = "Option::is_none")]\n    pub _5m: Option<f64>,\n',
    '    pub range: [f64; 2],\n    pub delta: i64,\n    pub until: Option<u64>,\n',
    '    pub labels: Option<BTreeMap<String, bool>>,\n',
    '    pub extra: Option<Map<String, Value>>,\n',
    '        agent_did: impl Into<String>,\n        pace: LongTravelPace,\n        range: [f64; 2],\n',
    '    pub fn r#do(mut self, r#do: LongTravelDo) -> Self {\n        self.r#do = Some(r#do);\n        self\n    }\n',
  )
})

test('an answered word may be unknown, one that is only sent may not', () => {
  assertHas('pub enum LongTravelMood {\n    /// `good`\n    #[serde(rename = "good")]\n    Good,\n')
  const [, mood = ''] = /pub enum LongTravelMood \{([^}]*)\}/.exec(module) ?? []
  const [, pace = ''] = /pub enum LongTravelPace \{([^}]*)\}/.exec(module) ?? []
  assert.match(mood, / {4}Unknown,\n.*\n {4}#\[serde\(untagged\)\]\n {4}Unlisted\(String\),\n$/)
  // One type for both sides, since both have the same words.
  assert.match(pace, /VeryFast,\n[\s\S]*Unlisted\(String\)/)
  const [, go = ''] = /pub enum LongTravelDo \{([^}]*)\}/.exec(module) ?? []
  assert.doesNotMatch(go, /Unlisted/)
})

test('a choice is distinguished by its tag where it has one, and by its form otherwise', () => {
  assertHas(
    '#[serde(tag = "kind")]\n#[non_exhaustive]\npub enum LongTravelDo {\n    /// `go`\n    #[serde(rename = "go")]\n    Go(LongTravelDoGo),\n',
    'pub struct LongTravelDoStay {\n    #[serde(skip_serializing_if = "Option::is_none")]\n    pub hours: Option<u64>,\n}\n',
    '#[serde(untagged)]\n#[non_exhaustive]\npub enum LongTravelStopCost {\n    Number(f64),\n    Text(String),\n',
  )
})

test('a method has its summary as plain text, and its example as code', () => {
  assertHas(
    '    /// Travel \\<fast\\> to \\[somewhere\\].\n    ///\n    /// A write: never repeated.\n',
    '    ///     LongTravelPace::VeryFast,\n    ///     [0.0, 1.5],\n    ///     -1,\n    ///     None,\n    /// )\n',
    '    /// .r#do(LongTravelDo::Go(LongTravelDoGo::new("Rome")))\n',
    '    /// .labels(BTreeMap::from([("rail".into(), true)]));\n',
    '    /// let output = client.tour().long_travel(&input).await?;\n',
    '        self.call("long.travel", input).await\n',
  )
})

test('a secret answer is not printed', () => {
  assertHas(
    '#[derive(Clone, Deserialize, PartialEq, Serialize)]\n#[non_exhaustive]\npub struct LongTravelOutput',
  )
  assertHas('f.write_str("LongTravelOutput { .. }")')
})

test('every protocol of the catalogue has a form in Rust, and no two types of one share a name', () => {
  for (const each of catalogue) {
    const text = deriveModule(each)
    const names = [...text.matchAll(/^pub (?:struct|enum) (\w+)/gm)].map(([, name]) => name)
    assert.equal(new Set(names).size, names.length, each.id)
    for (const name of Object.keys(each.operations))
      assert.ok(text.includes(`self.call("${name}", input)`), name)
  }
})

test('types the crate has by hand are used from there', () => {
  const macs = catalogue.find(({ id }) => id === 'MACS')!
  assert.match(deriveModule(macs), /^use crate::lineage::LineageStatement;$/m)
  assert.match(deriveModule(macs), /^use crate::key_events::KeyEvent;$/m)
  const by_hand = /pub (struct|enum) (LineageStatement|DelegationToken|AgentCapability|KeyEvent\w*)\b/
  assert.doesNotMatch(deriveModule(macs), by_hand)
  assert.equal(shapesOf(macs).find('LineageStatement')?.home, 'lineage')
})

test('the table has every operation of every protocol, with whether it reads', () => {
  const files = new Map(deriveSdkRust(catalogue))
  const rows = files.get('catalogue.rs') ?? ''
  for (const { id, version, operations } of catalogue) {
    const row = rows.slice(rows.indexOf(`id: "${id}"`))
    assert.ok(row.slice(0, 80).includes(`version: "${version}"`), id)
    for (const [name, { effect }] of Object.entries(operations))
      assert.ok(row.includes(`("${name}", ${effect === 'read'})`), `${id} ${name}`)
  }
  for (const id of typed_protocols) assert.ok(files.has(`${id.toLowerCase()}.rs`), id)
})

test('a generated sample is valid, and covers every form of every choice', () => {
  for (const each of catalogue.filter(({ id }) => typed_protocols.has(id))) {
    for (const { operation: name, side, value } of samplesOf(each)) {
      const schema = each.operations[name]![side]
      assert.ok(Check(schema, value), `${each.id} ${name} ${side} ${JSON.stringify(value)}`)
    }
  }
  const values = valuesOf(travel.input) as { do?: { kind: string }; until: number | null; pace: string }[]
  assert.deepEqual(new Set(values.map((value) => value.do?.kind)), new Set([undefined, 'go', 'stay']))
  assert.deepEqual(new Set(values.map(({ until }) => until)), new Set([1, null]))
})

test('every type is read and written again by the crate’s own test', () => {
  const files = new Map(deriveRustExamples(catalogue))
  const text = files.get('round_trip.rs') ?? ''
  for (const { protocol, operation: name, side } of JSON.parse(files.get('examples.json') ?? '[]'))
    assert.ok(text.includes(`("${protocol}", "${name}", "${side}") =>`), `${protocol} ${name} ${side}`)
})
