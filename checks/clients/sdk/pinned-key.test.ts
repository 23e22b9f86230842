// svc pins its engine's key at first use, per engine and tenant, and reports when it changes.
import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, before, beforeEach, test } from 'node:test'
import { exportLines, rotateTestKey } from '@svc/audit/test-audit-log'
import { createClient } from '@svc/sdk'
import { pinPath } from '../../../clients/cli/audit/pin.ts'
import { runCli } from '../../../clients/cli/run.ts'
import { type InProcessService, startInProcess } from '../../engines/in-process.ts'
import type { Addresses } from '../../engines/running-engine.ts'
import { takeApart } from '../../tamper/exported-audit-log.ts'
import { forgeWhole } from '../../tamper/signed-mutations.ts'
import { clientEnv, type TestTerminalOptions, testTerminal } from '../test-terminal.ts'

interface Own {
  readonly service: InProcessService
  readonly caller: Addresses
}

let here: Own
let there: Own
let home: string
before(async () => {
  here = await startWithLog()
  there = await startWithLog()
})
after(async () => {
  await here?.service.stop()
  await there?.service.stop()
})
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'svc-pins-'))
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

/** Two of them have a tenant of the same name, each with its own keys. */
async function startWithLog(): Promise<Own> {
  const service = await startInProcess()
  const caller = await service.newCaller({ tenant_id: 'acme' })
  await writeMore(caller)
  return { service, caller }
}

async function writeMore({ api_url: apiUrl, api_key: apiKey, agent_did: agentDid }: Addresses) {
  const client = createClient({ apiUrl, apiKey, agentDid, tenantId: 'acme' })
  const entry = { event_type: 'custom.x', meta: {} }
  return await client.dispatch('MAX', 'audit_log_entry', entry, { waitForAudit: true })
}

async function svc({ caller }: Own, argv: string[], options: TestTerminalOptions = {}) {
  const terminal = testTerminal({ env: clientEnv(caller), home, columns: 200, ...options })
  const code = await runCli(argv, terminal)
  return { code, out: terminal.stdout, err: terminal.stderr }
}

const verify = (own: Own, ...more: string[]) => svc(own, ['audit', 'verify', ...more])
const pinOf = ({ caller }: Own) => pinPath(home, caller)
const linesOf = ({ service }: Own) => exportLines(service.db_url, 'acme')
const newestKey = async (own: Own) => takeApart(await linesOf(own)).header.keys.at(-1)!.public_key

/** An impostor at one engine's address that answers with another's data. */
function impostor(real: Own, other: Own): TestTerminalOptions {
  const env = { ...clientEnv(other.caller), SVC_API_URL: real.caller.api_url }
  const fetchThere: typeof fetch = (url, init) =>
    fetch(String(url).replace(real.caller.api_url, other.caller.api_url), init)
  return { env, fetch: fetchThere }
}

test('the first run pins the key and proves nothing; later ones are verified against it', async () => {
  const first = await verify(here)
  assert.equal(first.code, 8, first.out + first.err)
  assert.match(
    first.out,
    /^Consistent, but signed by a key that only this engine vouches for: \d+ records of acme/,
  )
  const public_key = await newestKey(here)
  assert.ok(first.err.includes(`key ${public_key} and the newest checkpoint, in ${pinOf(here)}.`), first.err)
  assert.match(first.err, /The next run compares with it\. To be sure now, .*pass it with --key\./)
  assert.equal(statSync(pinOf(here)).mode & 0o777, 0o600)
  const { api_url } = here.caller
  assert.partialDeepStrictEqual(JSON.parse(readFileSync(pinOf(here), 'utf8')), {
    api_url,
    tenant_id: 'acme',
    public_key,
  })
  const second = await verify(here)
  assert.equal(second.code, 0, second.out + second.err)
  assert.match(second.out, /^Verified against pinned key [0-9a-f]{8}, continues a kept checkpoint: /)
})

test('a key from elsewhere proves the first run too, and a wrong one is refused and not pinned', async () => {
  const wrong = await verify(here, '--key', await newestKey(there))
  assert.deepEqual([wrong.code, readdirSync(home)], [1, []])
  const right = await verify(here, '--key', await newestKey(here))
  assert.equal(right.code, 0, right.out + right.err)
  assert.match(right.out, /^Verified against pinned key/)
  assert.match(right.err, /The next run compares with it\.\n$/)
})

test('two engines with tenants of the same name share no pin, and neither raises an alarm', async () => {
  for (const own of [here, there]) assert.equal((await verify(own)).code, 8)
  assert.notEqual(pinOf(here), pinOf(there))
  for (const own of [here, there]) {
    const { code, err } = await verify(own)
    assert.equal(code, 0, err)
    assert.doesNotMatch(err, /changed/i)
  }
})

test("another log at the engine's address is reported prominently, and changes no pin until it is accepted", async () => {
  await verify(here)
  const pinned = readFileSync(pinOf(here), 'utf8')
  const as_impostor = impostor(here, there)
  const changed = await svc(here, ['audit', 'verify'], as_impostor)
  assert.equal(changed.code, 1)
  assert.match(
    changed.out,
    /^Invalid: the key [0-9a-f]{8} of the export is not among the keys you trust\.\n$/,
  )
  assert.match(changed.err, /^KEY CHANGED: the log of acme at \S+ is not signed by its pinned key /)
  assert.match(changed.err, /svc audit verify --accept-new-key/)
  assert.equal(readFileSync(pinOf(here), 'utf8'), pinned)
  const named = await svc(here, ['audit', 'verify', '--key', await newestKey(there)], as_impostor)
  assert.equal(named.code, 1, 'naming its key is not yet accepting it')
  const accepted = await svc(here, ['audit', 'verify', '--accept-new-key'], as_impostor)
  assert.equal(accepted.code, 8, accepted.out + accepted.err)
  assert.match(accepted.err, /^The pinned key was replaced, as requested\. It was /)
  assert.equal((await svc(here, ['audit', 'verify'], as_impostor)).code, 0)
  assert.match((await verify(here)).err, /^KEY CHANGED/)
})

test('a key rotation signed by the pinned key is accepted and reported, and the new key is pinned', async () => {
  await verify(here)
  const before = await newestKey(here)
  await rotateTestKey(here.service.db_url, 'acme', here.service.service.root_keys)
  await writeMore(here.caller)
  const rotated = await verify(here)
  assert.equal(rotated.code, 0, rotated.out + rotated.err)
  assert.match(rotated.err, /^The audit key has changed: the log holds the change, signed by the pinned key/)
  const now = await newestKey(here)
  assert.notEqual(now, before)
  assert.equal(JSON.parse(readFileSync(pinOf(here), 'utf8')).public_key, now)
  const next = await verify(here)
  assert.equal(next.code, 0, next.out)
  assert.doesNotMatch(next.err, /changed/)
})

test("a file is compared with the profile's pin if it belongs to its tenant", async () => {
  const file = join(home, 'log.jsonl')
  const write = (lines: string[]) => writeFileSync(file, `${lines.join('\n')}\n`)
  write(await linesOf(here))
  assert.equal((await verify(here, file)).code, 8, 'nothing is pinned yet')
  await verify(here)
  write(await linesOf(here))
  for (const command of [['audit', 'verify'], ['verify']]) {
    const proved = await svc(here, [...command, file])
    assert.equal(proved.code, 0, proved.out + proved.err)
    assert.match(proved.out, /^Verified against pinned key [0-9a-f]{8}: /)
    assert.equal(
      (await svc(here, [...command, file], { env: {} })).code,
      8,
      'without settings there is no pin',
    )
  }
  const { lines } = forgeWhole(takeApart(await linesOf(here)))
  write(lines)
  const forged = await verify(here, file)
  assert.equal(forged.code, 1)
  assert.match(forged.err, /compared with the key pinned for acme at http/)
  write(await linesOf(there))
  assert.equal((await verify(here, file)).code, 1, 'another engine is another log')
  assert.equal((await verify(here, file, '--key', await newestKey(there))).code, 0)
  assert.equal((await verify(here, file, '--tenant-id', 'other')).code, 8, 'a pin is of one tenant')
  assert.equal((await verify(here, file, '--accept-new-key')).code, 1)
})

test('a pin that cannot be written changes no verdict and is reported', async () => {
  // Fails also for root, who may write everywhere else.
  symlinkSync(join(home, 'nowhere'), join(home, '.svc'))
  const first = await verify(here)
  assert.equal(first.code, 8, first.out + first.err)
  assert.match(first.out, /^Consistent, but signed by a key that only this engine vouches for/)
  assert.match(first.err, /^Not pinned: .*\/acme\.json/)
  const named = await verify(here, '--key', await newestKey(here))
  assert.equal(named.code, 0, named.out + named.err)
})

test('explain calls a record verified only by the pinned key', async () => {
  const { metadata } = await writeMore(here.caller)
  const ask = (options?: TestTerminalOptions) => svc(here, ['explain', metadata.correlation_id], options)
  const alone = await ask()
  assert.equal(alone.code, 0, alone.err)
  assert.match(alone.out, / consistent .*\nconsistent: signed by a key that only the engine vouches for/)
  await verify(here)
  assert.match((await ask()).out, / verified /)
  const strange = JSON.stringify({
    ...JSON.parse(readFileSync(pinOf(here), 'utf8')),
    public_key: 'A'.repeat(43),
  })
  writeFileSync(pinOf(here), strange)
  const changed = await ask()
  assert.equal(changed.code, 1)
  assert.match(changed.out, /is invalid: the engine no longer names the pinned key/)
})

test('a broken or moved pin does not count as a missing one', async () => {
  await verify(here)
  const pin = JSON.parse(readFileSync(pinOf(here), 'utf8'))
  const broken = [
    '',
    '{',
    JSON.stringify({ ...pin, public_key: '' }),
    JSON.stringify({ ...pin, tenant_id: 'other' }),
  ]
  for (const text of [...broken, JSON.stringify({ ...pin, api_url: there.caller.api_url })]) {
    writeFileSync(pinOf(here), text)
    const { code, out, err } = await verify(here)
    assert.deepEqual([code, out], [1, ''], text)
    assert.match(err, /is not the pinned key of acme at /)
  }
})
