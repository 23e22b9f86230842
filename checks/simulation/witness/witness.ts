// Witnesses and checkpoints: two engines feed two witnesses over a faulty network, while a liar with the log's key shows them forks.

import { privateKeyOf, publicKeyOf } from '@svc/contract/signing/signature'
import { noteFaultsOf } from '@svc/database/database-fault'
import { pooledDatabase } from '@svc/database/pooled'
import type { Clock } from '@svc/engine/ports'
import { openWitness } from '@svc/service/background/witness-handler'
import { Pool } from 'pg'
import { currentKeys, provisionTenant } from '../../../audit/chain/keys.ts'
import { queryOf } from '../../../audit/query/query.ts'
import { signCheckpoint } from '../../../audit/tree/checkpoint.ts'
import { consistencyPath, leafHash } from '../../../audit/tree/merkle.ts'
import { type CosigningKey, verifierKeyOf } from '../../../audit/witness/cosign.ts'
import { dueChains, feedCheckpoint, type SendToWitness } from '../../../audit/witness/witness-feed.ts'
import { cosignForPartners } from '../../../audit/witness/witness-partners.ts'
import {
  type AskedWitness,
  askWitness,
  listAsked,
  takeTurn,
  trustLog,
} from '../../../audit/witness/witness-store.ts'
import { writeSubmission } from '../../../audit/witness/witness-submission.ts'
import { engineConnection } from '../../../audit/writer/connection.ts'
import { root_keys } from '../audit-log/engine.ts'
import type { LinkFault } from '../database.ts'
import { Network } from '../network.ts'
import type { Random } from '../random.ts'
import type { Scenario } from '../scenario.ts'
import { type SimulatedProcess, Violation, type World } from '../world.ts'
import { grow, rotate } from './log-steps.ts'
import { WitnessModel } from './model.ts'

interface Lease {
  readonly engine_name: string
  readonly until_ms: number
}

interface WitnessState {
  readonly world: World
  readonly network: Network
  readonly model: WitnessModel
  readonly tenant_ids: readonly string[]
  readonly keys: readonly CosigningKey[]
  readonly witnesses: readonly AskedWitness[]
  readonly pools: Map<string, Pool>
  readonly leases: Map<string, Lease>
  /** A rule that was broken inside a process. */
  violation: Violation | undefined
}

const node_names = ['engine-1', 'engine-2', 'witness-1', 'witness-2'] as const
const link_faults: readonly LinkFault[] = ['cut before', 'cut after', 'kill session']
const lease_s = 60
const answer_ms_max = 10_000

export const witness_scenario: Scenario<WitnessState> = {
  name: 'witness',
  steps_default: 30,
  tasks_max: 25,
  open,
  steps: [
    { name: 'grow', weight: 14, run: grow },
    { name: 'feed', weight: 16, run: feed },
    { name: 'rotate key', weight: 3, run: rotate },
    { name: 'cosign for partners', weight: 6, run: cosignPartners },
    { name: 'show fork', weight: 10, run: showFork },
    { name: 'show two continuations', weight: 4, run: showTwoContinuations },
    { name: 'network fault', weight: 5, run: faultNetwork },
    { name: 'partition', weight: 3, run: partition },
    { name: 'end network faults', weight: 4, run: ({ network }) => network.heal() },
    { name: 'link fault', weight: 6, run: faultLink },
    { name: 'restart', weight: 4, run: (state, random) => startNode(state, random.pick(node_names)) },
    { name: 'time passes', weight: 5, run: ({ world }, random) => world.advance(random.between(10, 40_000)) },
  ],
  async check(state) {
    if (state.violation) throw state.violation
    await state.model.check()
  },
  async close(state) {
    state.network.heal()
    await state.world.run(300)
    if (state.violation) throw state.violation
    await state.model.checkEnd(state.keys.map(verifierKeyOf))
    state.world.note(state.model.summary)
  },
}

async function open(world: World): Promise<WitnessState> {
  const { control } = world.database
  const query = queryOf(control)
  await control.query('DELETE FROM audit_outbox')
  await control.query('DELETE FROM witness_asked')
  const tenant_ids = ['a', 'b'].map((name) => `w${world.seed}-${name}`)
  const keys = [1, 2].map((number) => newKey(world, `witness-${number}.${world.seed}`))
  // The seed chooses the keys only of a process.
  const operator = world.start('operator')
  for (const tenant_id of tenant_ids) {
    await operator.run(() => provisionTenant(query, root_keys, tenant_id))
    const [key] = (await currentKeys(query, root_keys, [tenant_id])).values()
    await trustLog(query, `svc/${tenant_id}`, key!.public_key.toString('base64url'))
  }
  operator.kill()
  for (const key of keys) await askWitness(query, verifierKeyOf(key), 'https://witness.example', tenant_ids)
  const witnesses = await listAsked(query)
  const model = new WitnessModel(world.database, tenant_ids)
  const [network, pools, leases] = [new Network(world), new Map(), new Map()]
  const state = { world, network, model, tenant_ids, keys, witnesses, pools, leases, violation: undefined }
  for (const name of node_names) startNode(state, name)
  return state
}

function newKey({ random }: World, name: string): CosigningKey {
  const private_key = privateKeyOf(random.bytes(32))
  return { name, private_key, public_key: Buffer.from(publicKeyOf(private_key), 'base64url') }
}

/** Anew: what it had in memory is gone. */
function startNode(state: WitnessState, name: (typeof node_names)[number]): void {
  const { world, network, model, keys } = state
  world.processes.get(name)?.kill()
  const process = world.start(name)
  const pool = process.run(() => new Pool({ ...engineConnection(world.database.url, name), max: 2 }))
  noteFaultsOf(pool)
  pool.on('error', () => {})
  state.pools.set(name, pool)
  const key = keys[Number(name.at(-1)) - 1]!
  if (name.startsWith('engine')) return
  const quiet = () => {}
  const handler = process.run(() =>
    openWitness({
      db: pooledDatabase(pool),
      clock: clockOf(process),
      log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
      own: { tenant_id: `operator-${world.seed}`, did: 'engine' },
      key: async () => key,
    }),
  )
  network.serve(key.name, process, async (request) => {
    const body = request.slice(request.indexOf(' ') + 1)
    const reply = await (request.startsWith('add-rotation ')
      ? handler.addRotation(body)
      : handler.addCheckpoint(body))
    const [, origin = '', size] = /\n\n([^\n]+)\n(\d+)\n/.exec(request) ?? []
    if (reply.status === 200) model.answered(key.name, origin, Number(size))
    return JSON.stringify(reply)
  })
}

function clockOf(process: SimulatedProcess): Clock {
  const { world } = process
  return {
    now_ms: () => world.now_ms + process.clock_offset_ms,
    monotonic_ms: () => world.now_ms,
    uuid: () => world.random.uuid(),
  } as Clock
}

/** As the feeder of an engine: its turn, the chains that are due, one checkpoint each. */
function feed(state: WitnessState, random: Random): void {
  const { world, network, model, tenant_ids, witnesses } = state
  const engine = world.processes.get(random.pick(['engine-1', 'engine-2']))!
  const witness = { ...random.pick(witnesses), tenants: tenant_ids }
  const query = queryOf(state.pools.get(engine.name)!)
  const send: SendToWitness = async (body, route) =>
    JSON.parse(await network.call(witness.witness_name, `${route} ${body}`, answer_ms_max))
  const run = async () => {
    const asked_ms = world.now_ms
    if (!(await takeTurn(query, witness, engineId(engine), lease_s))) return
    keepLease(state, witness.witness_name, engine, asked_ms)
    for (const chain of await dueChains(query, witness, '', 10)) {
      const fed = await feedCheckpoint(query, witness, chain, send)
      if (fed.kind === 'alarm') model.alarmed(witness.witness_name, chain.tenant_id, fed.why)
    }
  }
  engine.run(run).catch((error) => {
    if (error instanceof Violation) state.violation ??= error
  })
}

function engineId(engine: SimulatedProcess): string {
  return `00000000-0000-4000-8000-00000000000${engine.name.at(-1)}`
}

/** Leases are exclusive: none is given while another engine's lasts. */
function keepLease(
  { leases, world }: WitnessState,
  name: string,
  engine: SimulatedProcess,
  asked_ms: number,
): void {
  const lease = leases.get(name)
  if (lease && lease.engine_name !== engine.name && lease.until_ms > world.now_ms)
    throw new Violation(`${engine.name} feeds ${name} while the turn of ${lease.engine_name} lasts`)
  leases.set(name, { engine_name: engine.name, until_ms: asked_ms + lease_s * 1000 })
}

function cosignPartners(state: WitnessState, random: Random): void {
  const { world, model, tenant_ids } = state
  const engine = world.processes.get(random.pick(['engine-1', 'engine-2']))!
  const [left = '', right = ''] = tenant_ids
  const pairs = [
    { tenant_id: left, partner: right },
    { tenant_id: right, partner: left },
  ]
  const witnessing = {
    root_keys,
    now: new Date(world.now_ms),
    partnersOf: async () => pairs,
    async onAlarm({ tenant_id, partner, why }: { tenant_id: string; partner: string; why: string }) {
      model.alarmed(`svc/${partner}`, tenant_id, why)
    },
  }
  const db = pooledDatabase(state.pools.get(engine.name)!)
  engine
    .run(() => cosignForPartners(db, witnessing))
    .catch((error) => {
      if (error instanceof Violation) state.violation ??= error
    })
}

/** With the log's own key: a changed record, a shorter log, or both, with a proof that fits the forged tree. */
async function showFork(state: WitnessState, random: Random): Promise<void> {
  await state.model.check()
  const tenant_id = random.pick(state.tenant_ids)
  const leaves = [...state.model.leavesOf(tenant_id), ...forgedLeaves(random, random.below(3))]
  if (leaves.length === 0) return
  const forged = leaves.slice(0, random.between(1, leaves.length))
  if (random.chance(0.7)) forged[random.below(forged.length)] = leafHash(random.bytes(32))
  await submit(state, random.pick(state.keys).name, tenant_id, forged, random.below(forged.length + 1))
}

/** Two continuations of what the witness holds, at the same time: each alone would be cosigned. */
async function showTwoContinuations(state: WitnessState, random: Random): Promise<void> {
  await state.model.check()
  const tenant_id = random.pick(state.tenant_ids)
  const witness_name = random.pick(state.keys).name
  const leaves = state.model.cosignedLeaves(witness_name, tenant_id)
  for (const count of [1, 2])
    await submit(state, witness_name, tenant_id, [...leaves, ...forgedLeaves(random, count)], leaves.length)
}

function forgedLeaves(random: Random, count: number): Buffer[] {
  return Array.from({ length: count }, () => leafHash(random.bytes(32)))
}

async function submit(
  { world, network, model }: WitnessState,
  witness_name: string,
  tenant_id: string,
  leaves: readonly Buffer[],
  old_size: number,
): Promise<void> {
  const [key] = (await currentKeys(queryOf(world.database.control), root_keys, [tenant_id])).values()
  const note = signCheckpoint(tenant_id, leaves.length, model.addTree(leaves), key!)
  const is_same = old_size === 0 || old_size === leaves.length
  const path = is_same ? [] : consistencyPath(old_size, leaves.length, (_, i) => leaves[i]!)
  const proof = path.map((node) => node.toString('hex'))
  const liar = world.processes.get('liar') ?? world.start('liar')
  const body = writeSubmission(old_size, proof, note)
  liar.run(() => network.call(witness_name, `add-checkpoint ${body}`, answer_ms_max)).catch(() => {})
}

function faultNetwork({ network }: WitnessState, random: Random): void {
  network.faults.lost = random.pick([0, 0.2, 0.5])
  network.faults.doubled = random.pick([0, 0.3, 0.8])
  network.faults.delay_ms_max = random.pick([0, 2_000, 30_000])
}

function partition({ network, keys }: WitnessState, random: Random): void {
  network.partition(random.pick(['engine-1', 'engine-2']), random.pick(keys).name)
}

function faultLink({ world }: WitnessState, random: Random): void {
  const link = world.database.link(world.processes.get(random.pick(node_names))!)
  link.fault = random.pick(link_faults)
  link.fault_on = random.pick([undefined, 'commit', 'COMMIT', 'UPDATE witness_logs'])
}
