import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { embeddedUrl } from '@svc/adapters/store/embedded-postgres'
import { freePorts } from '../checks/engines/running-engine.ts'

const main = join(import.meta.dirname, 'main.ts')

/** Started until it prints its addresses, then stopped; or until it ends by itself. */
async function start(
  folder: string,
  config: string,
): Promise<{ code: number | null; out: string; err: string }> {
  const args = ['up', '--json', '--data-dir', join(folder, 'data'), '--port', String(await freePorts())]
  const child = spawn(process.execPath, [main, ...args, '--config', config], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [out, err] = [text(child.stdout), text(child.stderr)]
  child.stdout.once('data', () => child.kill('SIGTERM'))
  const [code] = await once(child, 'exit')
  return { code, out: await out, err: await err }
}

test('up applies a configuration at each start, and does not start with a faulty one', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-up-config-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const [good, faulty] = [join(folder, 'good.yaml'), join(folder, 'faulty.yaml')]
  await writeFile(good, 'version: 1\ntenants: [{id: acme, people: [{login: ann, roles: [viewer]}]}]\n')
  await writeFile(faulty, 'version: 1\ntenant: []\n')
  const first = await start(folder, good)
  assert.match(first.err, /"action":"plan","create":2,/)
  assert.doesNotMatch(first.out, /invitation/)
  const second = await start(folder, good)
  assert.match(second.err, /"action":"plan","create":0,"change":0,"remove":0,"for_others":0,"unchanged":2/)
  assert.equal(JSON.parse(second.out).tenant_id, 'dev')
  const { code, out, err } = await start(folder, faulty)
  assert.deepEqual([code, out], [1, ''])
  assert.match(err, /faulty\.yaml, line 2: The file has no field tenant; did you mean tenants\?/)
  assert.equal(await embeddedUrl(join(folder, 'data/postgres')), undefined, 'the database was left running')
})
