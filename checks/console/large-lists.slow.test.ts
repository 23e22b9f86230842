// Ten thousand agents, a thousand treaties, a million records: what a page works on one interaction. The engine's part
// is measured by audit-log-million.slow.test.ts; here its answers are made up, so that the lists are as long as said.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { CDPSession, Page } from 'playwright-core'
import { report } from '../faults/scene/chance.ts'
import { type ConsoleScene, openConsoleScene, type SignedIn } from './console-scene.ts'

/** Of the main thread's processor time. Reported, not judged: it also depends on the machine and on what else it does. */
const budget_ms = 200
const loaded_pages = 10
/** A row is at least this high; a browser that draws all of them is not virtual. */
const drawn_rows_max = 80
/**
 * What an interaction works on the long list against the same on its first page, in one run. Work for every loaded row
 * would be 11 times as much; the smallest of a few repetitions is not disturbed by others.
 */
const work_ratio_max = 5
const repetitions = 5
/** Less cannot be compared. */
const work_ms_min = 2

const agents = 10_000
const treaties = 1_000
const records = 1_000_000

let scene: ConsoleScene
let ann: SignedIn

before(async () => {
  scene = await openConsoleScene()
  ann = await scene.signIn()
  await ann.page.setViewportSize({ width: 1440, height: 900 })
  await answerMadeUp(ann.page)
})
after(() => scene?.close())

interface Sent {
  readonly protocol: string
  readonly operation: string
  readonly input: {
    readonly limit?: number
    readonly cursor?: string
    readonly before_seq?: number
    readonly name_prefix?: string
  }
}

/** Everything but the long lists goes to the engine. */
async function answerMadeUp(page: Page): Promise<void> {
  await page.route('**/v1/dispatch', async (route) => {
    const { protocol, operation, input } = route.request().postDataJSON() as Sent
    const make = makers[`${protocol}.${operation}`]
    if (!make) return await route.continue()
    const usage = { amount_usd: '0.000000', seconds: 0, tokens_in: 0, tokens_out: 0, watt_hours: 0 }
    await route.fulfill({ json: { output: make(input), metadata: { usage, correlation_id: 'made-up' } } })
  })
}

const makers: Readonly<Record<string, (input: Sent['input']) => unknown>> = {
  'MACS.list': (input) => pageOf(input, agents, agentAt),
  'MARS.query_registry': ({ name_prefix = '' }) => ({
    entries: [agentAt(Number(/\d+$/.exec(name_prefix)?.[0] ?? 0))].map(({ did, name }) => ({
      subject: did,
      body: { content: { name } },
    })),
  }),
  'MOAT.list': (input) => pageOf(input, treaties, treatyAt),
  'MAX.audit_query': ({ limit = 50, before_seq = records }) => ({
    records: Array.from({ length: limit }, (_, index) => recordAt(before_seq - 1 - index)),
    next_before_seq: before_seq - limit,
  }),
}

function pageOf(
  { limit = 25, cursor = '0' }: Sent['input'],
  count: number,
  rowAt: (index: number) => unknown,
) {
  const from = Number(cursor)
  const to = Math.min(count, from + limit)
  const items = Array.from({ length: to - from }, (_, index) => rowAt(from + index))
  return { items, ...(to < count && { next_cursor: String(to) }) }
}

const at = '2026-11-15T10:00:00.000Z'
const hexOf = (index: number) => index.toString(16).padStart(64, '0')

const agentAt = (index: number) => ({
  did: `did:oas:dev:agent:${hexOf(index)}`,
  name: `Agent ${index}`,
  entity_kind: 'Agent',
  state: 'active',
  conformance_level: 'L2',
  lineage_verified: true,
  lineage_depth: 1,
  parent_did: `did:oas:dev:agent:${hexOf(0)}`,
  in_charter: false,
  capabilities: 3,
})
const treatyAt = (index: number) => ({
  treaty_id: `sha256:${hexOf(index)}`,
  kind: 'treaty',
  state: 'ACTIVE',
  partner: `partner-${index}`,
  parties: [],
  signed: ['dev', `partner-${index}`],
  missing: [],
  grants_to_partner: 1,
  grants_to_own: 2,
  proposed_at: at,
  expires_at: at,
})
const recordAt = (seq: number) => ({
  id: `record-${seq}`,
  seq,
  timestamp: at,
  event_type: 'ProtocolInvocation',
  outcome: seq % 3 === 0 ? 'refused' : 'success',
  tenant_id: 'dev',
  caller_did: `did:oas:dev:agent:${hexOf(seq % agents)}`,
  protocol: 'MAX',
  operation: 'audit_query',
  correlation_id: `call-${seq}`,
  latency_ms: 1.5,
  record_hash: `sha256:${hexOf(seq)}`,
  prev_hash: `sha256:${hexOf(seq - 1)}`,
  meta: { reason: 'no matching capability', usage: { amount_usd: '0.000100' } },
})

/** The processor time of the page's main thread for one interaction, until nothing moves any more. */
async function workOf(devtools: CDPSession, page: Page, act: () => Promise<void>): Promise<number> {
  const taskMs = async () => {
    const { metrics } = await devtools.send('Performance.getMetrics')
    return metrics.find(({ name }) => name === 'TaskDuration')!.value * 1000
  }
  const before_ms = await taskMs()
  await act()
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))')
  return (await taskMs()) - before_ms
}

type Works = Record<'scroll' | 'open' | 'close', number>

/** The smallest of each, in milliseconds. */
async function worksOf(devtools: CDPSession, page: Page, filter: string): Promise<Works> {
  const works: Works = { scroll: Infinity, open: Infinity, close: Infinity }
  for (let i = 0; i < repetitions; i++) {
    await page.evaluate('scrollTo(0, 0)')
    const scroll = () => page.evaluate<void>('scrollTo(0, document.body.scrollHeight / 2)')
    works.scroll = Math.min(works.scroll, await workOf(devtools, page, scroll))
    await page.evaluate('scrollTo(0, 0)')
    const open = () => page.getByLabel(filter, { exact: true }).first().click()
    works.open = Math.min(works.open, await workOf(devtools, page, open))
    works.close = Math.min(works.close, await workOf(devtools, page, () => page.keyboard.press('Escape')))
  }
  return works
}

const named = (of: string, works: Works) =>
  Object.fromEntries(Object.entries(works).map(([name, ms]) => [`${of}_${name}`, ms]))

const places = [
  { place: 'access/agents', heading: 'Access', list: 'Identities of this organization', filter: 'Kind' },
  {
    place: 'organizations/treaties',
    heading: 'Organizations',
    list: 'Treaties and amendments',
    filter: 'State',
  },
  { place: 'audit-log', heading: 'Audit log', list: 'Records', filter: 'Outcome' },
]

for (const { place, heading, list, filter } of places)
  test(`${place} with a long list: only what is seen is drawn, and no interaction works for every row`, async (t) => {
    const { page, goTo } = ann
    const devtools = await page.context().newCDPSession(page)
    await devtools.send('Performance.enable', { timeDomain: 'threadTicks' })
    await goTo(place, heading)
    const rows = page
      .getByRole('region', { name: list, exact: true })
      .locator('.list-row, tbody tr[aria-rowindex]')
    const more = page.getByRole('button', { name: 'Load more' })
    await rows.first().waitFor()
    const short = await worksOf(devtools, page, filter)
    const count = page.locator('main [role=status]').filter({ hasText: ' rows' })
    const loadMore = async () => {
      const loaded = await count.textContent()
      await more.click()
      await page.getByText(loaded!, { exact: true }).waitFor({ state: 'detached' })
    }
    for (let i = 0; i < loaded_pages; i++) await loadMore()
    const load = await workOf(devtools, page, loadMore)
    const long = await worksOf(devtools, page, filter)
    report(t, { place, budget_ms, load, ...named('short', short), ...named('long', long) })
    assert.ok((await rows.count()) < drawn_rows_max, `${await rows.count()} rows are drawn`)
    for (const name of ['scroll', 'open', 'close'] as const) {
      const ratio = long[name] / Math.max(short[name], work_ms_min)
      assert.ok(ratio < work_ratio_max, `to ${name} works ${ratio.toFixed(1)} times as much on the long list`)
    }
  })

test('an agent that is not among the first hundred is found by its name', async () => {
  const { page, goTo } = ann
  await goTo('access/agents', 'Access')
  await page.getByLabel('Identity', { exact: true }).first().fill('agent 7777')
  await page.getByRole('option', { name: /^Agent 7777 · / }).click()
  await page.waitForURL((url) => url.href.includes(encodeURIComponent(agentAt(7777).did)))
})

test('the command menu finds an agent that is not among the first hundred', async () => {
  const { page, goTo } = ann
  await goTo('overview', 'Overview')
  await page.keyboard.press('ControlOrMeta+k')
  await page.getByPlaceholder(/^Search pages/).fill('agent 7777')
  await page.getByRole('button', { name: /^Agent 7777/ }).click()
  await page.waitForURL((url) => url.href.includes(encodeURIComponent(agentAt(7777).did)))
})
