// The official compatibility kit (a2aproject/a2a-tck, branch 1.0-dev) against an agent of an engine. It is not a package: SVC_TEST_A2A_TCK names a
// checkout with its requirements installed in .venv.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Fields } from './a2a-scene.ts'
import { runKit, startKitScene } from './kit-scene.ts'
import { respondToTck } from './tck-agent.ts'

const checkout = process.env.SVC_TEST_A2A_TCK
/** Faults of the kit itself: it wants an error, as its own title says, and then takes any error for a failure. */
const kit_faults = ['test_must_requirement[CORE-SEND-003-jsonrpc]']

test('the official compatibility kit finds no fault', {
  skip: checkout === undefined && 'SVC_TEST_A2A_TCK names no checkout of a2aproject/a2a-tck',
}, async (t) => {
  const scene = await startKitScene(respondToTck)
  t.after(scene.stop)
  const folder = checkout!
  const out = await runKit(join(folder, '.venv/bin/python'), ['run_tck.py', '--sut-host', scene.url], folder)
  const report: Fields = JSON.parse(await readFile(join(folder, 'reports/compatibility.json'), 'utf8'))
  t.diagnostic(JSON.stringify(report.summary))
  const failures = [...out.matchAll(/^(?:FAILED|ERROR) \S*::(\S+)/gm)].map(([, name]) => name)
  assert.deepEqual(failures, kit_faults, out.slice(-20_000))
  assert.match(out, /\d+ passed/)
})
