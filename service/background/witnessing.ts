// Witnessing: the handler for other logs, the feeder of this engine's chains, and the metrics of both.
import type { PostgresStore } from '@svc/adapters/store/postgres'
import type { Prometheus } from '@svc/adapters/telemetry/prometheus'
import { queryOf } from '@svc/audit/query/query'
import type { RootKeys } from '@svc/audit/sealing/root-keys'
import { checkpointOrigin } from '@svc/audit/tree/checkpoint'
import type { CosigningKey } from '@svc/audit/witness/cosign'
import { witnessKey } from '@svc/audit/witness/witness-key'
import { cosignForPartners, type PartnerWitnessing } from '@svc/audit/witness/witness-partners'
import type { Clock, Log } from '@svc/engine/ports'
import type { WitnessHandler } from '@svc/gateway/witness/witness-handler'
import type { Config } from '../settings/config.ts'
import { every } from './tick.ts'
import { openAlarms } from './witness-alarm.ts'
import { openFeeder } from './witness-feeder.ts'
import { openWitness } from './witness-handler.ts'

const cosign_every_ms = 1_000

interface Parts {
  readonly store: PostgresStore
  readonly root_keys: RootKeys
  readonly meters: Prometheus
  readonly log: Log
  readonly clock: Clock
  /** Active treaties between tenants of this engine, in both directions; without it partners cosign nothing. */
  readonly partnersOf?: PartnerWitnessing['partnersOf']
}

type Closing = (() => Promise<unknown>)[]

export function openWitnessing(config: Config, parts: Parts, closing: Closing): WitnessHandler {
  const { store, meters, log, clock, partnersOf } = parts
  const db = store.engine
  let opened: Promise<CosigningKey> | undefined
  const key = () => {
    opened ??= witnessKey(queryOf(db), parts.root_keys).catch((error) => {
      opened = undefined
      throw error
    })
    return opened
  }
  const engine_did = config.agent_did
  const alarms = openAlarms({ db, clock, log, engine_did })
  const witness_handler = openWitness({
    db,
    clock,
    log,
    own: { tenant_id: config.tenant_id, did: engine_did },
    key,
  })
  const feeder = openFeeder({ db, clock, log, alarms, ca: config.tls.authorities })
  let by_partners = 0
  const cosign = async (partnersOf: PartnerWitnessing['partnersOf']) => {
    const onAlarm: PartnerWitnessing['onAlarm'] = ({ partner, ...alarm }) =>
      alarms.raise({ ...alarm, witness_name: checkpointOrigin(partner) }, partner)
    by_partners += await cosignForPartners(db, {
      root_keys: parts.root_keys,
      now: new Date(clock.now_ms()),
      partnersOf,
      onAlarm,
    })
  }
  const timers = [every(cosign_every_ms, feeder.feed, log)]
  if (partnersOf) timers.push(every(cosign_every_ms, () => cosign(partnersOf), log))
  closing.push(async () => {
    for (const timer of timers) clearInterval(timer)
    await feeder.close()
  })
  const counters: readonly [name: string, help: string, read: () => number][] = [
    [
      'svc_witness_cosigned_total',
      'Checkpoints of other logs cosigned here.',
      () => witness_handler.cosigned,
    ],
    [
      'svc_witness_refused_total',
      'Checkpoints of other logs not cosigned here.',
      () => witness_handler.refused,
    ],
    ['svc_witness_received_total', 'Cosignatures received from witnesses.', () => feeder.cosigned],
    ['svc_witness_partners_total', 'Checkpoints cosigned by treaty partners here.', () => by_partners],
    ['svc_witness_failed_total', 'Times a witness could not be reached.', () => feeder.failed],
    ['svc_witness_alarms_total', 'Times a witness contradicted a chain of ours.', () => alarms.raised],
  ]
  for (const [name, help, read] of counters) meters.counter(name, help, read)
  return witness_handler
}
