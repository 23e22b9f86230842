// Ledger, escrow and market: two engines on one database, with contracts, orders, retries, sweeps and every fault of link and process.
import { sweepContracts } from '@svc/protocols/economic/made/api'
import { sweepOrders } from '@svc/protocols/economic/market/api'
import type { LinkFault } from '../database.ts'
import type { Random } from '../random.ts'
import type { Scenario } from '../scenario.ts'
import { Violation, type World } from '../world.ts'
import { accept, deal, end, payIn, reverse, rule, settle } from './contract-steps.ts'
import { Engine } from './engine.ts'
import { cancelAll, changeOrder, executeTrade, placeBatch, placeOrders } from './market-steps.ts'
import { LedgerModel } from './model.ts'
import { openOrganizations } from './organizations.ts'
import { Requests } from './requests.ts'
import type { LedgerState } from './state.ts'

const link_faults: readonly LinkFault[] = [
  'cut before',
  'cut after',
  'cut after',
  'lose answer',
  'kill session',
]
const hour_ms = 3_600_000
const sweep_tries_max = 8
const skew_ms_max = 600_000

export const ledger_scenario: Scenario<LedgerState> = {
  name: 'ledger',
  steps_default: 45,
  tasks_max: 60,
  open,
  steps: [
    { name: 'place orders', weight: 14, run: placeOrders },
    { name: 'place a batch', weight: 6, run: placeBatch },
    { name: 'cancel all', weight: 1, run: cancelAll },
    { name: 'execute trade', weight: 5, run: executeTrade },
    { name: 'change order', weight: 8, run: changeOrder },
    { name: 'deal', weight: 12, run: deal },
    { name: 'accept', weight: 4, run: accept },
    { name: 'settle', weight: 12, run: settle },
    { name: 'reverse', weight: 10, run: reverse },
    { name: 'end contract', weight: 6, run: end },
    { name: 'court', weight: 4, run: rule },
    { name: 'pay in', weight: 3, run: payIn },
    { name: 'retry', weight: 8, run: retry },
    { name: 'sweep', weight: 6, run: (state) => void sweep(state) },
    { name: 'link fault', weight: 5, run: faultLink },
    { name: 'partition', weight: 2, run: partition },
    { name: 'crash', weight: 2, run: ({ engines }, random) => random.pick(engines).process?.kill() },
    { name: 'restart', weight: 7, run: restart },
    { name: 'set clock', weight: 2, run: setClock },
    {
      name: 'time passes',
      weight: 5,
      run: ({ world }, random) => world.advance(random.between(1, 2_700_000)),
    },
    {
      name: 'hours pass',
      weight: 5,
      run: ({ world }, random) => world.advance((random.between(1, 40) * hour_ms) / 4),
    },
  ],
  check,
  close,
}

async function open(world: World): Promise<LedgerState> {
  const organizations = await openOrganizations(world)
  const engines = ['engine-1', 'engine-2'].map((name) => new Engine(world, name, organizations))
  const requests = new Requests(world)
  const model = new LedgerModel(world.database, organizations, requests)
  await startAll(world, engines)
  return { world, organizations, engines, requests, model, latest_ms: 0 }
}

/** One that did not reach the database in time is started again. */
async function startAll(world: World, engines: readonly Engine[]): Promise<void> {
  const isOpen = (engine: Engine) => {
    if (!engine.is_running) engine.start()
    return engine.open !== undefined
  }
  await world.runUntil(() => engines.map(isOpen).every(Boolean), 'the engines start')
}

async function check(state: LedgerState): Promise<void> {
  state.latest_ms = Math.max(state.latest_ms, ...state.engines.map(({ now_ms }) => now_ms))
  await state.model.check(state.latest_ms)
}

/** All faults over, all calls answered, and what time should have changed, swept. */
async function close(state: LedgerState): Promise<void> {
  const { world, engines, model } = state
  for (const engine of engines) {
    engine.setClock(0)
    const link = engine.process && world.database.link(engine.process)
    if (link) Object.assign(link, { fault: undefined, is_partitioned: false })
    engine.process?.resume()
  }
  await world.run(2_000)
  await check(state)
  for (const engine of engines) engine.process?.kill()
  await startAll(world, engines)
  // Later than any clock has been.
  world.advance(2 * skew_ms_max + world.random.below(100) * hour_ms)
  await sweepAtLast(state)
  await check(state)
  model.checkSwept(world.now_ms)
  world.note(model.summary)
}

function retry({ engines, requests }: LedgerState, random: Random): void {
  const { retried } = requests
  if (retried.length > 0) requests.send(random.pick(engines), random.pick(retried))
}

/** On both engines at once: whichever is first, nothing happens twice. */
function sweep({ world, engines }: LedgerState): Promise<unknown>[] {
  return engines.flatMap(({ open, process, now_ms }) => {
    if (!open || !process) return []
    const tick = { now: new Date(now_ms), newId: () => world.random.uuid() }
    return [sweepContracts, sweepOrders].map((run) => {
      const sweeping = process.run(() => run(open.store.engine, tick))
      sweeping.catch(() => {})
      return sweeping
    })
  })
}

/** Again where a connection was late, as the engine's timer does. */
async function sweepAtLast(state: LedgerState): Promise<void> {
  for (let tries = 1; ; tries++) {
    const sweeps = await state.world.awaited(Promise.allSettled(sweep(state)), 'the last sweep ends')
    const failed = sweeps.find((one) => one.status === 'rejected')
    if (!failed) return
    if (tries === sweep_tries_max) throw new Violation('no sweep succeeds', { cause: failed.reason })
  }
}

function faultLink({ world, engines }: LedgerState, random: Random): void {
  const { process } = random.pick(engines)
  if (!process) return
  const link = world.database.link(process)
  link.fault = random.pick(link_faults)
  link.fault_on = random.pick([
    undefined,
    'svc_',
    'INSERT INTO audit_outbox',
    'INSERT INTO audit_outbox',
    'COMMIT',
    'commit',
  ])
}

/** Of one engine from the database, for some events. */
async function partition({ world, engines }: LedgerState, random: Random): Promise<void> {
  const { process } = random.pick(engines)
  if (!process) return
  const link = world.database.link(process)
  link.is_partitioned = true
  await world.run(random.below(30))
  link.is_partitioned = false
}

function restart({ engines }: LedgerState, random: Random): void {
  const engine = random.pick(engines.filter(({ is_running }) => !is_running).concat(random.pick(engines)))
  engine.start()
}

/** Back, or ahead of the other engine. */
function setClock({ engines }: LedgerState, random: Random): void {
  random.pick(engines).setClock(random.between(-skew_ms_max, skew_ms_max))
}
