// Workflow steps per second: chains of calls that any engine could continue, beside the same calls made one
// by one with a key, and beside chains of DBOS on the same PostgreSQL. In turns, because machines are noisy.

import { readdirSync, readFileSync } from 'node:fs'
import { Client } from 'pg'
import { startInProcess } from '../engines/in-process.ts'
import { type Addresses, dispatch } from '../engines/running-engine.ts'
import { effects } from '../scenes/effects-protocol.ts'
import { startDbos } from './dbos.ts'

const runs = 40
const steps_each = 10
const rounds = 5
const wait_ms = 25_000

interface Round {
  readonly ms: number
  /** Of the process and of PostgreSQL; NaN where the system does not say. */
  readonly cpu_us: number
}

export async function measureWorkflows(): Promise<Record<string, unknown>> {
  const service = await startInProcess({ more_protocols: [effects], check_outputs: false })
  const dbos = await startDbos()
  try {
    const manifest_ref = await submit(service)
    const ours = { pid: process.pid, db_url: service.db_url }
    const ways: [string, () => Promise<Round>][] = [
      ['steps', () => measure(ours, () => runMany(service, manifest_ref, runs))],
      ['calls', () => measure(ours, () => callMany(service))],
    ]
    if (dbos) ways.push(['dbos', () => measure(dbos, () => dbos.run({ runs, steps_each }))])
    for (const [, way] of ways) await way()
    const one_ms = await runMany(service, manifest_ref, 1)
    const taken = new Map<string, Round[]>(ways.map(([name]) => [name, []]))
    for (let round = 0; round < rounds; round++)
      for (const [name, way] of ways) taken.get(name)!.push(await way())
    return summed(taken, one_ms / steps_each)
  } finally {
    await dbos?.stop()
    await service.stop()
  }
}

function summed(taken: ReadonlyMap<string, readonly Round[]>, one_step_ms: number) {
  const figures = new Map(
    [...taken].map(([name, list]) => {
      const count = runs * steps_each
      const per_s = (count / medianOf(list.map(({ ms }) => ms))) * 1000
      return [name, { per_s, cpu_us: medianOf(list.map(({ cpu_us }) => cpu_us)) / count }]
    }),
  )
  const [steps, calls, dbos] = ['steps', 'calls', 'dbos'].map((name) => figures.get(name))
  const shown = ({ per_s, cpu_us }: { per_s: number; cpu_us: number }) =>
    `${per_s.toFixed(0)}/s (${cpu_us.toFixed(0)} µs of CPU each)`
  const ratio = steps!.per_s / calls!.per_s
  console.log(
    `\nworkflows: steps ${shown(steps!)} in ${runs} runs at once, medians of ${rounds} rounds in turn; one run alone: ` +
      `${one_step_ms.toFixed(1)} ms a step; the same calls with a key ${shown(calls!)}; ratio ${ratio.toFixed(2)}`,
  )
  const to_dbos = dbos && steps!.per_s / dbos.per_s
  if (dbos) console.log(`DBOS: steps ${shown(dbos)}; ours to DBOS ${to_dbos!.toFixed(2)}`)
  return { steps, calls, dbos, ratio, to_dbos, one_step_ms, runs, steps_each, rounds }
}

async function measure(
  { pid, db_url }: { readonly pid: number; readonly db_url: string },
  work: () => Promise<number>,
): Promise<Round> {
  const client = new Client({ connectionString: db_url })
  await client.connect()
  try {
    const sessions = await client.query<{ pid: number }>(
      'SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
    )
    const pids = [pid, ...sessions.rows.map((session) => session.pid)]
    const before = cpuUs(pids)
    const ms = await work()
    return { ms, cpu_us: cpuUs(pids) - before }
  } finally {
    await client.end()
  }
}

/** Sessions that were opened meanwhile are not counted; a warm-up opens what is needed. */
function cpuUs(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => {
    try {
      const threads = readdirSync(`/proc/${pid}/task`)
      const busy = threads.map((thread) => readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8'))
      return busy.reduce((total, text) => total + Number(text.split(' ')[0]) / 1000, sum)
    } catch {
      return pid === pids[0] ? Number.NaN : sum
    }
  }, 0)
}

function medianOf(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!
}

async function submit(who: Addresses): Promise<string> {
  const steps = Array.from({ length: steps_each }, (_, at) => ({
    kind: 'Protocol',
    name: `s${at}`,
    protocol: 'EFFECTS',
    operation: 'happen',
    payload: { name: `s${at}` },
  }))
  const manifest = { name: 'bench', version: '1.0.0', steps }
  return (await ask(who, 'MOON', 'submit_manifest', { manifest })).manifest_ref
}

async function runMany(who: Addresses, manifest_ref: string, count: number): Promise<number> {
  const begun = performance.now()
  const started = Array.from({ length: count }, () =>
    ask(who, 'MOON', 'execute_workflow', { manifest_ref, wait_ms }),
  )
  const ended = await Promise.all(started)
  const odd = ended.find(({ state }) => state !== 'succeeded')
  if (odd) throw new Error(`a run did not succeed: ${JSON.stringify(odd)}`)
  return performance.now() - begun
}

let batches = 0

async function callMany(who: Addresses): Promise<number> {
  const begun = performance.now()
  const batch = batches++
  const line = async (at: number) => {
    for (let step = 0; step < steps_each; step++)
      await ask(who, 'EFFECTS', 'happen', { name: `s${step}` }, `bench-${batch}-${at}-${step}`)
  }
  await Promise.all(Array.from({ length: runs }, (_, at) => line(at)))
  return performance.now() - begun
}

async function ask(
  who: Addresses,
  protocol: string,
  operation: string,
  input: unknown,
  idempotency_key?: string,
) {
  const { status, body } = await dispatch(who, {
    protocol,
    operation,
    input,
    ...(idempotency_key && { idempotency_key }),
  })
  if (status !== 200) throw new Error(JSON.stringify(body))
  return body.output
}
