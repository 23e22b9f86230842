// Two engines run workflows and are killed (-9) repeatedly: every run ends, and each effect happened exactly
// once.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { findRecords } from '@svc/audit/query/records'
import { openReplicas, type Replica, type Replicas } from '../engines/replicas.ts'
import { type Addresses, dispatch } from '../engines/running-engine.ts'
import { until } from '../suite/eventually.ts'
import { pace, stopwatch } from '../suite/real-time.ts'
import { announce, type Chance, is_long, openChance, report } from './scene/chance.ts'

const workflows = is_long ? 100 : 4
const kills = is_long ? 50 : 1
const steps_each = is_long ? 10 : 6
const between_ms_max = is_long ? 600 : 300
const records_max = 100_000
const effect_ms = 15
const names = ['first', 'second']

/** A diamond between two chains, so that steps run in parallel when an engine dies. */
function manifest() {
  const step = (at: number, depends_on: string[]) => ({
    kind: 'Protocol',
    name: `s${at}`,
    protocol: 'EFFECTS',
    operation: 'happen',
    payload: { name: { $cel: `input.run + "/s${at}"` }, after_ms: effect_ms },
    depends_on,
  })
  const steps = Array.from({ length: steps_each }, (_, at) => {
    if (at === 0) return step(at, [])
    if (at === 2) return step(at, ['s0'])
    if (at === 3) return step(at, ['s1', 's2'])
    return step(at, [`s${at - 1}`])
  })
  return { name: 'counted', version: '1.0.0', steps }
}

test('workflows under kill -9 of two workers', { timeout: 1_800_000 }, async (t) => {
  const chance = openChance()
  announce(t, import.meta.filename, workflows, chance)
  const replicas = await openReplicas()
  t.after(() => replicas.close())
  const running = new Map<string, Replica>()
  for (const name of names) running.set(name, await replicas.start(name))
  const key = await replicas.newCaller('acme')
  const at = (name: string): Addresses => ({ ...key, api_url: running.get(name)!.api_url })
  const { manifest_ref } = await asked(at('first'), 'submit_manifest', { manifest: manifest() })

  const elapsed_ms = stopwatch()
  const killing = killAgainAndAgain(replicas, running, chance)
  const runs = await startRuns(at, manifest_ref, chance)
  await killing
  const ends = await endsOf(t, at, runs)
  const ms = elapsed_ms()

  for (const end of ends) assert.equal(end.state, 'succeeded', JSON.stringify(end))
  assert.ok(ends.every(({ confidence_score }) => confidence_score === 1))
  for (const name of names) assert.equal(await running.get(name)!.stop(), 0)
  const records = await findRecords(replicas.store.engine, 'acme', { limit: records_max })
  const effects = records.filter(({ event_type }) => event_type === 'custom.effect')
  const actual = effects.map(({ meta }) => String((meta as { name?: unknown }).name)).sort()
  const expected = runs
    .flatMap((_, run) => Array.from({ length: steps_each }, (__, step) => `run-${run}/s${step}`))
    .sort()
  assert.deepEqual(actual, expected, 'each effect once')
  report(t, { workflows, kills, steps: expected.length, seconds: ms / 1000 })
})

async function asked(who: Addresses, operation: string, input: unknown) {
  const { status, body } = await dispatch(who, { protocol: 'MOON', operation, input })
  assert.equal(status, 200, JSON.stringify(body))
  return body.output
}

/** The engine may be dead by then: the same key makes a retry the same run on any engine. */
async function startRuns(
  at: (name: string) => Addresses,
  manifest_ref: string,
  chance: Chance,
): Promise<string[]> {
  const runs: string[] = []
  for (let run = 0; run < workflows; run++) {
    const input = { manifest_ref, run_key: `run-${run}`, input: { run: `run-${run}` } }
    const started = await until(`run ${run} is started`, () =>
      asked(at(chance.pick(names)), 'execute_workflow', input).catch(() => undefined),
    )
    runs.push(started.run_ref)
  }
  return runs
}

async function killAgainAndAgain(
  replicas: Replicas,
  running: Map<string, Replica>,
  chance: Chance,
): Promise<void> {
  for (let kill = 0; kill < kills; kill++) {
    await pace(50 + chance.below(between_ms_max))
    const name = chance.pick(names)
    await running.get(name)!.stop('SIGKILL')
    running.set(name, await replicas.start(name))
  }
}

async function endsOf(t: TestContext, at: (name: string) => Addresses, runs: readonly string[]) {
  const ends = []
  for (const run_ref of runs) {
    const input = { action: 'status', run_ref, wait_ms: 5_000 }
    ends.push(
      await until(`${run_ref} ends`, async () => {
        const view = await asked(at('first'), 'execute_workflow', input)
        return view.ended_at ? view : undefined
      }),
    )
  }
  t.diagnostic(`${ends.length} runs have ended`)
  return ends
}
