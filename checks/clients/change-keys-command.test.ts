// svc keys rotate and recover: private keys go from file to file, and nothing is printed or overwritten.
import assert from 'node:assert/strict'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { type RunningEngine, startEngine } from '../engines/running-engine.ts'
import { type TestDatabase, testDatabase } from '../rehearsal/test-database.ts'
import { deriveOwnKeyed } from '../scenes/own-keyed-agent.ts'
import { askMacs, outputOf, type TestIdentity } from '../scenes/test-descent.ts'
import { assertDone, svc } from './login-scene.ts'
import { clientEnv } from './test-terminal.ts'

const folder = mkdtempSync(join(tmpdir(), 'svc-change-keys-command-'))
let database: TestDatabase
let engine: RunningEngine
before(async () => {
  database = await testDatabase()
  engine = await startEngine({ data_dir: join(folder, 'engine'), env: { SVC_DB_URL: database.url } })
})
after(async () => {
  await engine?.stop()
  await database.close()
  rmSync(folder, { recursive: true, force: true })
})

/** Proving oneself needs no capability, changing one's key does. */
const newAgent = () => deriveOwnKeyed(engine, ['svc.macs.*'])
const pathOf = (name: string) => join(folder, name)
const keyIn = (name: string) => readFileSync(pathOf(name), 'utf8').trim()
const seedOf = ({ seed }: TestIdentity) => seed.toString('base64url')

/** As the developer, whose key the engine keeps. */
const run = (...argv: string[]) => svc(['keys', ...argv], { env: clientEnv(engine) })

/** With a key of its own. */
function runOwn(agent: TestIdentity, SVC_PRIVATE_KEY: string, ...argv: string[]) {
  return svc(argv, { env: { SVC_API_URL: engine.api_url, SVC_AGENT_DID: agent.did, SVC_PRIVATE_KEY } })
}

test('an agent commits, changes its key and is recovered, and each key is in a file of its own', async () => {
  const agent = await newAgent()
  const first = seedOf(agent)
  const committed = await runOwn(agent, first, 'keys', 'rotate', '--commit', pathOf('next.key'))
  assertDone(committed)
  assert.match(
    committed.stdout,
    /^Committed to the next key, which is in .*next\.key\. The key in use stays\.$/m,
  )
  assert.equal(statSync(pathOf('next.key')).mode & 0o777, 0o600)
  const again = await runOwn(agent, first, 'keys', 'rotate', '--commit', pathOf('unused.key'))
  assert.equal(again.exit, 7)
  assert.match(again.stderr, /svc keys rotate --to <file> names the key that was committed to/)

  const change = ['keys', 'rotate', '--to', pathOf('next.key'), '--commit', pathOf('after.key')]
  const rotated = await runOwn(agent, first, ...change)
  assertDone(rotated)
  assert.match(
    rotated.stdout,
    /^Changed to the key in .*next\.key\. Set SVC_PRIVATE_KEY to the key in .*next\.key;/m,
  )
  const former = await runOwn(agent, first, 'whoami')
  assert.equal(former.exit, 2)
  assert.match(former.stderr, /reason {2}former key\n {2}next {4}svc config set private_key < file/)
  assertDone(await runOwn(agent, keyIn('next.key'), 'whoami'))

  const recovered = await run(
    'recover',
    agent.did,
    '--key',
    pathOf('new.key'),
    '--commit',
    pathOf('later.key'),
  )
  assertDone(recovered)
  assert.match(recovered.stdout, /^Recovered\. The former key opens nothing/)
  assert.equal((await runOwn(agent, keyIn('next.key'), 'whoami')).exit, 2)
  assertDone(await runOwn(agent, keyIn('new.key'), 'whoami'))
  const printed = [committed, again, rotated, former, recovered]
    .map(({ stdout, stderr }) => stdout + stderr)
    .join()
  for (const name of ['next.key', 'after.key', 'new.key', 'later.key'])
    assert.ok(!printed.includes(keyIn(name)), `${name} is printed`)
})

test('a profile that holds the key goes on with the new one', async () => {
  const agent = await newAgent()
  const home = pathOf('home')
  mkdirSync(join(home, '.svc'), { recursive: true, mode: 0o700 })
  const path = join(home, '.svc', 'config.json')
  const config = { api_url: engine.api_url, agent_did: agent.did, private_key: seedOf(agent) }
  writeFileSync(path, JSON.stringify(config), { mode: 0o600 })
  const runHere = (...argv: string[]) => svc(argv, { home, env: {} })
  assertDone(await runHere('keys', 'rotate', '--commit', pathOf('profile-next.key')))
  assert.equal(JSON.parse(readFileSync(path, 'utf8')).private_key, seedOf(agent), 'nothing changed yet')
  const change = ['--to', pathOf('profile-next.key'), '--commit', pathOf('profile-after.key')]
  const rotated = await runHere('keys', 'rotate', ...change, '--json')
  assertDone(rotated)
  assert.deepEqual(JSON.parse(rotated.stdout), {
    state: 'rotated',
    next_key_file: pathOf('profile-after.key'),
  })
  assert.equal(JSON.parse(readFileSync(path, 'utf8')).private_key, keyIn('profile-next.key'))
  assertDone(await runHere('whoami'))
})

test('two who were named recover an identity together', async () => {
  const [agent, other] = [await newAgent(), await newAgent()]
  const named = ['--recoverer', engine.agent_did, '--recoverer', other.did]
  assertDone(await runOwn(agent, seedOf(agent), 'keys', 'rotate', '--commit', pathOf('q-next.key'), ...named))
  const files = ['--key', pathOf('q-new.key'), '--commit', pathOf('q-after.key')]
  const begun = await run('recover', agent.did, ...files)
  assertDone(begun)
  assert.equal(begun.stdout, '1 of 2 who are needed have agreed.\n')
  const agree = /svc keys recover <did> --agree (\S+)/.exec(begun.stderr)?.[1]
  assert.ok(agree, begun.stderr)
  const agreed = await runOwn(other, seedOf(other), 'keys', 'recover', agent.did, '--agree', agree)
  assertDone(agreed)
  assert.match(agreed.stdout, /^Recovered\./)
  assertDone(await runOwn(agent, keyIn('q-new.key'), 'whoami'))
})

test('keys that the engine keeps need no files', async () => {
  const derived = outputOf(await askMacs(engine, 'derive', { entity_kind: 'Agent', label: 'kept' }))
  const did = String(derived.did)
  const rotated = await run('rotate', '--agent', did)
  assertDone(rotated)
  assert.match(rotated.stdout, /^The engine changed the key\. Sessions ended: 0\.$/m)
  const recovered = await run('recover', did, '--json')
  assertDone(recovered)
  assert.equal(JSON.parse(recovered.stdout).state, 'recovered')
})

test('what is missing or wrong is refused before anything is asked or written', async () => {
  const agent = await newAgent()
  writeFileSync(pathOf('mine.key'), `${seedOf(agent)}\n`, { mode: 0o600 })
  writeFileSync(pathOf('text.key'), 'no key\n', { mode: 0o600 })
  writeFileSync(pathOf('open.key'), `${seedOf(agent)}\n`)
  chmodSync(pathOf('open.key'), 0o644)
  const commit = ['--commit', pathOf('never.key')]
  for (const [argv, message] of [
    [['rotate'], /--commit <file> is missing: where the next key is written/],
    [['rotate', '--commit', pathOf('mine.key')], /exists and may hold a key in use/],
    [['rotate', '--commit', pathOf('no/such/folder')], /cannot be written \(ENOENT\), so no key was changed/],
    [['rotate', ...commit, '--to', pathOf('absent.key')], /cannot be read \(ENOENT\)/],
    [['rotate', ...commit, '--to', pathOf('text.key')], /holds no private key/],
    [['rotate', ...commit, '--to', pathOf('open.key')], /others can read it; run chmod 600/],
    [['rotate', ...commit, '--threshold', '2'], /name them/],
    [['rotate', ...commit, '--recoverer', engine.agent_did, '--threshold', 'x'], /from 1 to 9, not x/],
    [['recover'], /needs the DID/],
    [['recover', agent.did, '--key', pathOf('never.key')], /--commit <file> is missing/],
    [['recover', agent.did, '--key', pathOf('never.key'), ...commit], /name two files/],
    [['recover', agent.did, ...commit], /--commit does not belong here/],
  ] as const) {
    const ran = await runOwn(agent, seedOf(agent), 'keys', ...argv)
    assert.deepEqual([ran.exit, existsSync(pathOf('never.key'))], [1, false], argv.join(' '))
    assert.match(ran.stderr, message)
  }
  const strangers = await run('rotate', ...commit)
  assert.match(strangers.stderr, /--commit does not belong here/)
  assertDone(await runOwn(agent, seedOf(agent), 'keys', 'rotate', '--commit', pathOf('last.key')))
  const unmade = await run('recover', agent.did)
  assert.match(unmade.stderr, /next .*svc keys recover <did> --key <file> --commit <file> makes the new key/)
})
