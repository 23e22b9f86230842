import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runSteps, type Step, typeFigures } from '../check.ts'

const good: Step = { name: 'good', script: ['-e', 'console.log("noise")'], advice: 'none' }
const bad: Step = {
  name: 'bad',
  script: ['-e', 'console.error("what is wrong"); process.exit(3)'],
  advice: 'Do this.',
}
const silent: Step = {
  name: 'silent',
  script: ['-e', 'process.kill(process.pid, "SIGKILL")'],
  advice: 'Do that.',
}

function run(...steps: Step[]): { passed: boolean; said: string[] } {
  const lines: string[] = []
  const passed = runSteps(steps, import.meta.dirname, (line) => lines.push(line))
  return { passed, said: lines }
}

test('a step that passes is one line, whatever it printed', () => {
  const { passed, said } = run(good)
  assert.ok(passed)
  assert.equal(said.length, 1)
  assert.match(said[0] ?? '', /^ok {6}good +\d+\.\d s$/)
})

test('a passing step may report figures', () => {
  const output = 'Files:  12\\nTypes:              1350123\\nCheck time:        4.210s'
  const counted: Step = { ...good, script: ['-e', `console.log("${output}")`], figures: typeFigures }
  assert.match(run(counted).said[0] ?? '', / s {2}\(1350123 types, checked in 4\.210s\)$/)
})

test('a step that fails shows its output and what to do, and the steps after it still run', () => {
  const { passed, said } = run(bad, good)
  assert.ok(!passed)
  assert.match(said.join('\n'), /^failed {2}bad [^\n]*\nwhat is wrong\nDo this\.\nok {6}good /)
})

test('a step that dies without output has failed', () => {
  const { passed, said } = run(silent)
  assert.ok(!passed)
  assert.match(said.join('\n'), /It said nothing\.\nDo that\./)
})
