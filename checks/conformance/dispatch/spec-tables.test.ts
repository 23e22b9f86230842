// Each row of the specification's tables against a running engine: the directory, tools and schemas over
// HTTP.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { isEngineOwned, taxonomy } from '@svc/contract/audit/event'
import { covers, isCapabilityName } from '@svc/contract/authority/capability'
import { tiers } from '@svc/contract/authority/tier'
import { AgentEntityKind } from '@svc/contract/identity/identity'
import { base_rate } from '@svc/contract/money/charge'
import { type RefusalCode, refusals } from '@svc/contract/refusal'
import { ConformanceLevel } from '@svc/contract/schema'
import { default_limits } from '@svc/engine/limits/limits'
import { readCapabilities } from '@svc/service/admin/capability-names'
import { Check } from 'typebox/value'
import { common_flags } from '../../../clients/cli/command.ts'
import { invoke } from '../../../clients/cli/commands/invoke.ts'
import { connect, keyOf, type McpScene, startWithMcp } from '../gateway/mcp-scene.ts'
import * as spec from './spec-tables.ts'

interface Listed {
  readonly id: string
  readonly plane: string
  readonly estate: string
  readonly category: string
  readonly operations: readonly { readonly name: string }[]
}

const root = join(import.meta.dirname, '../../..')
let service: McpScene
let protocols: ReadonlyMap<string, Listed>
const get = async (path: string) => {
  const answer = await fetch(`${service.api_url}${path}`)
  assert.equal(answer.status, 200, path)
  // biome-ignore lint/suspicious/noExplicitAny: pages of every shape
  return (await answer.json()) as any
}

before(async () => {
  service = await startWithMcp({ caller: { capabilities: ['svc.*.*'] } })
  const { protocols: listed } = await get('/v1/protocols')
  protocols = new Map((listed as Listed[]).map((each) => [each.id, each]))
})
after(() => service?.stop())

type Field = 'plane' | 'estate' | 'category'

/** One failure that names every row that differs. */
function assertRows(field: Field, rows: Readonly<Record<string, readonly string[]>>): void {
  const expected = Object.entries(rows).flatMap(([value, ids]) => ids.map((id) => [id, value] as const))
  const actual = expected.map(([id]) => [id, protocols.get(id)?.[field]])
  assert.deepEqual(actual, expected)
}

test('Seven planes: every service is in its own, and there are no others', () => {
  assertRows('plane', spec.planes)
  assert.deepEqual([...protocols.keys()].sort(), Object.values(spec.planes).flat().sort())
})

test('Service kinds: each example is of its kind', () => assertRows('estate', spec.estates))

test('Tool categories: each protocol, in the directory and over MCP', async () => {
  assertRows('category', spec.categories)
  assertRows('category', spec.categories_chosen)
  const all = [...Object.values(spec.categories), ...Object.values(spec.categories_chosen)].flat()
  assert.deepEqual(all.sort(), [...protocols.keys()].sort(), 'each protocol is in one of the two lists')
  for (const [category, ids] of Object.entries(spec.categories)) {
    const word = category.slice('svc-'.length)
    const client = await connect(`${service.mcp_url}?category=${word}&tools_max=128`, {
      headers: keyOf(service),
    })
    const { tools } = await client.listTools()
    await client.close()
    const served = tools.flatMap(({ name, _meta }) => (_meta?.['svc/category'] === category ? [name] : []))
    const listed = [...ids, ...(spec.categories_chosen[category] ?? [])].map((id) => id.toLowerCase())
    assert.deepEqual([...new Set(served.map((name) => name.split('.')[1]))].sort(), listed.sort(), category)
  }
})

test('Rate classes: protocols, capacities and refills', () => {
  const { infrastructure, heavy, standard } = spec.rate_classes
  const named: readonly string[] = [...infrastructure.protocols, ...heavy.protocols]
  const rest = [...protocols.keys()].filter((id) => !named.includes(id))
  const rows = { infrastructure: infrastructure.protocols, heavy: heavy.protocols, standard: rest }
  const { registry } = service.service
  const expected = Object.entries(rows).flatMap(([rate, ids]) => ids.map((id) => [id, rate]))
  const actual = expected.map(([id]) => [id, registry.versions(id!)?.[0]?.facts.rate])
  assert.deepEqual(actual, expected)
  for (const [name, { capacity, refill_per_s }] of Object.entries({ infrastructure, heavy, standard }))
    assert.deepEqual(default_limits[name as keyof typeof default_limits], { capacity, refill_per_s }, name)
})

test('Tiers: factor, requests a month, basis points of settlement', () => {
  for (const { tier, ...row } of spec.tiers) {
    const { credit_line_micro_usd: _, compute_ms_max: __, ...told } = tiers[tier]
    assert.deepEqual(told, row, tier)
  }
})

for (const [id, names] of Object.entries(spec.operations))
  test(`Operations reachable through dispatch: ${id}`, async () => {
    const described = await get(`/v1/protocols/${id}`)
    const by_name = new Map(described.operations.map((each: { name: string }) => [each.name, each]))
    for (const name of names) {
      assert.ok(by_name.has(name), `${id}.${name}`)
      const lower = id.toLowerCase()
      const schema = await get(`/schemas/${lower}/v1/operations.${lower}.${name}.request.json`)
      assert.equal(schema.type, 'object', name)
    }
  })

async function factsOf(path: string) {
  const [id, name] = path.split('.') as [string, string]
  const { operations } = await get(`/v1/protocols/${id}`)
  return operations.find((each: { name: string }) => each.name === name)
}

test('Metering: base rates, multipliers, and what meters tokens', async () => {
  const { tokens_per_million, seconds_each, watts_per_kwh } = spec.base_rates_usd
  const micro = 1_000_000
  assert.deepEqual([base_rate.tokens, base_rate.seconds, base_rate.watts].map(Number), [
    tokens_per_million * micro,
    Math.round(seconds_each * micro * micro),
    Math.round(watts_per_kwh * micro),
  ])
  for (const { operation, tokens, seconds, watts } of spec.multipliers)
    assert.deepEqual((await factsOf(operation)).multipliers ?? [1, 1, 1], [tokens, seconds, watts], operation)
  const named = new Set<string>(spec.multipliers.map(({ operation }) => operation))
  for (const id of protocols.keys())
    for (const { name, multipliers = [1, 1, 1] } of (await get(`/v1/protocols/${id}`)).operations)
      if (!named.has(`${id}.${name}`)) assert.deepEqual(multipliers, [1, 1, 1], `${id}.${name}`)
  for (const operation of spec.token_meters)
    assert.ok((await factsOf(operation)).meters.includes('tokens'), operation)
})

test('Conformance levels of operations', async () => {
  for (const { operation, level } of spec.levels)
    assert.equal((await factsOf(operation)).level, level, operation)
})

test('Errors: code, HTTP status, exit code; each code is in a row, or declared as ours', () => {
  for (const { error, code, http, exit } of spec.errors) {
    const row = refusals[code]
    assert.deepEqual([row.status, exit && row.exit], [http, exit], error)
  }
  const listed = new Set<string>(spec.errors.map(({ code }) => code))
  const ours = Object.keys(refusals).filter((code) => !listed.has(code))
  // A call that waits for others, an unknown path, and a check that could not be made.
  assert.deepEqual(ours, ['approval_required', 'not_found', 'unavailable'])
})

test('Events: the taxonomy, the other named ones, and those of refusals', () => {
  assert.deepEqual([...taxonomy], spec.taxonomy)
  for (const name of spec.other_events) assert.ok(isEngineOwned(name), name)
  for (const { code, event } of spec.refusal_events) assert.equal(refusals[code as RefusalCode].event, event)
})

test('Capabilities: patterns, and the special ones are names that can be granted', async () => {
  for (const { held, wanted, grants } of spec.patterns)
    assert.equal(covers(held, wanted), grants, `${held} for ${wanted}`)
  const names = spec.special_capabilities.map(({ name }) => name)
  const granted = await readCapabilities(service.service.store.engine, names)
  assert.deepEqual(
    granted.map(({ name }) => name),
    names,
  )
  for (const { name, wildcard } of spec.special_capabilities)
    assert.deepEqual(
      [isCapabilityName(name), covers(name, name), covers('svc.*.*', name)],
      [true, true, wildcard],
      name,
    )
})

for (const [resource, fields] of Object.entries(spec.resources))
  test(`Resources and their fields: ${resource}`, async () => {
    const { properties } = await get(`/schemas/resources/${resource}.json`)
    const missing = fields.filter((field) => !Object.hasOwn(properties, field))
    assert.deepEqual(missing, [])
  })

test('invoke flags: each is accepted, and the help names the defaults', () => {
  const { help = '' } = invoke
  const taken = { ...common_flags, ...invoke.flags }
  for (const flag of spec.invoke_flags) {
    assert.ok(Object.hasOwn(taken, flag), flag)
    assert.match(help, new RegExp(`--${flag}[ ,]`), flag)
  }
  assert.match(help, /--version .*\(v1\.0\.0\)/)
  assert.match(help, /--timeout [^-]*\(30; 0:/)
})

test('AgentEntityKind and ConformanceLevel values', () => {
  for (const level of ['L0', 'L1', 'L2']) assert.ok(Check(ConformanceLevel, level), level)
  assert.ok(!Check(ConformanceLevel, 'L3'))
  for (const kind of spec.entity_kinds) assert.ok(Check(AgentEntityKind, kind), kind)
  for (const kind of ['Robot', 'agent', 'Unknown', 'Unknown()x'])
    assert.ok(!Check(AgentEntityKind, kind), kind)
})

test('Helpers exist in both plugin kits; their answers are in checks/vectors/caller-questions', () => {
  const rust = ['invocation', 'identity'].map((name) =>
    readFileSync(join(root, `clients/plugin-rust/src/${name}.rs`), 'utf8'),
  )
  const typescript = ['context', 'identity', 'test-host'].map((name) =>
    readFileSync(join(root, `clients/plugin-typescript/${name}.ts`), 'utf8'),
  )
  const camel = (name: string) => name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
  for (const name of [...spec.helpers.context, ...spec.helpers.identity])
    assert.ok(
      rust.some((text) => text.includes(`pub fn ${name}(`)),
      `Rust: ${name}`,
    )
  for (const name of spec.helpers.context)
    assert.ok(
      typescript.some((text) => text.includes(`  ${name}(): `)),
      `TypeScript: ${name}`,
    )
  for (const name of spec.helpers.identity)
    assert.ok(
      typescript.some((text) => text.includes(`export function ${camel(name)}(`)),
      `TypeScript: ${name}`,
    )
})
