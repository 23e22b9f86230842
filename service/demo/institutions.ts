// What the organizations of the demo decide, agree on and dispute, on certain days of the month.
import { policyDigest } from '@svc/protocols/governance/maxim/api'
import type { DemoCaller } from './caller.ts'
import { type Cast, entryOf } from './cast.ts'
import { consent, night, payments, type Rule } from './rules.ts'
import { post, watch } from './watching.ts'

const hour_ms = 3_600_000
const day_ms = 24 * hour_ms

/** What is to happen before the traffic of a day. */
export interface DemoEvent {
  readonly day: number
  happen(world: DemoWorld): Promise<void>
}

export interface DemoWorld {
  readonly aurora: Cast
  readonly borealis: Cast
  readonly cobalt: Cast
  now_ms(): number
  /** Ids that later events need. */
  readonly notes: Map<string, string>
}

const iso = (ms: number) => new Date(ms).toISOString()

interface Bound {
  readonly protocol: string
  readonly operation: string
  readonly subject: string
}

/** The first voices are for it, the others against. Returns the reference of the verdict. */
async function decide(
  { members }: Cast,
  title: string,
  binds: readonly Bound[],
  against: readonly string[] = [],
): Promise<string> {
  const { motion_id } = await convene(members[0]!, title, binds)
  for (const member of members) {
    const position = against.includes(member.name) ? 'against' : 'for'
    const reasoning =
      position === 'for' ? 'It saves time, and the limits are low.' : 'It is too early for this.'
    await member.call('MACE.deliberate', { motion_id, position, reasoning })
  }
  return (await members[0]!.call('MACE.tally', { motion_id })).ref
}

function convene(mover: DemoCaller, title: string, binds: readonly Bound[], deadline_ms = day_ms) {
  return mover.call('MACE.convene', {
    motion: { title, text: `${title}. Demo data.`, charter_level: true, ...(binds.length > 0 && { binds }) },
    quorum: 'supermajority',
    deadline_ms,
    composition_rules: { min_delegates: 1 },
  })
}

async function allocate(cast: Cast): Promise<void> {
  const { organization, members, agents } = cast
  for (const [department, [day, month]] of Object.entries(organization.departments)) {
    const own = organization.agents.filter((agent) => agent.department === department)
    const bound = { protocol: 'MANA', operation: 'allocate', subject: department }
    const authority =
      members.length === 1 ? 'mace://sole-member' : await decide(cast, `Give ${department} a budget`, [bound])
    await members[0]!.call('MANA.allocate', {
      envelope: {
        department,
        max_per_day_usd: day,
        max_per_month_usd: month,
        members: own.map(({ name }) => agents.get(name)!.did),
      },
      capabilities_granted: ['svc.mars.discovery'],
      authority,
    })
  }
}

async function sign(
  cast: Cast,
  treaty_id: string,
  title: string,
  against: readonly string[] = [],
): Promise<void> {
  if (cast.members.length > 1)
    await decide(cast, title, [{ protocol: 'MOAT', operation: 'sign', subject: treaty_id }], against)
  await cast.members[0]!.call('MOAT.sign', { treaty_id })
}

async function enact(
  cast: Cast,
  policy_id: string,
  { rationale, body: policy_body }: Rule,
  now_ms: number,
): Promise<void> {
  const [first] = cast.members
  const active_from = iso(now_ms)
  const policy = { policy_id, policy_body, version: '1.0.0', rationale, active_from }
  const bound = { protocol: 'MAXIM', operation: 'author', subject: policyDigest(policy) }
  const authority = cast.members.length === 1 ? undefined : await decide(cast, `Enact ${policy_id}`, [bound])
  await first!.call('MAXIM.author', { ...policy, ...(authority && { authority }) })
}

function propose(
  from: DemoCaller,
  to: DemoCaller,
  now_ms: number,
  per_hour: number,
): Promise<{ treaty_id: string }> {
  return from.call('MOAT.propose', {
    counterparty_did: to.did,
    capability_schedule: [
      { capability: 'svc.mars.query_registry', granted_to: 'both' },
      { capability: 'svc.made.economic_contract_create', granted_to: 'both' },
    ],
    rate_limits: { per_hour },
    settlement_terms: { rail: 'internal', currency: 'usd', clearing_fee_bps: 25 },
    dispute_clause: { via: 'MOOT', venue: 'demo-cobalt' },
    expires_at: iso(now_ms + 365 * day_ms),
  })
}

const report_workflow = {
  name: 'daily-report',
  version: '1.0.0',
  steps: [
    {
      kind: 'Protocol',
      name: 'refusals',
      protocol: 'MAX',
      operation: 'audit_query',
      payload: { outcome: 'refused', limit: 20 },
    },
    { kind: 'Audit', event_type: 'custom.report_read', metadata: { report: 'refusals' } },
  ],
}

async function report({ members }: Cast, now_ms: number): Promise<void> {
  const [first] = members
  const period = { from: iso(now_ms - 26 * day_ms), to: iso(now_ms) }
  for (const framework of ['soc2', 'eu-ai-act'])
    await first!.call('MAX.compliance_report', { period, framework })
  await first!.call('MAX.set_view', {
    name: 'refused-calls',
    shared: true,
    operation: 'MAX.audit_query',
    filters: { outcome: 'refused' },
    page: 'audit-log/records',
  })
}

export const demo_events: readonly DemoEvent[] = [
  {
    day: 0,
    async happen({ aurora, borealis, cobalt, now_ms, notes }) {
      for (const cast of [aurora, borealis, cobalt]) await allocate(cast)
      await enact(aurora, 'large-payments', payments, now_ms())
      await enact(borealis, 'customs-hours', night, now_ms())
      await enact(cobalt, 'new-assets', consent, now_ms())
      for (const [cast, name] of [
        [aurora, 'Planner'],
        [borealis, 'Router'],
        [cobalt, 'Assessor'],
      ] as const) {
        const { manifest_ref } = await cast.members[0]!.call('MOON.submit_manifest', {
          manifest: report_workflow,
        })
        notes.set(`workflow ${name}`, manifest_ref)
      }
    },
  },
  {
    day: 1,
    async happen({ aurora, borealis, cobalt, notes }) {
      for (const cast of [aurora, borealis, cobalt]) await watch(cast)
      await post(aurora, notes.get('receiver')!)
    },
  },
  {
    day: 2,
    async happen({ aurora, borealis, now_ms, notes }) {
      const [buyer, router] = [aurora.agents.get('Buyer')!, borealis.agents.get('Router')!]
      const { treaty_id } = await propose(buyer, router, now_ms(), 60)
      await sign(aurora, treaty_id, 'Work with Borealis Logistics', ['Mei Tan'])
      await sign(borealis, treaty_id, '')
      notes.set('treaty', treaty_id)
    },
  },
  {
    day: 6,
    async happen({ aurora }) {
      await decide(aurora, 'Move the night shift to the new plant', [], ['Ada Berg', 'Mei Tan'])
    },
  },
  {
    day: 9,
    async happen({ borealis, cobalt, now_ms }) {
      const [router, assessor] = [borealis.agents.get('Router')!, cobalt.agents.get('Assessor')!]
      const { treaty_id } = await propose(assessor, router, now_ms(), 30)
      await sign(borealis, treaty_id, '')
      await sign(cobalt, treaty_id, '')
    },
  },
  {
    day: 12,
    async happen({ aurora, borealis, now_ms, notes }) {
      const [buyer, router] = [aurora.agents.get('Buyer')!, borealis.agents.get('Router')!]
      const due_at = iso(now_ms() + 3 * day_ms)
      const { contract_id } = await buyer.call('MADE.economic_contract_create', {
        counterparty_did: router.did,
        obligations: [{ id: 'freight', from: 'counterparty', asset_id: 'usd', amount: '50000000', due_at }],
        memo: 'Damage of a delivery, to be paid back. Demo data.',
        treaty_id: notes.get('treaty')!,
      })
      await router.call('MADE.economic_contract_create', { contract_id })
    },
  },
  {
    day: 17,
    async happen({ aurora, borealis, now_ms, notes }) {
      const treaty_id = notes.get('treaty')!
      const period = { from: iso(now_ms() - 15 * day_ms), to: iso(now_ms()) }
      const [ada, lars] = [aurora.members[0]!, borealis.members[0]!]
      const claim = { treaty_id, period, measure: 'claim', reason: 'The damage was not paid.' }
      const { case_id } = await ada.call('MOAT.enforce', claim)
      await lars.call('MOOT.plead', { case_id, plea: 'deny', argument: 'The packing was the cause.' })
    },
  },
  {
    day: 22,
    async happen({ aurora, borealis, notes }) {
      const changes = { rate_limits: { per_hour: 100 } }
      const reason = 'The new plant needs more deliveries.'
      const amendment = { treaty_id: notes.get('treaty')!, changes, reason }
      await borealis.members[0]!.call('MOAT.propose_amendment', amendment)
      await aurora.members[0]!.call('MOAT.list', { state: 'ACTIVE' })
    },
  },
  {
    day: 27,
    async happen({ aurora, borealis, cobalt, now_ms }) {
      for (const cast of [aurora, borealis, cobalt]) await report(cast, now_ms())
    },
  },
  {
    day: 29,
    async happen({ aurora, borealis, cobalt, now_ms }) {
      // The registry lists them for another month, but for Helpdesk, whose department has too little.
      for (const { organization, agents } of [aurora, borealis, cobalt])
        for (const agent of organization.agents)
          await agents.get(agent.name)!.attempt('MARS.register_agent', entryOf(agent))
      // What waits: an open motion, an unsigned treaty, a request for access, and a call that needs consent.
      await aurora.people.get('ines@aurora.example')!.call('MACS.request_access', { role: 'finance' })
      const { motion_id } = await convene(
        aurora.members[1]!,
        'Open a service point in Lisbon',
        [],
        10 * day_ms,
      )
      await aurora.members[1]!.call('MACE.deliberate', {
        motion_id,
        position: 'for',
        reasoning: 'Half of our customers are there.',
      })
      await propose(aurora.agents.get('Buyer')!, cobalt.agents.get('Assessor')!, now_ms(), 20)
      await cobalt.agents.get('Assessor')!.attempt('MADE.asset_definition_publish', {
        asset_id: 'demo-cobalt-policies',
        kind: 'service_unit',
        rail: 'internal',
        denomination: { code: 'POLICY', decimals: 0 },
        settlement_finality_seconds: 3_600,
      })
    },
  },
]
