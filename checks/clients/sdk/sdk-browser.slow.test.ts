// The SDK in a real browser: in a page and in a worker, on the page's origin.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { trialProtocol } from '../../conformance/execution/trial-protocol.ts'
import { type InProcessService, startInProcess } from '../../engines/in-process.ts'
import { openBrowser } from '../../neighbours/browser.ts'
import { bundleSdk } from './bundled-sdk.ts'

const trial = trialProtocol()
let service: InProcessService
let site: Server
let browser: Browser
let page: Page

/** What the page and the worker both do. Runs there, without access to this file. */
const journey = `
export async function journey({ createClient, createWorkingMemory, verifyReceipt }, settings) {
  const client = createClient(settings)
  const { metadata } = await client.dispatch(
    'MAX', 'audit_log_entry', { event_type: 'custom.browser', meta: {} }, { waitForAudit: true })
  const { keys, records } = await client.max.audit_query(
    { after_seq: metadata.receipt.record.seq - 1, include_checkpoints: true })
  const events = []
  for await (const { event } of client.stream('TRIAL', 'report', {})) events.push(event)
  const remembers = async (memory) => {
    await memory.remember('the pumps arrive late')
    return (await memory.recall('which pumps are late?')).memories.length > 0
  }
  const caught = (work) => work.then(() => 'answered', ({ code, message }) => code + ': ' + message)
  return {
    stored: records[0].id === metadata.audit_record_id,
    receipt: await verifyReceipt(metadata.receipt, keys.map((key) => key.public_key)),
    events,
    refused: await caught(client.max.audit_query({ outcome: 'refused' }, { tenantId: 'somebody-else' })),
    remembers: await remembers(createWorkingMemory(client)),
    redirected: await caught(createClient({ ...settings, apiUrl: settings.apiUrl + '/moved' }).whoami()),
    late: await caught(client.dispatch('TRIAL', 'hold', {}, { timeoutMs: 50, idempotencyKey: settings.key })),
  }
}`
const worker = `
import * as sdk from '/sdk.js'
import { journey } from '/journey.js'
onmessage = async ({ data }) => postMessage(await journey(sdk, data).catch((error) => String(error)))`

before(async () => {
  service = await startInProcess({ more_protocols: [trial.protocol] })
  const files: Readonly<Record<string, string>> = {
    '/sdk.js': await bundleSdk(),
    '/journey.js': journey,
    '/worker.js': worker,
  }
  site = createServer((req, res) => {
    const file = files[req.url ?? '']
    if (file) res.setHeader('content-type', 'text/javascript').end(file)
    else if (req.url?.startsWith('/v1/')) relay(req, res)
    else if (req.url?.startsWith('/moved/')) res.writeHead(307, { location: '/elsewhere' }).end()
    else res.setHeader('content-type', 'text/html').end('<!doctype html><title>A page</title>')
  }).listen(0, '127.0.0.1')
  await once(site, 'listening')
  browser = await openBrowser()
  page = await browser.newPage()
  await page.goto(siteUrl())
})
after(async () => {
  trial.release()
  await browser?.close()
  site?.closeAllConnections()
  site?.close()
  await service?.stop()
})

function siteUrl(): string {
  return `http://127.0.0.1:${(site.address() as AddressInfo).port}`
}

/** Like a gateway in front of page and engine. */
function relay(req: IncomingMessage, res: ServerResponse): void {
  const { host: _ours, ...headers } = req.headers
  const upstream = request(`${service.api_url}${req.url}`, { method: req.method, headers }, (answer) => {
    res.writeHead(answer.statusCode!, answer.headers)
    answer.pipe(res)
  })
  upstream.on('error', () => res.destroy())
  res.on('close', () => upstream.destroy())
  req.pipe(upstream)
}

function settingsFor(key: string) {
  const { api_key, agent_did, tenant_id } = service
  return { apiUrl: siteUrl(), apiKey: api_key, agentDid: agent_did, tenantId: tenant_id, key }
}

// biome-ignore lint/suspicious/noExplicitAny: what came out of the browser is looked into
function assertJourney(done: any): void {
  assert.equal(done.stored, true)
  assert.deepEqual(done.receipt, { ok: true })
  assert.deepEqual(done.events, ['progress', 'progress', 'result'])
  assert.match(done.refused, /^capability_denied: /)
  assert.equal(done.remembers, true)
  assert.match(done.redirected, /^bad_answer: .*elsewhere/)
  assert.match(done.late, /^timeout: .*within 50 ms/)
}

test('in a page', async () => {
  const done = await page.evaluate(async (settings) => {
    const load = (path: string) => import(path)
    const { journey } = await load('/journey.js')
    return await journey(await load('/sdk.js'), settings)
  }, settingsFor('page'))
  assertJourney(done)
})

test('in a worker', async () => {
  const done = await page.evaluate(
    (settings) =>
      new Promise((resolve, reject) => {
        // biome-ignore lint/suspicious/noExplicitAny: the types of a page are not those of this file
        const started = new (globalThis as any).Worker('/worker.js', { type: 'module' })
        started.onmessage = ({ data }: { data: unknown }) => resolve(data)
        started.onerror = ({ message }: { message: string }) => reject(new Error(message))
        started.postMessage(settings)
      }),
    settingsFor('worker'),
  )
  assertJourney(done)
})

test('without settings a page is told what to pass, and another origin is unreachable', async () => {
  const results = await page.evaluate(
    async ([settings, elsewhere]) => {
      const load = (path: string) => import(path)
      const { createClient } = await load('/sdk.js')
      const words = ({ code, message }: { code: string; message: string }) => `${code}: ${message}`
      let unset: string | undefined
      try {
        createClient()
      } catch (error) {
        unset = words(error as never)
      }
      const client = createClient({ ...(settings as object), apiUrl: elsewhere, retry: false })
      return [unset, await client.whoami().catch(words)]
    },
    [settingsFor('none'), service.api_url] as const,
  )
  assert.equal(
    results[0],
    'not_configured: There is no apiUrl and no apiKey and no agentDid: pass apiUrl, agentDid and apiKey or privateKey.',
  )
  assert.match(results[1], /^network: .*cannot be reached/)
})
