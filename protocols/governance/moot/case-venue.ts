// The court of a dispute and its eligible arbiters: by treaty, else the shared tenant, else the operator's.

import type { StandingTreaty } from '@svc/contract/authority/treaty'
import { parseDid } from '@svc/contract/identity/did'
import type { ResolvedAgentIdentity } from '@svc/contract/identity/identity'
import type { OperationContext } from '@svc/contract/operation-context'
import { notFound, type Refusal, refuse } from '@svc/contract/refusal'
import { findPage } from '../../awareness/registry/api.ts'
import type { Case, CaseParty } from '../cases/api.ts'
import { treatyOf } from '../evidence/api.ts'
import type { FileInput } from './case-input.ts'
import { drawPanel, panelSize } from './panel.ts'

const arbiter_capability = 'svc.moot.rule'
const page_size = 200
const pages_max = 5

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
  context: OperationContext<'engine' | 'tenants'>,
  treaty: StandingTreaty | undefined,
  parties: readonly [CaseParty, CaseParty],
  requested_venue: string | undefined,
): Promise<string> {
  const [one, other] = parties.map(({ tenant_id }) => tenant_id)
  const otherwise = one === other ? one! : context.engine.operator_tenant_id
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

type Sitting = Pick<Case, 'case_id' | 'venue' | 'requested'> & {
  readonly parties: readonly [CaseParty, CaseParty]
  readonly appealed: Pick<Case, 'panel'> | undefined
}

/** Arbiters of another organization are visible here only if registered publicly. */
export async function seatPanel(
  context: OperationContext<'authority' | 'lineages' | 'telemetry'>,
  sitting: Sitting,
): Promise<string[]> {
  const { case_id, venue, requested, parties, appealed } = sitting
  const size = panelSize(requested.micro_usd, appealed !== undefined)
  const identityOf = async (did: string) => (await context.authority.of(did)).identity
  const identities = [await identityOf(parties[0].did), await identityOf(parties[1].did)] as [
    ResolvedAgentIdentity,
    ResolvedAgentIdentity,
  ]
  const candidateOf = async (did: string) => ({
    identity: await identityOf(did),
    root_did: (await context.lineages.roots([did])).root_of.get(did),
  })
  const registered = await registeredArbiters(context, venue)
  const sat_before = appealed?.panel ?? []
  const panel = await drawPanel({ case_id, registered, sat_before, parties: identities, size }, candidateOf)
  if (panel.length < size) throw noPanel(venue, size, panel.length)
  return panel
}

async function registeredArbiters(context: OperationContext<'telemetry'>, venue: string): Promise<string[]> {
  const filter = {
    kind: 'agent',
    tenant_id: venue,
    capability: arbiter_capability,
    versions: { live_at: context.now },
  } as const
  const dids: string[] = []
  let page = await findPage(context, filter, page_size)
  for (let pages = 1; ; pages++) {
    dids.push(...page.entries.map(({ subject }) => subject))
    if (!page.next || pages === pages_max) return dids.filter((did) => parseDid(did)?.namespace === venue)
    page = await findPage(context, { ...filter, after: page.next }, page_size)
  }
}

function noPanel(venue: string, needed: number, available: number): Refusal {
  return refuse(
    'policy_denied',
    `${needed} impartial arbiters are needed and ${venue} has ${available}: agents with a verified lineage (L1) that are ` +
      `registered in MARS for ${arbiter_capability}, visible to you, share no root or organization with a party, and have different roots; ` +
      'ask the venue to register more.',
    { reason: 'no eligible panel', denying_policy: 'MOOT panel', needed, found: available, venue },
  )
}
