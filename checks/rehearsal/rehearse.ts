// A protocol's handlers on a real database, each call in its tenant's transaction, with the needs that the
// operation names. No HTTP, journal or writer thread: shows in milliseconds what a rule refuses and what it
// writes.

import assert from 'node:assert/strict'
import { tenantTiers } from '@svc/adapters/access/tenant-tiers'
import { ensureTenant } from '@svc/adapters/access/tenants'
import { databaseChanges } from '@svc/adapters/change-notifications/database'
import { openKeystore } from '@svc/adapters/custody/keystore'
import { noDevices } from '@svc/adapters/devices/no-devices'
import { localAdminResolver } from '@svc/adapters/identity/local-admin'
import { openCedar } from '@svc/adapters/policy/cedar'
import { prometheus } from '@svc/adapters/telemetry/prometheus'
import { testRootKeys } from '@svc/audit/sealing/test-root-keys'
import type { AuditRecord } from '@svc/contract/audit/audit-record'
import { roleTable } from '@svc/contract/authority/role'
import type { Need } from '@svc/contract/needs/needs'
import type { Protocol } from '@svc/contract/protocol'
import type { Asked, Credential } from '@svc/engine/call'
import { engine_needs } from '@svc/engine/handler/engine-needs'
import type { EngineNeed, WorldNeeds } from '@svc/engine/handler/world-needs'
import { finishAnswer } from '@svc/engine/idempotency/finish-answer'
import type { Ports, Store } from '@svc/engine/ports'
import { invokeModule } from '@svc/engine/stages/7-invoke-module'
import { treatiesBetween, treatyOfParty } from '@svc/protocols/governance/moat/api'
import { openNeeds } from '@svc/service/assembly/needs'
import { OwnTls } from '@svc/service/settings/own-tls'
import { MemoryAuditLog } from './memory-audit-log.ts'
import { askedOf, callBefore, credentialOf, type TestPorts, test_tenant, testPorts } from './test-ports.ts'
import { openTestStore, type TestStore } from './test-store.ts'

export interface Rehearsal extends TestStore {
  readonly ports: TestPorts
  /** Of the first protocol, or prefixed: `MACE.convene`. Returns the output, or throws the refusal. */
  run(operation: string, input: unknown, as?: Caller): Promise<Output>
  /** A tenant's records so far. */
  records(tenant_id?: string): readonly AuditRecord[]
}

export interface Caller extends Partial<Pick<Credential, 'did' | 'tenant_id' | 'tier' | 'capabilities'>> {
  readonly idempotency_key?: string
  /** In another organization's tenant. */
  readonly in_tenant?: string
}

/** Seals the keys in custody. */
export const root_keys = testRootKeys()

// biome-ignore lint/suspicious/noExplicitAny: tests look into outputs of every shape
export type Output = any

export interface RehearsalChoices {
  /** Protocols that these operations call, run in the same way. */
  readonly others?: readonly Protocol[]
  readonly needs?: Partial<WorldNeeds>
  readonly ports?: Partial<Ports>
  readonly tenants?: readonly string[]
}

export async function rehearse(protocol: Protocol, choices: RehearsalChoices = {}): Promise<Rehearsal> {
  const protocols = [protocol, ...(choices.others ?? [])]
  const test_store = await openTestStore()
  const closing: (() => Promise<unknown>)[] = [() => test_store.close()]
  for (const tenant_id of choices.tenants ?? [test_tenant])
    await ensureTenant(test_store.store.engine, tenant_id, tenant_id, 'sovereign')
  const audit_log = new MemoryAuditLog()
  const ports = testPorts(protocols, {
    audit_log,
    store: recordingStore(test_store, audit_log),
    ...choices.ports,
  })
  const needs = { ...worldNeeds(test_store, ports, closing), ...choices.needs }
  const whole = { ...ports, ...realPorts(test_store), ...choices.ports, needs }
  const limited = new Map<string, WorldNeeds>()
  const perform = async (call_request: Asked): Promise<unknown> => {
    const call = await callBefore(7, call_request, whole)
    const name = `${call.registered.facts.id}.${call.operation.name}`
    const named = protocols.find(({ id }) => id === call.registered.facts.id)!.operations[
      call.operation.name
    ]!
    const own = limited.get(name) ?? onlyNamed(name, needs, named.needs ?? [])
    limited.set(name, own)
    const parts = { ...whole, needs: own }
    const done = await finishAnswer(
      await invokeModule(call, parts, { redispatch: perform, cuts: new Set() }),
      parts,
    )
    return JSON.parse(done.output_text)
  }
  return {
    ...test_store,
    ports: whole as TestPorts,
    run(operation, input, as = {}) {
      const { idempotency_key, in_tenant, ...caller } = as
      const credential: Credential = { ...credentialOf('svc.*.*'), ...caller }
      // Operation names are in lower case and may contain dots: `charter.declare`.
      const [, other, name] = /^(?:([A-Z]+)\.)?(.+)$/.exec(operation)!
      const request = {
        protocol: other ?? protocol.id,
        version: 'v1',
        operation: name!,
        input,
        tenant_id: in_tenant ?? credential.tenant_id,
        ...(idempotency_key !== undefined && { idempotency_key }),
      }
      return perform(askedOf(request, { credential }))
    },
    records: (tenant_id = test_tenant) => audit_log.records(tenant_id),
    async close() {
      for (const close of closing.reverse()) await close()
    },
  }
}

/** Events are written with the rows, and also recorded for the test. */
function recordingStore({ store }: TestStore, audit_log: MemoryAuditLog): Store {
  return {
    healthy: store.healthy,
    transaction(tenant_id, principals) {
      const transaction = store.transaction(tenant_id, principals)
      return {
        get db() {
          return transaction.db
        },
        get opened() {
          return transaction.opened
        },
        get waiting() {
          return transaction.waiting
        },
        rollback: () => transaction.rollback(),
        async commit(events) {
          await transaction.commit(events)
          for (const event of events) audit_log.record(event)
        },
      }
    },
  }
}

/** The needs as the service assembles them, without what is outside this process. */
function worldNeeds({ store }: TestStore, ports: TestPorts, closing: (() => Promise<unknown>)[]): WorldNeeds {
  const { clock, log } = ports
  const settings = {
    tenant_id: 'operator',
    ...{
      model: undefined,
      embeddings: undefined,
      message_bytes_max: 1024 * 1024,
      tls: new OwnTls({}),
      smtp: undefined,
    },
    ...{ commands: new Map(), tool_hosts: [], tool_secrets: new Map(), allowed_networks: [] },
  }
  const change_notifications = databaseChanges(store.engine, log)
  closing.push(() => change_notifications.close())
  const parts = {
    ...{ db: store.engine, clock, log, change_notifications },
    custody: openKeystore(root_keys),
    meters: prometheus(log),
    tiers: tenantTiers(store.engine, clock),
    identity_node: undefined,
    devices: noDevices(clock),
    roles: roleTable([]),
    linkOf: (token: string) => `http://127.0.0.1/oauth/invitation?token=${token}`,
    health: {
      async settled() {},
      state: () => ({ in_flight: 0, audit: { state: 'normal', pending_bytes: 0 } as const }),
    },
  }
  return openNeeds(settings, parts, closing).needs
}

function realPorts({ store }: TestStore): Pick<Ports, 'identity' | 'treaties' | 'policies' | 'compute'> {
  const cedar = openCedar()
  return {
    identity: localAdminResolver(),
    treaties: {
      find: (tenant_id, treaty_id) => treatyOfParty(store.engine, tenant_id, treaty_id),
      between: (one, other) => treatiesBetween(store.engine, one, other),
    },
    policies: {
      judge: () => ({ allowed: true, set_digest: 'none', warnings: [] }),
      named: async () => undefined,
      councilOf: () => undefined,
      cedar,
    },
    async compute(job, input) {
      const { compute } = await import(job.module)
      return compute(input, { elapsed_ms: () => 0 })
    },
  }
}

/** Derived needs: naming one includes these. */
const made_from: { readonly [N in Need]?: readonly Need[] } = {
  register: ['audit_log', 'custody'],
  requireAuthority: ['charter'],
}

/** A handler that reads a need its operation does not name fails, even if another operation names it. */
function onlyNamed(operation: string, needs: WorldNeeds, named: readonly Need[]): WorldNeeds {
  const refuse = (need: string) => () =>
    assert.fail(`${operation} reads ${need} and does not name it in needs`)
  const all = Object.keys({ ...engine_needs, ...needs }) as (keyof WorldNeeds | EngineNeed)[]
  const usable = named.flatMap((need) => [need, ...(made_from[need] ?? [])])
  const missing = all.filter((need) => !usable.includes(need)).map((need) => [need, refuse(need)])
  return { ...needs, ...Object.fromEntries(missing) }
}
