// The court of a dispute and its eligible arbiters: by treaty, else the shared tenant if it has any, else the operator's.

import type { StandingTreaty } from '@svc/contract/authority/treaty'
import { parseDid } from '@svc/contract/identity/did'
import type { OperationContext } from '@svc/contract/operation-context'
import { notFound, type Refusal, refuse } from '@svc/contract/refusal'
import { findPage } from '../../awareness/registry/api.ts'
import { type Case, type CaseDraw, type CaseParty, casesBetween, lockPair } from '../cases/api.ts'
import { treatyOf } from '../evidence/api.ts'
import type { FileInput } from './case-input.ts'
import {
  type Arbiter,
  type Candidate,
  eligibleArbiters,
  eligibleHash,
  panelSize,
  rootsAmong,
} from './panel.ts'
import { continues, type Facts, panel_kept_ms } from './same-dispute.ts'

export const arbiter_capability = 'svc.moot.rule'
const page_size = 200
const pages_max = 5
/** Of the venue, and as many of others: each is resolved on every filing. */
const arbiters_max = 64

type Court = OperationContext<'authority' | 'lineages' | 'telemetry' | 'treaties'>

/** The treaty of a dispute: the one named, cited or targeted, else the one in force between the parties. */
export async function treatyAtIssue(
  context: OperationContext<'treaties'>,
  input: Pick<FileInput, 'treaty_id' | 'evidence' | 'requested_remedy'>,
  parties: readonly [CaseParty, CaseParty],
): Promise<StandingTreaty | undefined> {
  const [one, other] = parties.map(({ tenant_id }) => tenant_id) as [string, string]
  if (input.treaty_id !== undefined) {
    const named = await context.treaties.find(input.treaty_id)
    if (!named || !isOf(named, one, other)) throw notFound('treaty', input.treaty_id)
    return named
  }
  for (const ref of [input.requested_remedy.target ?? '', ...input.evidence]) {
    const id = treatyOf(ref)
    const shown = id === undefined ? undefined : await context.treaties.find(id)
    if (shown && isOf(shown, one, other)) return shown
  }
  if (one === other) return undefined
  const question = { from_tenant: one, to_tenant: other, capability: 'svc.moot.file' }
  return (await context.treaties.judge({ ...question, at_ms: Date.parse(context.now) })).treaty
}

function isOf({ parties }: StandingTreaty, one: string, other: string): boolean {
  const tenants = parties.map(({ tenant }) => tenant)
  return tenants.includes(one) && tenants.includes(other)
}

export async function venueFor(
  context: OperationContext<'authority' | 'engine' | 'lineages' | 'telemetry' | 'tenants' | 'treaties'>,
  treaty: StandingTreaty | undefined,
  parties: readonly [CaseParty, CaseParty],
  requested_venue: string | undefined,
): Promise<string> {
  const [one, other] = parties.map(({ tenant_id }) => tenant_id)
  // An organization without arbiters of its own has those of the operator.
  const is_own = one === other && (await registeredArbiters(context, one!)).length > 0
  const otherwise = is_own ? one! : context.engine.operator_tenant_id
  const agreed = treaty?.dispute_resolution.venue
  const venue = agreed === undefined ? otherwise : tenantNamed(agreed, context)
  if (requested_venue !== undefined && tenantNamed(requested_venue, context) !== venue)
    throw refuse(
      'policy_denied',
      `The venue of this dispute is ${venue}; ${requested_venue} was not agreed to. Omit venue.`,
      { reason: 'venue not agreed', denying_policy: 'MOOT venue', venue },
    )
  if ((await context.tenants.tierOf(venue)) === undefined) throw notFound('venue', venue)
  return venue
}

function tenantNamed(venue: string, { engine: { operator_tenant_id } }: OperationContext<'engine'>): string {
  if (venue === 'operator') return operator_tenant_id
  return parseDid(venue)?.namespace ?? venue
}

type Sitting = Facts &
  Pick<Case, 'case_id' | 'venue' | 'filed_at'> & {
    readonly parties: readonly [CaseParty, CaseParty]
    readonly appealed: Pick<Case, 'panel'> | undefined
  }
/** What the panel will be drawn from. Fixed here, before the checkpoint that decides the draw exists. */
export async function drawFor(
  context: Court,
  sitting: Sitting,
): Promise<{ readonly draw: CaseDraw; readonly party_names: readonly string[] }> {
  const { case_id, venue, requested, appealed } = sitting
  const seats = panelSize(requested.micro_usd, appealed !== undefined)
  const eligible = await arbitersFor(context, sitting)
  const available = rootsAmong(eligible)
  if (available < seats) throw noPanel(venue, seats, available)
  const party_names = await namesOf(context, sitting.parties)
  const follows = appealed ? null : await followedBy(context, sitting, party_names)
  const draw = {
    case_id,
    seats,
    eligible,
    eligible_hash: eligibleHash({ case_id, seats, eligible, follows }),
    follows,
    correlation_id: context.invoke.correlation_id,
    checkpoint: null,
    drawn_order: null,
  }
  return { draw, party_names }
}

/** By these both sides are recognized, whichever of its agents files. */
async function namesOf(
  { lineages }: Court,
  parties: readonly [CaseParty, CaseParty],
): Promise<readonly string[]> {
  const dids = parties.map(({ did }) => did)
  const { root_of } = await lineages.roots(dids)
  return dids.map((did) => root_of.get(did) ?? did).sort()
}

/** The newest case between the two whose panel this one gets. Locked, so that two filings at once do not have two draws. */
async function followedBy(
  context: Court,
  sitting: Sitting,
  party_names: readonly string[],
): Promise<string | null> {
  const { parties, venue, filed_at } = sitting
  const [one, other] = parties.map(({ tenant_id }) => tenant_id) as [string, string]
  await lockPair(context.db, one, other)
  const between = { one, other, venue, since: new Date(filed_at.getTime() - panel_kept_ms) }
  const newest = await casesBetween(context.db, between)
  if (one !== other) return newest.find((row) => continues(row, sitting))?.case_id ?? null
  // Inside one organization the newest may all be of others: cases of these two are also found by their names.
  const named = await casesBetween(context.db, { ...between, party_names })
  const earlier = [...named, ...(await betweenSameRoots(context, party_names, newest))]
  const same = earlier.filter((row) => continues(row, sitting))
  same.sort((a, b) => b.filed_at.getTime() - a.filed_at.getTime() || (a.case_id < b.case_id ? 1 : -1))
  return same[0]?.case_id ?? null
}

/** Inside one organization the parties are its agents; another agent of the same root is the same party. */
async function betweenSameRoots(
  { lineages }: Court,
  party_names: readonly string[],
  earlier: readonly Case[],
): Promise<Case[]> {
  const pairs = earlier.map(({ claimant, respondent }) => [claimant.did, respondent.did])
  const { root_of } = await lineages.roots(pairs.flat())
  const nameOf = (dids: readonly string[]) => dids.map((did) => root_of.get(did) ?? did).sort()
  return earlier.filter((_, place) => nameOf(pairs[place]!).join(' ') === party_names.join(' '))
}

async function arbitersFor(context: Court, { venue, parties, appealed }: Sitting): Promise<Arbiter[]> {
  const identityOf = async (did: string) => (await context.authority.of(did)).identity
  const identities = [await identityOf(parties[0].did), await identityOf(parties[1].did)] as const
  const registered = await registeredArbiters(context, venue)
  const sat_before = appealed?.panel ?? []
  const { root_of } = await context.lineages.roots([
    ...registered,
    ...sat_before,
    ...parties.map(({ did }) => did),
  ])
  const rootsOf = (dids: readonly string[]) => new Set(dids.map((did) => root_of.get(did)))
  const candidates: Candidate[] = []
  for (const did of registered)
    if (!sat_before.includes(did) && root_of.has(did))
      candidates.push({ identity: await identityOf(did), root_did: root_of.get(did) })
  return eligibleArbiters({
    candidates,
    sat_roots: rootsOf(sat_before),
    parties: identities,
    party_roots: rootsOf(parties.map(({ did }) => did)),
  })
}

/** The longest registered: of the venue, and of organizations that a treaty lets rule there. */
async function registeredArbiters(context: Court, venue: string): Promise<string[]> {
  const own = await advertised(context, { tenant_id: venue }, (tenant_id) => tenant_id === venue)
  const may_rule = new Map<string, boolean>([[venue, false]])
  const offered = await advertised(context, {}, async (tenant_id) => {
    const is_allowed = may_rule.get(tenant_id) ?? (await mayRule(context, tenant_id, venue))
    may_rule.set(tenant_id, is_allowed)
    return is_allowed
  })
  return [...own, ...offered]
}

async function mayRule(context: Court, from_tenant: string, to_tenant: string): Promise<boolean> {
  const at_ms = Date.parse(context.now)
  for (const capability of ['svc.moot.hear', arbiter_capability])
    if (!(await context.treaties.judge({ from_tenant, to_tenant, capability, at_ms })).active) return false
  return true
}

async function advertised(
  context: OperationContext<'telemetry'>,
  where: { readonly tenant_id?: string },
  isOf: (tenant_id: string) => boolean | Promise<boolean>,
): Promise<string[]> {
  const versions = { live_at: context.now }
  const filter = { ...where, kind: 'agent', capability: arbiter_capability, versions } as const
  const dids: string[] = []
  let page = await findPage(context, filter, page_size)
  for (let pages = 1; ; pages++) {
    for (const { subject } of page.entries) {
      const tenant_id = parseDid(subject)?.namespace
      if (tenant_id !== undefined && (await isOf(tenant_id))) dids.push(subject)
      if (dids.length === arbiters_max) return dids
    }
    if (!page.next || pages === pages_max) return dids
    page = await findPage(context, { ...filter, after: page.next }, page_size)
  }
}

function noPanel(venue: string, needed: number, available: number): Refusal {
  return refuse(
    'policy_denied',
    `${needed} impartial arbiters of different roots are needed and ${venue} has ${available}: agents with a verified lineage (L1) that are ` +
      `registered in MARS for ${arbiter_capability}, visible to you, and share no root or organization with a party; ` +
      'ask the venue to register more, or to agree on a treaty that lets others rule there.',
    { reason: 'no eligible panel', denying_policy: 'MOOT panel', needed, found: available, venue },
  )
}
