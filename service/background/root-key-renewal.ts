// This engine's part in renewing root keys: it learns new ones, says what it holds, and takes a renewal's next steps.
import { masterKeyOf } from '@svc/adapters/root-keys/master-key'
import { type RenewalStep, takeStep } from '@svc/adapters/root-keys/renewal'
import { reportEngine } from '@svc/adapters/root-keys/root-key-engines'
import { type RootKeyRow, readRows, ringOf } from '@svc/adapters/root-keys/root-key-store'
import { leaveInOutbox } from '@svc/audit/chain/outbox'
import type { RootKeyRing } from '@svc/audit/sealing/root-keys'
import type { Database } from '@svc/contract/database'
import type { Closing, Host } from '../assembly/host.ts'
import type { Config } from '../settings/config.ts'
import { every } from './tick.ts'

const look_every_ms = 2_000
/** So that other work of the engine gets its turn. */
const steps_a_look_max = 20
const report_every_ms = 60_000

type Parts = Pick<Host, 'db' | 'root_keys' | 'audit_log' | 'clock' | 'log'>
type Settings = Pick<Config, 'master_key' | 'audit_dir' | 'tenant_id' | 'agent_did'>

export function openRenewal(config: Settings, parts: Parts, closing: Closing): void {
  const look = renewal(config, parts)
  const timer = every(look_every_ms, look, parts.log)
  closing.push(async () => clearInterval(timer))
}

/** One look: learn, report, and take steps. Tests call it themselves. */
export function renewal(config: Settings, parts: Parts): () => Promise<RenewalStep> {
  const follow = follower(config, parts)
  const { db, root_keys, clock } = parts
  const record = async (trx: Database, { version, resealed, unopened }: Destroyed) =>
    leaveInOutbox(trx, {
      id: clock.uuid(),
      correlation_id: clock.uuid(),
      timestamp: new Date(clock.now_ms()).toISOString(),
      tenant_id: config.tenant_id,
      caller_did: config.agent_did,
      event_type: 'AuthorizationCheck',
      outcome: 'success',
      latency_ms: 0,
      meta: { gate: 'engine', command: 'root key destroyed', version, resealed, unopened },
    })
  return async () => {
    await follow()
    let step: RenewalStep = { kind: 'none' }
    for (let n = 0; n < steps_a_look_max; n++) {
      step = await takeStep(db, { root_keys, now: new Date(clock.now_ms()), onDestroyed: record })
      if (step.kind !== 'resealed') break
    }
    if (step.kind === 'started' || step.kind === 'destroyed') await follow()
    return step
  }
}

type Destroyed = RenewalStep & { readonly kind: 'destroyed' }

function follower({ master_key, audit_dir }: Settings, { db, root_keys, audit_log, clock, log }: Parts) {
  let seals_since = new Date(clock.now_ms())
  let journalled = 0
  let reported = { text: '', at_ms: Number.NEGATIVE_INFINITY }
  const learn = async () => {
    const rows = await readRows(db)
    if (!isChanged(rows, root_keys.ring)) return
    const ring = await ringOf(rows, masterKeyOf(master_key), root_keys.ring)
    if (ring.current !== root_keys.version) seals_since = new Date(clock.now_ms())
    root_keys.learn(ring)
  }
  return async () => {
    await learn().catch((error) =>
      log.warn({ err: error }, 'a new root key cannot be used here; trying again'),
    )
    const seals = root_keys.version
    if (journalled !== seals) {
      await audit_log.flush()
      journalled = seals
    }
    const opens = Math.max(...root_keys.ring.keys.keys())
    const text = JSON.stringify([opens, seals, journalled])
    if (text === reported.text && clock.monotonic_ms() < reported.at_ms + report_every_ms) return
    const engine = {
      journal_id: audit_log.journal_id,
      journal_dir: audit_dir,
      opens,
      seals,
      seals_since,
      journalled,
    }
    await reportEngine(db, engine)
    reported = { text, at_ms: clock.monotonic_ms() }
  }
}

function isChanged(rows: readonly RootKeyRow[], { current, keys }: RootKeyRing): boolean {
  const sealing = rows.filter(({ purpose, wrapped }) => purpose === 'seal' && wrapped !== null)
  return (
    sealing.length !== keys.size ||
    sealing.some(
      ({ version, state }) => !keys.has(version) || (state === 'current') !== (version === current),
    )
  )
}
