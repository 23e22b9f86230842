// What OSV answers becomes sentences; where it does not answer, that is said, and is not the same as nothing known.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { lookUp, type Version } from './advisories.ts'
import { resultOf } from './supply.ts'

interface Query {
  readonly package: { readonly ecosystem: string; readonly name: string }
  readonly version: string
}

/** Its address. It answers as OSV does, or with `text` and `status` instead. */
async function startOsv(t: TestContext, other?: { readonly status: number; readonly text: string }) {
  const requests: Query[][] = []
  const server = createServer(async (request, response) => {
    const { queries } = (await json(request)) as { queries: Query[] }
    requests.push(queries)
    const results = queries.map(({ package: { ecosystem, name }, version }) =>
      `${ecosystem} ${name} ${version}` === 'npm minimist 0.0.8'
        ? { vulns: [{ id: 'GHSA-vh95-rmgr-6w4m' }, { id: 'GHSA-xvch-5gv4-984h' }] }
        : {},
    )
    response.statusCode = other?.status ?? (request.url === '/v1/querybatch' ? 200 : 404)
    response.end(other?.text ?? JSON.stringify({ results }))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  return { at: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests, server }
}

const npm = (name: string, version: string): Version => ({ ecosystem: 'npm', name, version })
const sentence =
  'minimist 0.0.8 is affected by https://osv.dev/GHSA-vh95-rmgr-6w4m, https://osv.dev/GHSA-xvch-5gv4-984h.'

test('an affected version is named with its advisories, wherever it is in the list', async (t) => {
  const { at, requests } = await startOsv(t)
  const others = Array.from({ length: 1500 }, (_, index) => npm('left', `1.0.${index}`))
  const versions = [
    ...others,
    npm('minimist', '0.0.8'),
    { ...npm('minimist', '0.0.8'), ecosystem: 'crates.io' as const },
  ]
  const advisories = await lookUp(versions, at)
  assert.deepEqual(advisories, { affected: [sentence], count: 1502 })
  assert.deepEqual(
    requests.map(({ length }) => length),
    [1000, 502],
  )
  assert.equal(resultOf([], advisories).exit_code, 1)
})

test('versions without an advisory pass', async (t) => {
  const { at } = await startOsv(t)
  const result = resultOf([], await lookUp([npm('minimist', '1.2.8')], at))
  assert.deepEqual(result, {
    lines: [
      'The lock and the manifests are in order.',
      'No advisory is known for 1 packages in their versions.',
    ],
    exit_code: 0,
  })
})

test('where OSV does not answer, nothing is called safe', async (t) => {
  const gone = await startOsv(t)
  gone.server.close()
  const cases: [at: string, why: string][] = [
    [gone.at, 'OSV is not reachable (ECONNREFUSED)'],
    [(await startOsv(t, { status: 503, text: '{}' })).at, 'OSV answers with status 503'],
    [(await startOsv(t, { status: 200, text: '{}' })).at, 'what answers is not OSV'],
    [(await startOsv(t, { status: 200, text: '{"results":[]}' })).at, 'what answers is not OSV'],
    [(await startOsv(t, { status: 200, text: '<html>' })).at, 'what answers is not OSV'],
  ]
  for (const [at, why] of cases) {
    const result = resultOf([], await lookUp([npm('minimist', '0.0.8')], at))
    assert.equal(result.exit_code, 2)
    assert.equal(
      result.lines.at(-1),
      `Advisories were not looked up: ${why}. Try again from another network.`,
    )
  }
  assert.equal(resultOf(['A fault.'], { not_looked_up: 'x' }).exit_code, 1)
  const without_crates = resultOf([], { affected: [], count: 1 }, false)
  assert.equal(without_crates.exit_code, 2)
  assert.match(without_crates.lines.join(' '), /Rust crates were not looked up/)
  assert.equal(resultOf(['A fault.'], { affected: [], count: 1 }).exit_code, 1)
})
