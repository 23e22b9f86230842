import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'

const root = join(import.meta.dirname, '..')
const copied = ['catalogue', 'protocols', 'package.json', 'biome.json']
const linked = ['contract', 'database', 'audit']

/** A checkout in which catalogue and protocols may be written, and the rest is only read. */
function temporaryCopy(t: TestContext): string {
  const copy = mkdtempSync(join(tmpdir(), 'svc-new-'))
  t.after(() => rmSync(copy, { recursive: true }))
  for (const name of copied) cpSync(join(root, name), join(copy, name), { recursive: true })
  mkdirSync(join(copy, 'node_modules', '@svc'), { recursive: true })
  for (const name of readdirSync(join(root, 'node_modules'))) {
    if (name !== '@svc') symlinkSync(join(root, 'node_modules', name), join(copy, 'node_modules', name))
  }
  for (const name of linked) symlinkSync(join(root, name), join(copy, 'node_modules', '@svc', name))
  symlinkSync(join(root, 'clients', 'sdk-typescript'), join(copy, 'node_modules', '@svc', 'sdk'))
  for (const name of ['catalogue', 'protocols'])
    symlinkSync(join(copy, name), join(copy, 'node_modules', '@svc', name))
  return copy
}

function run(copy: string, ...args: string[]) {
  // An empty environment: the runner's own variables would make a nested runner report to it instead of failing.
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: copy,
    encoding: 'utf8',
    env: {},
  })
  return { status, said: `${stdout}${stderr}` }
}

test('a new protocol passes its own test, the laws and the style check at once', (t) => {
  const copy = temporaryCopy(t)
  const made = run(copy, 'catalogue/new.ts', 'protocol', 'ZEBRA', 'economic')
  assert.equal(made.status, 0, made.said)
  const folder = 'protocols/economic/zebra'
  const paths = [`${folder}/zebra.ts`, `${folder}/zebra.test.ts`, 'catalogue/protocols.ts']
  for (const path of paths) assert.ok(made.said.includes(`wrote ${path}`), path)
  const tests = [`${folder}/zebra.test.ts`, 'catalogue/laws.test.ts']
  const tested = run(copy, '--test', '--test-name-pattern=ZEBRA', ...tests)
  assert.equal(tested.status, 0, tested.said)
  assert.match(tested.said, /ZEBRA keeps every law/)
  const styled = run(copy, 'node_modules/@biomejs/biome/bin/biome', 'check', ...paths)
  assert.equal(styled.status, 0, styled.said)
})

test('wrong arguments print the usage', (t) => {
  const copy = temporaryCopy(t)
  for (const args of [[], ['protocol'], ['protocol', 'ZEBRA'], ['table', 'ZEBRA', 'truth']]) {
    const { status, said } = run(copy, 'catalogue/new.ts', ...args)
    assert.equal(status, 1)
    assert.match(said, /Usage: npm run new protocol/)
  }
})

test('a new operation keeps every law at once', (t) => {
  const copy = temporaryCopy(t)
  const made = run(copy, 'catalogue/new.ts', 'operation', 'MAX', 'zebra_count')
  assert.equal(made.status, 0, made.said)
  const path = 'protocols/awareness/max/max.ts'
  assert.ok(made.said.includes(`wrote ${path}`), made.said)
  const tested = run(copy, '--test', '--test-name-pattern=MAX', 'catalogue/laws.test.ts')
  assert.equal(tested.status, 0, tested.said)
  const styled = run(copy, 'node_modules/@biomejs/biome/bin/biome', 'check', path)
  assert.equal(styled.status, 0, styled.said)
})
