// The same verdict and record on every surface: every operation over HTTP, the SDK, the command line and both
// MCP servers.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { key_only_resolver } from '@svc/adapters/identity/key-only'
import { localAdminResolver } from '@svc/adapters/identity/local-admin'
import { catalogue } from '@svc/catalogue/catalogue'
import type { AuditRecord } from '@svc/contract/audit/audit-record'
import { made } from '@svc/protocols/economic/made/made'
import { type InProcessService, startInProcess } from '../engines/in-process.ts'
import { type Addresses, dispatch } from '../engines/running-engine.ts'
import { is_long, openChance } from '../faults/scene/chance.ts'
import { until } from '../suite/eventually.ts'
import { type Reply, type Surface, surfaces } from './surfaces.ts'

/** A caller without permissions: its key carries nothing and its identity is unknown. */
const strangers = new Set<string>()
let service: InProcessService
const callers = new Map<string, Addresses>()
const open = new Map<string, Surface>()

before(async () => {
  const admin = localAdminResolver()
  const resolve = (did: string) => (strangers.has(did) ? key_only_resolver : admin).resolve(did)
  service = await startInProcess({
    with_nodes: true,
    identity: { resolve },
    config: { mcp_port: 0 },
  })
  // Asset names are global: the first caller would get another answer than the rest.
  const { example: input } = made.operations.asset_definition_publish
  await dispatch(service, { protocol: 'MADE', operation: 'asset_definition_publish', input })
  for (const { name, connect } of surfaces) {
    // A tenant for each, so that one's changes do not affect the next.
    for (const kind of ['member', 'stranger']) {
      const caller = await service.newCaller({ tenant_id: `by-${name}-${kind}` })
      if (kind === 'stranger') strangers.add(caller.agent_did)
      callers.set(`${name} ${kind}`, caller)
      open.set(`${name} ${kind}`, await connect(caller, service))
    }
  }
})
after(async () => {
  for (const surface of open.values()) await surface.close()
  await service?.stop()
})

interface View {
  readonly said: string
  readonly records: readonly string[]
  readonly origins: readonly unknown[]
}

async function see(
  name: string,
  kind: string,
  protocol: string,
  operation: string,
  input: unknown,
): Promise<View> {
  const caller = callers.get(`${name} ${kind}`)!
  // Undecided is not a verdict: a node may be slow on a busy machine.
  const reply = await until('the call is decided', async () => {
    const answer = await open.get(`${name} ${kind}`)!.call(protocol, operation, input)
    return answer.error?.code !== 'unavailable' && answer
  })
  const records = await service.records(caller.tenant_id, { correlation_ids: [reply.correlation_id] })
  return {
    said: plain(verdictOf(reply), caller),
    records: records.map((record) => plain(comparable(record), caller)).sort(),
    // What the engine records after the work has no surface.
    origins: [...new Set(records.flatMap(({ meta }) => meta.origin ?? []))],
  }
}

function verdictOf({ error, output }: Reply) {
  if (!error) return { output: Object.keys(output as object).sort() }
  const { code, message, reason, stage, retryable, details } = error
  return { code, message, reason, stage, retryable, details }
}

/** Without what differs between calls: ids, their hashes, times and measurements. */
function comparable({ event_type, protocol, operation, outcome, caller_did, tenant_id, meta }: AuditRecord) {
  const {
    origin: _origin,
    usage: _usage,
    // Each surface has its own credential.
    credential: _shown,
    input_hash: _in,
    output_hash: _out,
    module: _module,
    latency_ms: _latency,
    supplied,
    ...kept
  } = meta
  // Each surface requests a version in its own form.
  const { version: _version, ...words } = (supplied ?? {}) as Record<string, unknown>
  return { event_type, protocol, operation, outcome, caller_did, tenant_id, meta: { ...kept, words } }
}

function plain(value: unknown, { agent_did, tenant_id }: Addresses): string {
  return JSON.stringify(value)
    .replaceAll(agent_did, '<caller>')
    .replaceAll(tenant_id, '<tenant>')
    .replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '<uuid>')
    .replace(/[0-9a-f]{64}/g, '<hash>')
    .replace(/z6Mk[A-Za-z0-9]+/g, '<key>')
    .replace(/"key_id":"[a-z0-9]{8}"/g, '"key_id":"<key>"')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
}

const situations: readonly {
  readonly name: string
  readonly kind: 'member' | 'stranger'
  input(example: object): object
}[] = [
  { name: 'with its example', kind: 'member', input: (example) => example },
  { name: 'with a field nobody declared', kind: 'member', input: (example) => ({ ...example, nobody: 1 }) },
  { name: 'without the capability', kind: 'stranger', input: (example) => example },
]

/** Every key may query its identity and its records; strangers may do nothing else. */
const denied: string[] = []
let asked_by_strangers = 0

/** In the short form an operation is in one situation, which depends on the seed. */
const turn = is_long ? 0 : openChance().below(situations.length)
let place = 0

for (const { id, operations } of catalogue) {
  for (const [operation, { example }] of Object.entries(operations)) {
    const chosen = is_long ? situations : [situations[(turn + place++) % situations.length]!]
    for (const { name, kind, input } of chosen) {
      test(`${id} ${operation} ${name}: the same verdict and the same record everywhere`, async () => {
        const replies = await seeEverywhere(kind, id, operation, input(example as object))
        if (kind !== 'stranger') return
        asked_by_strangers++
        if (replies.includes('"capability_denied"')) denied.push(`${id} ${operation}`)
      })
    }
  }
}

test('unknown names are refused and recorded alike everywhere', async () => {
  assert.match(await seeEverywhere('member', 'MAX', 'audit_qwery', {}), /"unknown_operation"/)
  assert.match(await seeEverywhere('member', 'NOBODY', 'knows', {}), /"unknown_protocol"/)
})

/** The answer they all gave. */
async function seeEverywhere(
  kind: string,
  protocol: string,
  operation: string,
  input: object,
): Promise<string> {
  const views = await Promise.all(surfaces.map(({ name }) => see(name, kind, protocol, operation, input)))
  const [{ said, records }] = views as [View, ...View[]]
  assert.ok(records.length > 0, 'nothing was recorded')
  assert.deepEqual(
    views,
    surfaces.map(({ origin }) => ({ said, records, origins: [origin] })),
  )
  return said
}

test('most operations are denied to strangers', () => {
  assert.ok(denied.length > asked_by_strangers / 2, `only ${denied.join(', ')} of ${asked_by_strangers}`)
})
