// The input of every gatherer: tenant, time, limit, and the other organizations that may be shown.

import type { StandingTreaty, TreatyState } from '@svc/contract/authority/treaty'
import { treatyStateAt } from '@svc/contract/authority/treaty-grants'
import { parseDid } from '@svc/contract/identity/did'
import { isMoment } from '@svc/contract/moment'
import type { OperationContext } from '@svc/contract/operation-context'
import { refuse } from '@svc/contract/refusal'
import { type FoundEntry, findPage } from '../registry/api.ts'

const pages_max = 16
const treaties_max = 200
const partners_asked_max = 32

export interface StandingPartner {
  readonly tenant_id: string
  readonly state: TreatyState
  readonly grants: number
}

interface Partners {
  /** By tenant; empty if none is to be shown. */
  readonly partners: ReadonlyMap<string, StandingPartner>
  readonly partners_truncated: boolean
}

export interface MeshScene extends Partners {
  readonly context: OperationContext<'engine' | 'served' | 'telemetry' | 'treaties' | 'vault'>
  /** The time the map describes. */
  readonly at: string
  /** False for the current state: only then are breakers and engines known. */
  readonly is_past: boolean
  readonly limit: number
  /** Fetched once and shared. */
  agents(): Promise<EntriesAt>
}

export async function openScene(
  context: OperationContext<'engine' | 'served' | 'telemetry' | 'treaties' | 'vault'>,
  options: { readonly at?: string | undefined; readonly limit: number; readonly with_partners: boolean },
): Promise<MeshScene> {
  const at = requirePast(options.at, context.now)
  const place = { context, at, is_past: options.at !== undefined, limit: options.limit }
  const nobody: Partners = { partners: new Map(), partners_truncated: false }
  const partners = options.with_partners ? await partnersAt(place) : nobody
  let agents: Promise<EntriesAt> | undefined
  return {
    ...place,
    ...partners,
    agents() {
      agents ??= agentEntries(place, [...partners.partners.keys()])
      return agents
    },
  }
}

/** The own entries, and those that partners disclose. */
async function agentEntries(place: Place, partners: readonly string[]): Promise<EntriesAt> {
  const own = await entriesAt(place, { kind: 'agent', own_only: true })
  const entries = [...own.entries]
  let truncated = own.truncated || partners.length > partners_asked_max
  for (const tenant_id of partners.slice(0, partners_asked_max)) {
    const room = place.limit - entries.length
    if (room <= 0) return { entries, truncated: true }
    const theirs = await entriesAt(place, { kind: 'agent', tenant_id }, room)
    entries.push(...theirs.entries)
    truncated ||= theirs.truncated
  }
  return { entries, truncated }
}

function requirePast(at: string | undefined, now: string): string {
  if (at === undefined) return now
  if (isMoment(at) && Date.parse(at) <= Date.parse(now)) return at
  throw refuse('invalid_payload', `at is ${at}, which is no moment of the past; name one up to ${now}.`, {
    reason: 'no_such_moment',
    faults: [{ pointer: '/at', message: 'is no moment that has passed' }],
  })
}

type Place = Omit<MeshScene, keyof Partners | 'agents'>

export interface EntriesAt {
  readonly entries: readonly FoundEntry[]
  readonly truncated: boolean
}

/** Registry entries as of that time, page by page up to the limit. */
export async function entriesAt(
  scene: Place,
  filter: {
    readonly kind: 'agent' | 'plugin' | 'treaty'
    readonly tenant_id?: string
    readonly own_only?: boolean
  },
  limit = scene.limit,
): Promise<EntriesAt> {
  const versions = scene.is_past ? { in_force_at: scene.at } : 'current'
  const entries: FoundEntry[] = []
  let after: Awaited<ReturnType<typeof findPage>>['next']
  for (let page = 0; page < pages_max && entries.length < limit; page++) {
    const page_filter = { ...filter, versions, ...(after ? { after } : {}) } as const
    const found_page = await findPage(scene.context, page_filter, limit - entries.length)
    // Endpoint health is stored for now only, so it is unknown for the past.
    entries.push(...found_page.entries.map((entry) => (scene.is_past ? { ...entry, health: {} } : entry)))
    after = found_page.next
    if (!after) break
  }
  return { entries, truncated: after !== undefined }
}

/** Of several treaties with one partner, the most permissive state counts. */
const state_order: readonly TreatyState[] = ['ACTIVE', 'SUSPENDED', 'SIGNED', 'PARTIALLY_SIGNED', 'PROPOSED']

/** Partners in treaties of this organization that have not ended. */
async function partnersAt(scene: Place): Promise<Partners> {
  const { context, at } = scene
  const { entries, truncated } = await entriesAt(scene, { kind: 'treaty' }, treaties_max)
  const partners = new Map<string, StandingPartner>()
  for (const { subject } of entries) {
    const treaty = await context.treaties.find(subject)
    const partner = treaty && partnerOf(treaty, context.tenant_id, Date.parse(at))
    if (!partner) continue
    const standing_partner = partners.get(partner.tenant_id)
    partners.set(partner.tenant_id, standing_partner ? together(standing_partner, partner) : partner)
  }
  return { partners, partners_truncated: truncated }
}

function together(one: StandingPartner, other: StandingPartner): StandingPartner {
  const [first] = [one, other].sort((a, b) => state_order.indexOf(a.state) - state_order.indexOf(b.state))
  return { ...first!, grants: one.grants + other.grants }
}

function partnerOf(treaty: StandingTreaty, own: string, at_ms: number): StandingPartner | undefined {
  const state = treatyStateAt(treaty, at_ms)
  const other = treaty.parties.find(({ tenant }) => tenant !== own)
  if (!other || !state_order.includes(state)) return undefined
  return { tenant_id: other.tenant, state, grants: treaty.grants.length }
}

/** The tenant of a DID if it may be shown: the own one, or a partner. */
export function shownTenant(did: string, { context, partners }: MeshScene): string | undefined {
  const tenant_id = parseDid(did)?.namespace
  if (tenant_id === undefined) return undefined
  return tenant_id === context.tenant_id || partners.has(tenant_id) ? tenant_id : undefined
}
