import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { demo_organizations } from '@svc/service/demo/organizations'
import { freePorts } from '../../engines/running-engine.ts'
import { until } from '../../suite/eventually.ts'

/** Besides the engine. */
const neighbours = { of: 'demo-aurora', machines: 2, webhooks: 2 }

const main = join(import.meta.dirname, '../../../service/main.ts')

interface Ended {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

/** What stays runs until it prints its addresses, and then for the work. */
async function run(args: readonly string[], env = {}, work?: () => Promise<void>): Promise<Ended> {
  const child = spawn(process.execPath, [main, ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [out, err] = [text(child.stdout), text(child.stderr)]
  const ended = once(child, 'exit')
  if (work) {
    const begun = await Promise.race([once(child.stdout, 'data'), ended.then(() => undefined)])
    if (begun) await work().finally(() => child.kill('SIGTERM'))
  }
  const [code] = await ended
  return { code, out: await out, err: await err }
}

/** Records of an event in an exported log. */
function count(log: string, event_type: string): number {
  return log.split(`"event_type":"${event_type}"`).length - 1
}

test('the demo is a month of three organizations, each log verifies, and the next start finds it', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-demo-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const data_dir = join(folder, 'data')
  const up = ['up', '--demo', '--json', '--data-dir', data_dir, '--port', String(await freePorts())]
  const newest = new Map<string, string>()
  const outcomes = new Set<string>()
  const first = await run(up, {}, async () => {
    for (const { tenant_id, agents } of demo_organizations) {
      const { out: log } = await run(['admin', 'export', tenant_id, '--data-dir', data_dir])
      const lines = log
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
      const records = lines.flatMap(({ record }) => record ?? [])
      const days = new Set(records.map(({ timestamp }) => timestamp.slice(0, 10)))
      assert.ok(days.size >= 29, `${tenant_id} has ${days.size} days`)
      for (const { outcome } of records) outcomes.add(outcome)
      const calls = records.filter(({ event_type }) => event_type !== 'AgentRegistered')
      const registered = calls.filter(({ operation }) => operation === 'register_agent')
      const { machines, webhooks } = tenant_id === neighbours.of ? neighbours : { machines: 0, webhooks: 0 }
      const listed = 2 * (agents.length + machines)
      assert.equal(registered.length, listed, 'at the beginning, and once more for the next month')
      assert.equal(count(log, 'DeviceDescribed'), machines)
      assert.equal(count(log, 'WebhookSet'), webhooks)
      const file = join(folder, `${tenant_id}.jsonl`)
      await writeFile(file, log)
      const { out: key } = await run(['admin', 'audit', 'key', tenant_id, '--json', '--data-dir', data_dir])
      const verified = await run(['verify', file, '--key', JSON.parse(key).public_key])
      assert.equal(verified.code, 0, verified.err + verified.out)
      newest.set(tenant_id, records.at(-1).id)
    }
  })
  assert.equal(first.code, 0, first.err)
  const config = ['apply', join(data_dir, 'demo.yaml'), '--dry-run', '--data-dir', data_dir]
  assert.deepEqual([...outcomes].sort(), ['error', 'refused', 'success'])
  const { demo } = JSON.parse(first.out)
  assert.deepEqual(
    demo.logins.map(({ organization }: { organization: string }) => organization),
    demo_organizations.map(({ name }) => name),
  )
  assert.ok(
    demo_organizations.every(({ tenant_id, name }) => /^demo-/.test(tenant_id) && /\(demo\)$/.test(name)),
  )
  const second = await run(up, {}, async () => {
    const applied = await run(config)
    assert.equal(applied.code, 0, applied.err + applied.out)
    assert.match(applied.out, /^Plan: 0 to create, 0 to change, 0 to remove; [1-9]\d* unchanged\.$/m)
    for (const [tenant_id, id] of newest) {
      const { out: log } = await run(['admin', 'export', tenant_id, '--data-dir', data_dir])
      assert.ok(log.includes(id), 'the same log goes on')
    }
    await until('the machines are back', async () => {
      const { out: log } = await run(['admin', 'export', neighbours.of, '--data-dir', data_dir])
      return count(log, 'DeviceDescribed') === 2 * neighbours.machines
    })
  })
  assert.deepEqual(JSON.parse(second.out).demo, demo)
})

test('there is no demo in production, on a database of others, or in a folder with data', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-no-demo-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const serve = await run(['serve', '--demo'])
  assert.notEqual(serve.code, 0)
  assert.match(serve.err, /--demo/)
  const data_dir = join(folder, 'data')
  const up = ['up', '--demo', '--data-dir', data_dir]
  const external = await run(up, { SVC_DB_URL: 'postgres://127.0.0.1:1/svc' })
  assert.equal(external.code, 1)
  assert.match(external.err, /--demo makes a database of its own; leave out SVC_DB_URL\./)
  await mkdir(join(data_dir, 'postgres'), { recursive: true })
  const used = await run(up, { SVC_DB_URL: '' })
  assert.equal(used.code, 1)
  assert.match(used.err, /begun without --demo, or its demo was interrupted/)
})
