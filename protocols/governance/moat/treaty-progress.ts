// A treaty inside a call: locked, advanced to the current time, changed, and recorded in both chains.

import type { TreatyState } from '@svc/contract/authority/treaty'
import { parseDid } from '@svc/contract/identity/did'
import type { OperationContext } from '@svc/contract/operation-context'
import { notFound, type Refusal, refuse } from '@svc/contract/refusal'
import { advance, type Notice, otherParty, type Step, type StoredTreaty } from './treaty.ts'
import { isStanding } from './treaty-states.ts'
import { type Ending, findHead, keepState, lockTreaty } from './treaty-store.ts'

/** Only members act for an organization: a caller from outside represents nobody here. */
export function requireHome({ caller, tenant_id }: OperationContext, action: string): void {
  if (parseDid(caller.did)?.namespace === tenant_id) return
  throw refuse(
    'policy_denied',
    `You do not belong to ${tenant_id}; ${action} in your own organization, where its treaties are visible.`,
    { reason: 'not your organization', denying_policy: 'MOAT parties' },
  )
}

/** Locked with its whole line, up to date. */
export async function openTreaty(context: OperationContext, treaty_id: string): Promise<StoredTreaty> {
  const treaty = await lockTreaty(context.db, treaty_id)
  if (!treaty) throw notFound('treaty', treaty_id)
  return bringUp(context, treaty)
}

/** The version in force, of a line that is already locked. */
export async function openHead(
  context: OperationContext,
  root_id: string,
): Promise<StoredTreaty | undefined> {
  const treaty = await findHead(context.db, root_id)
  const head = treaty && (await bringUp(context, treaty))
  return head && isStanding(head.state) ? head : undefined
}

async function bringUp(context: OperationContext, treaty: StoredTreaty): Promise<StoredTreaty> {
  let current = treaty
  for (const step of advance(treaty, new Date(context.now))) current = await take(context, step)
  return current
}

/** Stores a change and records it. */
export async function take(
  context: OperationContext,
  { treaty, notice }: Step,
  ending?: Ending,
): Promise<StoredTreaty> {
  await keepState(context.db, treaty, ending)
  tell(context, treaty, notice)
  return treaty
}

/** Recorded in the chains of both parties under one correlation id; this notifies the other party. */
export function tell(context: OperationContext, treaty: StoredTreaty, { type, meta }: Notice): void {
  context.audit(type, meta, { also: [otherParty(treaty, context.tenant_id).tenant] })
}

export function requireState(treaty: StoredTreaty, action: string, needed: readonly TreatyState[]): void {
  if (needed.includes(treaty.state)) return
  const allowed_states = needed.join(' or ')
  throw refuse(
    'policy_denied',
    `The treaty is ${treaty.state}, and ${action} needs ${allowed_states}; if it has ended, propose a new one.`,
    {
      reason: `treaty is ${treaty.state}; ${action} needs ${allowed_states}`,
      state: treaty.state,
      denying_policy: 'MOAT states',
      appeal_path: 'MOAT propose',
    },
  )
}

/** Who may act for a party: the DID in the treaty, or a charter member. */
export async function requireVoice(
  context: OperationContext<'charter'>,
  { body }: StoredTreaty,
  action: string,
): Promise<void> {
  const { caller, tenant_id } = context
  const own = body.parties.find(({ tenant }) => tenant === tenant_id)
  if (own?.did === caller.did) return
  if (own && (await context.charter.has(caller.did))) return
  throw notAParty(caller.did, own?.did, action)
}

function notAParty(did: string, voice: string | undefined, action: string): Refusal {
  return refuse(
    'policy_denied',
    `${did} may not act for a party of this treaty; let ${voice ?? 'a party'} or a charter member ${action} it.`,
    { reason: 'not a party', denying_policy: 'MOAT parties' },
  )
}
