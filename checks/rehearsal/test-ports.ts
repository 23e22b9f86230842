// Ports of the real in-memory adapters and a manual clock, so that tests of stages need no mocks.
import { randomUUID } from 'node:crypto'
import { agentKeys } from '@svc/adapters/access/agent-keys'
import { agentWorkloads } from '@svc/adapters/access/agent-workloads'
import { identityStates } from '@svc/adapters/access/revocations'
import { peopleOfTenant } from '@svc/adapters/accounts/people-of-tenant'
import { roundRobin } from '@svc/adapters/balancer/round-robin'
import { type MemoryBreaker, memoryBreaker, type Transition } from '@svc/adapters/breaker/memory'
import { effectiveCapabilities } from '@svc/adapters/capabilities/effective'
import { countingWaits } from '@svc/adapters/change-notifications/counting-waits'
import { databaseChanges } from '@svc/adapters/change-notifications/database'
import { openKeystore } from '@svc/adapters/custody/keystore'
import { noDevices } from '@svc/adapters/devices/no-devices'
import { static_embedder } from '@svc/adapters/embeddings/static-table'
import { nativeEndpoint } from '@svc/adapters/endpoint/native'
import { key_only_resolver } from '@svc/adapters/identity/key-only'
import { openMailboxes } from '@svc/adapters/mail/mailboxes'
import { addressGuard } from '@svc/adapters/outbound/address-guard'
import { memoryLimiter } from '@svc/adapters/rate-limit/memory'
import { mailingFor } from '@svc/adapters/smtp/recipients'
import { McpPool } from '@svc/adapters/tools/mcp-pool'
import { webhooksOfTenant } from '@svc/adapters/webhooks/tenant-webhooks'
import { testRootKeys } from '@svc/audit/sealing/test-root-keys'
import type { AuditRecord } from '@svc/contract/audit/audit-record'
import { roleTable } from '@svc/contract/authority/role'
import { empty_books } from '@svc/contract/money/books'
import type { OperationContext } from '@svc/contract/operation-context'
import type { OperationFacts } from '@svc/contract/operation-facts'
import { operation, type Protocol, protocol } from '@svc/contract/protocol'
import { Closed } from '@svc/contract/schema'
import type { Asked, Call, Credential, Placed } from '@svc/engine/call'
import type { WorldNeeds } from '@svc/engine/handler/world-needs'
import { Ahead } from '@svc/engine/judge-ahead'
import { default_limits } from '@svc/engine/limits/limits'
import { refusalSums } from '@svc/engine/limits/refusal-sums'
import { openReservations } from '@svc/engine/limits/reservations'
import type { Ports } from '@svc/engine/ports'
import { type OpenRegistry, openRegistry } from '@svc/engine/routing/registry'
import { resolveIdentity } from '@svc/engine/stages/0-resolve-identity'
import { moduleCache, resolveVersion } from '@svc/engine/stages/1-resolve-version'
import { enrichContext } from '@svc/engine/stages/2-enrich-context'
import { limitRate } from '@svc/engine/stages/3-limit-rate'
import { gateCapability } from '@svc/engine/stages/4-gate-capability'
import { breakCircuit } from '@svc/engine/stages/5-break-circuit'
import { reserveBudget } from '@svc/engine/stages/5-reserve-budget'
import { chooseEndpoint } from '@svc/engine/stages/6-choose-endpoint'
import { untimed } from '@svc/engine/tracing'
import { Type } from 'typebox'
import { type ManualClock, manualClock } from './manual-clock.ts'
import { MemoryAuditLog } from './memory-audit-log.ts'

export const test_tenant = 'acme'
export const test_did = `did:oas:${test_tenant}:agent:${'a'.repeat(64)}`

const none = async () => []
/** Identity and key alone: no delegations by default. */
export const no_capabilities = effectiveCapabilities({
  identity: key_only_resolver,
  keysOf: async () => [],
  grants: [],
})

/** Real vectors and mailboxes; no model, no broker, an empty charter. */
export function testNeeds(other: Partial<WorldNeeds> = {}): WorldNeeds {
  const custody = openKeystore(testRootKeys(Buffer.alloc(32)))
  const tools = new McpPool(
    { commands: new Map(), tool_hosts: [], tool_secrets: new Map(), allowed_networks: [] },
    { monotonic_ms: () => 0, uuid: () => randomUUID() },
  )
  return {
    calibrated: () => async () => undefined,
    charter: () => ({ has: async () => false, members: async () => [], async change() {} }),
    custody: ({ context }) => custody.open(context.tenant_id, context.db),
    devices: () => noDevices({ now_ms: () => 0 }),
    embedder: () => static_embedder,
    identity_states: ({ context }) => identityStates(context),
    people: ({ context }) =>
      peopleOfTenant(context, {
        table: roleTable([]),
        linkOf: (token) => `http://127.0.0.1/oauth/invitation?token=${token}`,
      }),
    keys: ({ context, call }) => agentKeys(context, call.asked.credential.key_id),
    webhooks: ({ context, call }) =>
      webhooksOfTenant(context, { custody, guard: addressGuard([]) }, call.asked.credential.key_id),
    workloads: ({ context, call }) => agentWorkloads(context, call.asked.credential.key_id),
    mail: () => openMailboxes({ message_bytes_max: 1024, vaultOf: custody.vault }),
    mailing: ({ context }) => mailingFor(context, undefined),
    metering: () => ({ eventsOf: () => async function* () {}, async keepHours() {} }),
    model: () => undefined,
    change_notifications: ({ context }) => countingWaits(databaseChanges(undefined), context.used),
    notify: () => () => {},
    readIdentity: () => async () => undefined,
    publishIdentity: () => async () => 'no identity node is bound',
    register:
      ({ context }) =>
      async ({ kind, subject }) =>
        `mars://${context.tenant_id}/${kind}/${subject}`,
    requireAuthority:
      ({ context }) =>
      async (operation) =>
        `mace://verdict/${context.tenant_id}/${operation}`,
    membership: () => ({ identities: none, knows: async () => false, plugins: none, endpoints: none }),
    telemetry: () => ({ metric: () => ({ created: false }), log() {}, span() {}, count() {} }),
    tenants: () => ({ tierOf: async () => 'charter', speakersOf: async () => [] }),
    tools: () => tools,
    vault: ({ context }) => custody.vault(context.tenant_id),
    health: () => ({
      async settled() {},
      state: () => ({ in_flight: 0, audit: { state: 'normal', pending_bytes: 0 } }),
    }),
    ...other,
  }
}

const no_policies: Ports['policies'] = {
  judge: () => ({ allowed: true, set_digest: 'none', warnings: [] }),
  named: async () => undefined,
  councilOf: () => undefined,
  get cedar(): never {
    throw new Error('this test has no rules')
  },
}

const noApproval = async () => {
  throw new Error('this test has no approvals')
}
const no_approvals: Ports['approvals'] = { use: noApproval, look: noApproval, async giveBack() {} }

export interface Logged {
  readonly level: string
  readonly fields: { readonly err?: unknown }
  readonly message: string
}

export interface TestPorts extends Ports {
  readonly clock: ManualClock
  readonly registry: OpenRegistry
  readonly breaker: MemoryBreaker
  readonly audit_log: MemoryAuditLog
  readonly transitions: Transition[]
  readonly logged: Logged[]
  readonly dispatched: string[][]
  readonly settled: bigint[]
}

export function testPorts(protocols: readonly Protocol[], other: Partial<Ports> = {}): TestPorts {
  const clock = manualClock('2026-11-15T10:00:00.000Z')
  const registry = openRegistry()
  for (const definition of protocols) registry.register(definition, [nativeEndpoint(definition)])
  const observed = { transitions: [] as Transition[], logged: [] as Logged[] }
  const counted = { dispatched: [] as string[][], settled: [] as bigint[] }
  const say = (level: string) => (fields: object, message: string) =>
    void observed.logged.push({ level, fields, message })
  const audit_log = other.audit_log ?? new MemoryAuditLog()
  return {
    clock,
    registry,
    sums: refusalSums({ record: (entry) => audit_log.record(entry), clock }),
    identity: key_only_resolver,
    capabilities: no_capabilities,
    custody: openKeystore(testRootKeys(Buffer.alloc(32))),
    needs: testNeeds(),
    async compute() {
      throw new Error('this test has no workers')
    },
    countTokens: async (texts) => texts.length,
    limiter: memoryLimiter(clock),
    breaker: memoryBreaker(clock, (transition) => observed.transitions.push(transition)),
    balancer: roundRobin(),
    store: {
      transaction() {
        throw new Error('this test has no database')
      },
      healthy: async () => true,
    },
    audit_log,
    meters: { dispatched: (...labels) => void counted.dispatched.push(labels.slice(0, 4) as string[]) },
    ...{ treasury: { of: () => empty_books }, courts: { isOpen: async () => true } },
    roles: roleTable([]),
    budget_counters: {
      reserve: () => undefined,
      settle: (_tenant_id, _takes, quanta) => void counted.settled.push(quanta),
      state: () => ({ spent_micro_usd: 0n, reserved_micro_usd: 0n }),
      calls: () => 0n,
    },
    reservations: openReservations(),
    treaties: { find: async () => undefined, between: () => [] },
    policies: no_policies,
    approvals: no_approvals,
    tenants: { tierOf: () => 'charter' },
    log: { debug: say('debug'), info: say('info'), warn: say('warn'), error: say('error') },
    settings: {
      engine_did: test_did,
      operator_tenant_id: 'operator',
      watts_per_core: 5,
      check_outputs: true,
      limits: default_limits,
    },
    ...observed,
    ...counted,
    ...other,
  } as TestPorts
}

type Handle = (
  input: { readonly [field: string]: unknown },
  context: OperationContext<'authority' | 'standIn' | 'tokens'>,
) => unknown

/** A protocol called TRY with one operation, `run`, that takes and returns any object. */
export function tryProtocol(handle: Handle, facts: Partial<OperationFacts> = {}): Protocol {
  const anything = Type.Record(Type.String(), Type.Unknown())
  const run = operation({
    summary: 'Do what the test says.',
    effect: 'write',
    level: 'L0',
    meters: ['seconds'],
    input: anything,
    output: anything,
    example: {},
    handle: handle as never,
  })
  return protocol({
    id: 'TRY',
    version: 'v1.0.0',
    plane: 'awareness',
    estate: 'protocol',
    rate: 'standard',
    category: 'svc-infrastructure',
    summary: 'What a test needs.',
    operations: { run: { ...run, ...facts } },
  })
}

/** An input with one required field, for tests of invalid inputs. */
export const counted_input = Closed({ count: Type.Integer({ minimum: 1 }) })

export function credentialOf(...capabilities: string[]): Credential {
  return {
    key_id: 'abcdefgh',
    did: test_did,
    tenant_id: test_tenant,
    tier: 'charter',
    capabilities: capabilities.map((name) => ({ name, caveats: [] })),
  }
}

/** TRY run, as a permitted caller by default. */
export function askedOf(request: Partial<Asked['request']> = {}, more: Partial<Asked> = {}): Asked {
  return {
    request: {
      protocol: 'TRY',
      version: 'v1.0.0',
      operation: 'run',
      input: {},
      tenant_id: test_tenant,
      ...request,
    },
    credential: credentialOf('svc.try.*'),
    origin: 'http',
    ...more,
  }
}

export function newCall(request: Asked, ports: Ports): Call {
  const now_ms = ports.clock.now_ms()
  return {
    asked: request,
    record_id: ports.clock.uuid(),
    correlation_id: ports.clock.uuid(),
    timestamp: new Date(now_ms).toISOString(),
    now_ms,
    started_ms: ports.clock.monotonic_ms(),
    stage: 0,
    ended_ms: untimed(),
  }
}

/** A call that has passed every stage before this one; its type promises more than early stages provide. */
export async function callBefore(stage: number, request: Asked, ports: Ports): Promise<Placed> {
  const call = newCall(request, ports) as Placed
  const steps = [
    () => resolveIdentity(call, ports),
    () => resolveVersion(call, ports, moduleCache()),
    () => enrichContext(call),
    () => limitRate(call, ports, new Ahead()),
    () => gateCapability(call, ports),
    () => reserveBudget(breakCircuit(call, ports), ports),
    () => chooseEndpoint(call, ports),
  ]
  for (const step of steps.slice(0, stage)) await step()
  return call
}

/** A record's content, without what differs between runs. */
export function gist(record: AuditRecord | undefined): string {
  if (!record) return 'no record'
  const { event_type, outcome, meta } = record
  return [event_type, outcome, meta.code ?? 'ok', `stage ${meta.stage ?? '-'}`].join(' ')
}
