// The API reference in a real browser: it asks no other host, its policy stops nothing, and a call from it reaches the engine.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser, Page, Response } from 'playwright-core'
import { type InProcessService, startInProcess } from '../../engines/in-process.ts'
import { openBrowser } from '../../neighbours/browser.ts'

let service: InProcessService
let browser: Browser

before(async () => {
  service = await startInProcess()
  browser = await openBrowser()
})
after(async () => {
  await browser?.close()
  await service?.stop()
})

/** Scalar reads a document of megabytes first. */
const shown_ms_max = 180_000

async function openReference(
  address: string,
): Promise<{ page: Page; problems: string[]; hosts: Set<string> }> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } })
  page.setDefaultTimeout(shown_ms_max)
  const problems: string[] = []
  const hosts = new Set<string>()
  page.on('console', (message) => message.type() === 'error' && problems.push(message.text()))
  page.on('request', (request) => hosts.add(new URL(request.url()).origin))
  await page.goto(`${service.api_url}/docs/api${address}`)
  return { page, problems, hosts }
}

test('an operation has its address, meaning, steps, fields and refusals, and nothing comes from elsewhere', async () => {
  const { page, problems, hosts } = await openReference('#tag/MIND/associate_memories')
  const operation = page.locator('[id$="tag/MIND/associate_memories"]').first()
  await operation.waitFor()
  const shows = (text: string | RegExp) => operation.getByText(text).first().waitFor()
  await shows('svc.mind.associate_memories')
  await shows('The example needs these steps first')
  await shows(/MIND\.store_memory/)
  await shows(/Refused: .*capability_denied/)
  assert.deepEqual(problems, [])
  assert.deepEqual([...hosts], [new URL(service.api_url).origin])
})

test("an example with the reader's own DID is sent to the dispatch endpoint, and answered", async () => {
  const { page } = await openReference(`?did=${service.agent_did}#tag/MAX/audit_query`)
  const operation = page.locator('[id$="tag/MAX/audit_query"]').first()
  await operation.getByRole('button', { name: /Test Request/ }).click()
  await page.getByRole('dialog').getByRole('textbox', { name: 'Token' }).fill(service.api_key)
  const answer = await sendUntilKeyIsUsed(page)
  const request = answer.request()
  assert.equal(request.url().split('#', 1)[0], `${service.api_url}/v1/dispatch`)
  assert.equal(request.headers()['x-agent-did'], service.agent_did)
  const { protocol, operation: name } = request.postDataJSON()
  assert.deepEqual([protocol, name], ['MAX', 'audit_query'])
  assert.equal(answer.status(), 200)
})

/** Scalar uses a key only some time after it was typed. */
async function sendUntilKeyIsUsed(page: Page): Promise<Response> {
  for (let tries_left = 20; ; tries_left -= 1) {
    const answered = page.waitForResponse((response) => response.request().method() === 'POST')
    await page.getByRole('button', { name: /^Send/ }).first().click()
    const answer = await answered
    if (answer.status() !== 401 || tries_left === 0) return answer
  }
}
