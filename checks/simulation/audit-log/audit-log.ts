// Journal and chain writer: several engines on one database, with every fault of disk, link and process.
import { entryText } from '@svc/contract/audit/audit-record'
import { Client } from 'pg'
import { rotateKey } from '../../../audit/chain/rotate.ts'
import { engineConnection } from '../../../audit/writer/connection.ts'
import type { LinkFault } from '../database.ts'
import { Disk, type DiskFault } from '../disk.ts'
import type { Random } from '../random.ts'
import type { Scenario, Step } from '../scenario.ts'
import type { World } from '../world.ts'
import { SimulatedArchive } from './archive.ts'
import { Engine, root_keys } from './engine.ts'
import { newEntry } from './entry.ts'
import { AuditLogModel } from './model.ts'
import { move_steps } from './move-steps.ts'
import { Moves } from './moves.ts'
import { freeDisk, hostOf, processesOf, recover } from './recover.ts'
import { type AuditLogState, openEngine, record } from './state.ts'

const disk_faults: readonly DiskFault[] = ['tear write', 'fill up', 'stay full', 'fail write', 'fail sync']
const link_faults: readonly LinkFault[] = ['cut before', 'cut after', 'lose answer', 'kill session']

/** Pages of earlier seeds would be archived by this one. */
const leave_nothing = `
  SET session_replication_role = replica;
  DELETE FROM audit_outbox;
  DELETE FROM audit_hot_pages;
  DELETE FROM audit_pages;
  RESET session_replication_role`

export const audit_log_scenario: Scenario<AuditLogState> = {
  name: 'audit-log',
  steps_default: 30,
  tasks_max: 25,
  async open(world) {
    await world.database.control.query(leave_nothing)
    const tenant_ids = ['a', 'b'].map((name) => `t${world.seed}-${name}`)
    const engines = (['always', 'interval'] as const).map(
      (fsync, i) => new Engine(world, `engine-${i + 1}`, new Disk(world, `disk-${i + 1}`), fsync),
    )
    for (const engine of engines) engine.start(hostOf(engine))
    const archive = new SimulatedArchive(world)
    const model = new AuditLogModel(world.database, archive, [...tenant_ids, `operator-${world.seed}`])
    const moves = new Moves(world, archive)
    return { world, engines, tenant_ids, model, moves, operators: 0, hosts: 0 }
  },
  steps: steps(),
  async check({ model, moves }) {
    await model.check()
    for (const read_log of moves.read_logs.splice(0)) model.pages.compare(read_log)
  },
  async close(state) {
    const { world, engines, model, moves } = state
    await recover(world, engines)
    await moves.recover()
    await model.checkEnd(world.random)
    world.note(model.summary)
  },
}

function steps(): Step<AuditLogState>[] {
  return [
    { name: 'append', weight: 30, run: append },
    { name: 'append without a cached tenant', weight: 6, run: appendAtOnce },
    { name: 'leave in outbox', weight: 5, run: leaveInOutbox },
    { name: 'rotate key', weight: 1, run: rotate },
    { name: 'kill engine', weight: 3, run: ({ engines }, random) => random.pick(engines).kill() },
    { name: 'start engine', weight: 8, run: startEngine },
    { name: 'kill writer', weight: 2, run: killWriter },
    { name: 'lose power', weight: 2, run: losePower },
    { name: 'pause engine', weight: 2, run: ({ engines }, random) => random.pick(engines).process?.pause() },
    {
      name: 'resume engine',
      weight: 5,
      run: ({ engines }, random) => random.pick(engines).process?.resume(),
    },
    { name: 'link fault', weight: 6, run: faultLink },
    { name: 'partition', weight: 2, run: (state, random) => partition(state, random, true) },
    { name: 'end partition', weight: 4, run: (state, random) => partition(state, random, false) },
    { name: 'disk fault', weight: 4, run: faultDisk },
    { name: 'free disk', weight: 4, run: ({ engines }, random) => freeDisk(random.pick(engines)) },
    { name: 'lie about sync', weight: 1, run: lieAboutSync },
    { name: 'adopt journal', weight: 2, run: adopt },
    { name: 'take over', weight: 2, run: takeOver },
    ...move_steps,
    { name: 'time passes', weight: 5, run: ({ world }, random) => world.advance(random.between(10, 15_000)) },
  ]
}

async function append(state: AuditLogState, random: Random): Promise<void> {
  const engine = openEngine(state, random)
  if (!engine) return
  const tenant_id = random.pick(state.tenant_ids)
  const audit_log = engine.audit_log!
  // As dispatch does: the tenant is known before its first record.
  const whenReady = async () => {
    await audit_log.ready(tenant_id)
    record(state, engine, tenant_id, random.between(1, 3))
  }
  engine.process!.run(whenReady).catch(() => {})
}

function appendAtOnce(state: AuditLogState, random: Random): void {
  const engine = openEngine(state, random)
  if (!engine) return
  engine.process!.run(() => record(state, engine, random.pick(state.tenant_ids), random.between(1, 3)))
}

/** An event of a handler's own transaction. */
function leaveInOutbox(state: AuditLogState, random: Random): void {
  const engine = openEngine(state, random)
  if (!engine) return
  const { world, model } = state
  const entry = newEntry(world, random.pick(state.tenant_ids))
  const one = model.add(entry.id, entry.tenant_id)
  const insert = async () => {
    await withClient(world, async (client) => {
      await client.query('BEGIN')
      await client.query('INSERT INTO audit_outbox (tenant_id, entry) VALUES ($1, $2)', [
        entry.tenant_id,
        entryText(entry),
      ])
      await client.query('COMMIT')
    })
    one.outcome = 'acknowledged'
    engine.audit_log?.outboxChanged()
  }
  engine.process!.run(insert).catch(() => {})
}

async function withClient(world: World, work: (client: Client) => Promise<unknown>): Promise<void> {
  const client = new Client(engineConnection(world.database.url, 'svc simulation'))
  client.on('error', () => {})
  await client.connect()
  try {
    await work(client)
  } finally {
    client.end().catch(() => {})
  }
}

/** By an operator's command, in a process of its own. */
function rotate(state: AuditLogState, random: Random): void {
  const { world, model } = state
  const { id, correlation_id, timestamp, tenant_id, caller_did } = newEntry(
    world,
    random.pick(state.tenant_ids),
  )
  const order = { id, correlation_id, timestamp, tenant_id, caller_did, meta: {} }
  const one = model.add(id, tenant_id)
  const operator = world.start(`operator-${++state.operators}`)
  const end = () => operator.kill()
  operator
    .run(() => withClient(world, (client) => rotateKey(client, root_keys, order)))
    .then(() => {
      one.outcome = 'acknowledged'
    })
    .then(end, end)
}

function startEngine({ engines, world }: AuditLogState, random: Random): void {
  const stopped = engines.filter((engine) => !engine.is_running)
  if (stopped.length === 0) return
  const engine = random.pick(stopped)
  if (!world.processes.get(`${engine.name} adopter`)?.is_alive || random.chance(0.5))
    engine.start(hostOf(engine))
}

function killWriter({ world, engines }: AuditLogState, random: Random): void {
  const { process } = random.pick(engines)
  world.processes.get(`${process?.name} writer`)?.kill()
}

async function losePower(state: AuditLogState, random: Random): Promise<void> {
  const engine = random.pick(state.engines)
  await state.model.losePower(engine.name)
  for (const process of processesOf(state.world, engine)) process.kill()
  engine.disk.losePower(random)
}

function takeOver(state: AuditLogState, random: Random): void {
  const running = state.engines.filter((engine) => engine.is_running)
  if (running.length === 0) return
  const engine = random.pick(running)
  if (random.chance(0.5)) engine.process!.pause()
  engine.takeOver(`host ${++state.hosts}`)
}

function faultLink({ world, engines }: AuditLogState, random: Random): void {
  const { process } = random.pick(engines)
  if (!process?.is_alive) return
  const link = world.database.link(process)
  link.fault = random.pick(link_faults)
  link.fault_on = random.pick([undefined, 'COMMIT', 'COMMIT', 'BEGIN', 'insert-records', 'move-position'])
}

function partition({ world, engines }: AuditLogState, random: Random, is_partitioned: boolean): void {
  const { process } = random.pick(engines)
  if (process?.is_alive) world.database.link(process).is_partitioned = is_partitioned
}

function faultDisk({ engines }: AuditLogState, random: Random): void {
  random.pick(engines).disk.fault = random.pick(disk_faults)
}

function lieAboutSync({ engines }: AuditLogState, random: Random): void {
  random.pick(engines).disk.lies_about_sync = true
}

function adopt({ engines, world }: AuditLogState, random: Random): void {
  const orphaned = engines.filter((engine) => !engine.is_running)
  if (orphaned.length === 0) return
  const engine = random.pick(orphaned)
  if (!world.processes.get(`${engine.name} adopter`)?.is_alive) engine.adopt(hostOf(engine))
}
