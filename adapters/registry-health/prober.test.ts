import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { manualClock } from '../../checks/rehearsal/manual-clock.ts'
import type { Probed } from './probe.ts'
import { probeDue } from './prober.ts'

const warnings: string[] = []
const log = {
  debug() {},
  info() {},
  error() {},
  warn: (_: object, message: string) => void warnings.push(message),
}
const options = { clock: manualClock('2026-11-15T10:00:00.000Z'), loopback_tenant: 'dev', log }
const crowd = { now: 0, most: 0 }
const pending: (() => void)[] = []
const server = createServer((request, response) => {
  crowd.most = Math.max(crowd.most, ++crowd.now)
  pending.push(() => {
    crowd.now--
    response.writeHead(request.url === '/ill/health' ? 500 : 200).end()
  })
  setImmediate(() => setImmediate(() => pending.shift()?.()))
})
let url: string

before(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
after(() => server.close())

test('each due endpoint is probed once, a bounded number at a time', async () => {
  const due = Array.from({ length: 50 }, (_, i) => ({
    tenant_id: 'dev',
    url: `${url}/${i % 5 ? 'well' : 'ill'}`,
    i,
  }))
  const noted: [number, boolean][] = []
  const probes = await probeDue(
    {
      async take(now, chance, taken_max) {
        assert.equal(now.toISOString(), '2026-11-15T10:00:00.000Z')
        assert.ok(chance >= 0 && chance < 1 && taken_max >= 50)
        return due
      },
      async note({ i }, { healthy }: Probed) {
        noted.push([i, healthy])
      },
    },
    options,
  )
  assert.equal(probes, 50)
  assert.deepEqual(
    noted.toSorted(([a], [b]) => a - b),
    due.map(({ i }) => [i, i % 5 !== 0]),
  )
  assert.ok(crowd.most > 1 && crowd.most <= 16, `${crowd.most} at a time`)
})

test('one result that cannot be stored does not lose the others', async () => {
  const noted: string[] = []
  const turns = {
    take: async () => ['a', 'b'].map((path) => ({ tenant_id: 'dev', url: `${url}/${path}` })),
    async note(due: { url: string }) {
      if (due.url.endsWith('a')) throw new Error('no database')
      noted.push(due.url)
    },
  }
  assert.equal(await probeDue(turns, options), 2)
  assert.deepEqual([noted, warnings.length], [[`${url}/b`], 1])
})

test('an endpoint on this machine is probed only for the development tenant', async () => {
  const noted: [string, string | undefined][] = []
  const turns = {
    take: async () => ['dev', 'stranger'].map((tenant_id) => ({ tenant_id, url })),
    async note({ tenant_id }: { tenant_id: string }, { fault }: Probed) {
      noted.push([tenant_id, fault])
    },
  }
  await probeDue(turns, options)
  const faults = Object.fromEntries(noted)
  assert.equal(faults.dev, undefined)
  assert.match(String(faults.stranger), /address/)
})
