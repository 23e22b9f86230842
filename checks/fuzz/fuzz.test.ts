import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { test } from 'node:test'
import type { targets as planted_targets } from './fixture/targets.ts'
import { default_limits, fuzz, linesOf } from './fuzz.ts'
import { type Limits, runTargets } from './run-targets.ts'
import { targets } from './targets.ts'

const is_long = process.env.SVC_TEST_ASSURANCE === '1'
const long_seconds = Number(process.env.SVC_TEST_FUZZ_SECONDS ?? 3_600)
const names = Object.keys(targets)
const planted = {
  ...default_limits,
  table: new URL('./fixture/targets.ts', import.meta.url).href,
  ms_max: Number.POSITIVE_INFINITY,
  inputs_max: 10_000,
}

async function runPlanted(names: (keyof typeof planted_targets)[], limits: Partial<Limits>) {
  return await runTargets({ ...planted, seed: 1, names, ...limits })
}

test('feedback finds a fault behind nested conditions; without it the same number of inputs does not', async () => {
  const faultsOf = async (seed: number, is_guided: boolean) => {
    const [result] = await runPlanted(['nested'], { seed, is_guided })
    return result!.failures.map(({ input, message }) => [
      input.slice(0, 4),
      input.length,
      message.split(':')[0],
    ])
  }
  for (const seed of [1, 2]) {
    assert.deepEqual(await faultsOf(seed, true), [['<!q7', 9, 'TypeError']], `seed ${seed}`)
    assert.deepEqual(await faultsOf(seed, false), [], `seed ${seed}`)
  }
})

test('too many steps, a hang and too much memory are failures with their input, and the rest is still run', async () => {
  const results = [
    ...(await runPlanted(['endless', 'greedy'], { inputs_max: 0 })),
    ...(await runPlanted(['hanging', 'nested'], { inputs_max: 0, hang_ms_max: 3_000 })),
  ]
  assert.deepEqual(
    results.map(({ name, failures }) => [
      name,
      ...failures.map(({ input, message }) => `${input}: ${message}`),
    ]),
    [
      ['endless', 'a: more than 1000000 steps'],
      ['greedy', 'ccc: ended the thread: ERR_WORKER_OUT_OF_MEMORY'],
      ['hanging', 'bbb: hangs'],
      ['nested'],
    ],
  )
})

test('every parser holds for its corpus and for new inputs', async (t) => {
  const seed = is_long ? randomInt(1_000_000) : 1
  t.diagnostic(`seed ${seed}`)
  const results = is_long
    ? await fuzz({ names, seconds: long_seconds, seed }, (line) => t.diagnostic(line))
    : await runTargets({ ...default_limits, names, seed, inputs_max: 60, ms_max: Number.POSITIVE_INFINITY })
  t.diagnostic(`N=${results.reduce((sum, { inputs }) => sum + inputs, 0)}`)
  assert.deepEqual(
    results.map(({ name }) => name),
    names,
  )
  assert.deepEqual(results.filter(({ failures }) => failures.length > 0).flatMap(linesOf), [])
})
