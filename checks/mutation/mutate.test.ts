import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { is_long } from '../faults/scene/chance.ts'
import { differences, listed_survivors, mutateFile, type Report, score_min, scoreOf } from './mutate.ts'
import { targets } from './targets.ts'

const folder = mkdtempSync(join(tmpdir(), 'svc-mutation-'))
after(() => rmSync(folder, { recursive: true }))

const head = `import assert from 'node:assert/strict'\nimport { test } from 'node:test'\n`
const files: Record<string, string> = {
  'sum.ts': `export function sumTo(last: number): number {
  let sum = 0
  for (let next = 1; next <= last; next++) sum += next
  return sum
}
`,
  'good.ts': `${head}import { sumTo } from './sum.ts'
test('sums', () => assert.deepEqual([0, 1, 4].map(sumTo), [0, 1, 10]))
`,
  'bad.ts': `${head}import { sumTo } from './sum.ts'
test('a sum is a number', () => assert.equal(typeof sumTo(1), 'number'))
`,
  'exits.ts': `${head}import { sumTo } from './sum.ts'
test('the process ends where the last is left out', () => {
  if (sumTo(4) === 6) process.exit(0)
  assert.deepEqual([0, 1, 4].map(sumTo), [0, 1, 10])
})
`,
  'red.ts': `${head}test('fails', () => assert.fail('always'))\n`,
  'empty.ts': `import './sum.ts'\n`,
  'leaves.ts': `import './sum.ts'\nprocess.exit(0)\n`,
}
for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
const mutate = (...tests: string[]): Promise<Report> => mutateFile({ file: 'sum.ts', tests }, folder)

test('a good test kills every mutant, also those that never end', async () => {
  const report = await mutate('good.ts')
  assert.deepEqual(report.survivors, [])
  assert.equal(scoreOf(report), 1)
  // Of the function, `0`, `1`, `<=` twice, its condition, `++` and `+=`.
  assert.equal(report.mutants, 9)
})

test('a mutant that a bad test does not notice is named with its line, before and after', async () => {
  const { survivors } = await mutate('bad.ts')
  const original = 'for (let next = 1; next <= last; next++) sum += next'
  const mutated = original.replace('<=', '<')
  assert.deepEqual(
    survivors.find((survivor) => survivor.mutated === mutated),
    { file: 'sum.ts', line: 3, original, mutated },
  )
  assert.ok(!survivors.some((survivor) => survivor.mutated.endsWith('{}')), 'undefined is no number')
})

test('a mutant that ends its process is killed, and the ones after it are run', async () => {
  const { mutants, survivors } = await mutate('exits.ts')
  assert.deepEqual([mutants, survivors], [9, []])
})

test('tests that fail without a mutant, or are none, prove nothing', async () => {
  await assert.rejects(mutate('red.ts'), /without a mutant the tests fail: fails/)
  await assert.rejects(mutate('empty.ts'), /empty\.ts has no tests/)
  await assert.rejects(mutate('leaves.ts'), /its tests ended their process without a mutant/)
})

test('a survivor must be listed, and a listed one must survive', () => {
  const survivor = { file: 'sum.ts', line: 2, original: 'a', mutated: 'b' }
  const report = { file: 'sum.ts', mutants: 9, survivors: [survivor], seconds: 1 }
  const listed = { file: 'sum.ts', original: 'a', mutated: 'b', reason: 'equivalent' }
  assert.deepEqual(differences(report, [listed, { ...listed, file: 'other.ts' }]), [])
  assert.deepEqual(differences(report, []), ['sum.ts:2 survives and is not listed: a -> b'])
  assert.deepEqual(differences({ ...report, survivors: [] }, [listed]), [
    'sum.ts: listed, but killed or gone: a -> b',
  ])
})

test('every listed survivor is of a target and has a reason', () => {
  for (const { file, reason } of listed_survivors) {
    assert.ok(
      targets.some((target) => target.file === file),
      file,
    )
    assert.ok(reason.length > 10, `${file}: ${reason}`)
  }
})

for (const target of targets) {
  const skip = !is_long && 'only in the long form (SVC_TEST_ASSURANCE=1)'
  test(`the tests of ${target.file} notice its mutants`, { skip }, async (t) => {
    const report = await mutateFile(target)
    t.diagnostic(`N=${report.mutants}, ${(100 * scoreOf(report)).toFixed(1)} % killed`)
    assert.equal(differences(report, listed_survivors).join('\n'), '')
    assert.ok(scoreOf(report) >= score_min, `${target.file}: ${scoreOf(report)}`)
  })
}
