// Starts a dissolution, and cancels it before the first step.
import type { OperationContext } from '@svc/contract/operation-context'
import { notFound, type Refusal, refuse } from '@svc/contract/refusal'
import {
  debtsOf,
  type Estate,
  keysOfSigners,
  transferable,
  transferFault,
  viewEstate,
} from '../../economic/estate/api.ts'
import { awardsAgainst, openCasesOf } from '../cases/api.ts'
import { treatiesOf } from '../moat/api.ts'
import { findVerdict } from '../motions/api.ts'
import { advance, type Dissolution, isSupermajority, type Schedule } from './dissolution.ts'
import {
  dissolutionSubject,
  type InitiateInput,
  type InitiateOutput,
  requireSchedule,
  shownCreditors,
} from './dissolution-input.ts'
import {
  findOpen,
  keepCancelled,
  keepDissolution,
  lockTenant,
  noticeSeconds,
  windUp,
} from './dissolution-store.ts'

const operation = 'MAUSOLEUM.initiate'
/** At most so many organizations are notified. */
const told_max = 200

export async function initiate(
  input: InitiateInput,
  context: OperationContext<'authority' | 'charter' | 'engine' | 'requireAuthority' | 'tenants'>,
): Promise<InitiateOutput> {
  requireNotOperator(context)
  await lockTenant(context.db, context.tenant_id)
  return input.cancel === undefined ? await begin(input, context) : await cancel(input, context)
}

async function begin(
  input: InitiateInput,
  context: OperationContext<'authority' | 'charter' | 'engine' | 'requireAuthority' | 'tenants'>,
): Promise<InitiateOutput> {
  const { db, tenant_id, caller, now } = context
  if (await findOpen(db, tenant_id)) throw alreadyDissolving(tenant_id)
  const schedule = await requireSchedule(context, input)
  const authority = await requireCharter(context, dissolutionSubject(input), input.charter_authority)
  const outlook = await outlookOf(context, schedule)
  const initiated_at = new Date(now)
  const dissolution: Dissolution = {
    dissolution_id: context.newId(),
    tenant_id,
    state: 'INITIATED',
    blocked: null,
    reason: input.reason,
    schedule,
    authority,
    initiated_by: caller.did,
    initiated_at,
    notice_until: new Date(initiated_at.getTime() + (await noticeSeconds(db)) * 1000),
    successor_tenant: successorTenant(schedule),
  }
  await keepDissolution(db, dissolution)
  await windUp(db, true)
  const { dissolution_id, notice_until } = dissolution
  const { creditors, blockers, concerned } = outlook
  context.audit(
    'DissolutionInitiated',
    {
      dissolution_id,
      authority,
      notice_until: notice_until.toISOString(),
      successor_did: schedule.successor_did,
      creditors: creditors.length,
    },
    { also: concerned },
  )
  return {
    dissolution_id,
    state: advance(dissolution, initiated_at),
    notice_until: notice_until.toISOString(),
    creditors,
    blockers,
  }
}

/** Needs a new decision, before the first step. */
async function cancel(
  input: InitiateInput,
  context: OperationContext<'charter' | 'engine' | 'requireAuthority'>,
): Promise<InitiateOutput> {
  const { db, tenant_id, caller, now } = context
  const dissolution = await findOpen(db, tenant_id)
  if (!dissolution || dissolution.dissolution_id !== input.cancel)
    throw notFound('dissolution', input.cancel!)
  const { dissolution_id, notice_until } = dissolution
  const authority = await requireCharter(context, dissolution_id, input.charter_authority)
  const state = advance(dissolution, new Date(now))
  const is_kept = state === 'INITIATED' && (await keepCancelled(db, dissolution_id, caller.did, now))
  if (!is_kept) throw tooLate(dissolution.blocked ? 'BLOCKED' : state)
  await windUp(db, false)
  const facts = { dissolution_id, authority, state: 'CANCELLED' }
  const supplied = { reason: input.reason }
  const { concerned } = await outlookOf(context, dissolution.schedule)
  context.audit('DissolutionInitiated', facts, { also: concerned, supplied })
  return {
    dissolution_id,
    state: 'CANCELLED',
    notice_until: notice_until.toISOString(),
    creditors: [],
    blockers: [],
  }
}

/** Two thirds of all seats, not of those present. The only member is all of them. */
async function requireCharter(
  context: OperationContext<'charter' | 'requireAuthority'>,
  subject: string,
  ref: string,
): Promise<string> {
  const authority = await context.requireAuthority(operation, subject, ref)
  const members = (await context.charter.members()).length
  const verdict = await findVerdict(context.db, context.tenant_id, authority)
  const in_favour = verdict?.counts.for ?? 0
  if (verdict?.sole_member || isSupermajority(in_favour, members)) return authority
  throw refuse(
    'policy_denied',
    `A dissolution needs two thirds of all ${members} charter members, and ${in_favour} voted for it; convene again.`,
    {
      reason: 'supermajority required',
      denying_policy: 'MACE quorum',
      dissent: verdict?.dissent,
      appeal_path: 'MACE convene',
      gate: 'MACE-quorum',
    },
  )
}

export interface Outlook {
  readonly creditors: InitiateOutput['creditors']
  readonly blockers: string[]
  /** Tenants to notify. */
  readonly concerned: string[]
}

/** The current outlook: who is paid first, what blocks the dissolution, and whom it concerns. */
export async function outlookOf(context: OperationContext<'engine'>, schedule: Schedule): Promise<Outlook> {
  const estate = await estateOf(context, schedule)
  return {
    creditors: shownCreditors(estate.creditors),
    blockers: [
      ...(await casesOf(context)),
      ...(await debtFaults(estate, schedule, context)),
      ...estate.waiting,
    ],
    concerned: await concernedBy(context, estate, successorTenant(schedule)),
  }
}

function successorTenant({ successor_did }: Schedule): string {
  return successor_did.split(':')[2]!
}

async function estateOf(
  context: OperationContext<'engine'>,
  { obligation_transfer }: Schedule,
): Promise<Estate> {
  const {
    db,
    tenant_id,
    engine: { operator_tenant_id },
  } = context
  const awards = new Set((await awardsAgainst(db, tenant_id)).map(({ contract_id }) => contract_id))
  return await viewEstate(db, { tenant_id, operator_tenant_id }, { awards, transfers: obligation_transfer })
}

async function casesOf({ db, tenant_id }: OperationContext): Promise<string[]> {
  return (await openCasesOf(db, tenant_id)).map(({ case_id }) => `case ${case_id} is open`)
}

/** Transfers without consent are paid like other debts; debts of others must be settled or waived. */
async function debtFaults(
  { contracts }: Estate,
  { obligation_transfer }: Schedule,
  { db, tenant_id }: OperationContext,
): Promise<string[]> {
  const debts = debtsOf(contracts)
  const keys = await keysOfSigners(db, debts, obligation_transfer, 'current')
  const movable = transferable(debts, obligation_transfer, tenant_id, keys)
  const owed = debts.filter(({ ref, payer }) => payer.tenant_id !== tenant_id && !movable.has(ref))
  const faulty = obligation_transfer.flatMap((transfer) => {
    const debt = debts.find(({ ref }) => ref === transfer.obligation)
    const why = transferFault(debt, transfer, tenant_id, keys)
    return why === undefined ? [] : [`${transfer.obligation} ${why}`]
  })
  return [...faulty, ...owed.map(({ ref }) => `${ref} is still owed by another organization`)].slice(
    0,
    told_max,
  )
}

/** The event in their chains is the notice to partners and creditors. */
async function concernedBy(
  { db, tenant_id }: OperationContext,
  { creditors, contracts }: Estate,
  successor_tenant: string,
): Promise<string[]> {
  const partners = (await treatiesOf(db, tenant_id)).map(({ partner }) => partner)
  const parties = contracts.flatMap(({ proposer, counterparty }) => [
    proposer.tenant_id,
    counterparty.tenant_id,
  ])
  const tenants = [
    ...partners,
    ...creditors.map((creditor) => creditor.tenant_id),
    ...parties,
    successor_tenant,
  ]
  return [...new Set(tenants)].filter((one) => one !== tenant_id).slice(0, told_max)
}

function requireNotOperator({ tenant_id, engine: { operator_tenant_id } }: OperationContext<'engine'>): void {
  if (tenant_id !== operator_tenant_id) return
  throw refuse(
    'policy_denied',
    `Tenant ${tenant_id} operates this engine and publishes the seals of dissolved organizations, so it cannot be dissolved.`,
    { reason: 'operator cannot dissolve', denying_policy: 'MAUSOLEUM' },
  )
}

function alreadyDissolving(tenant_id: string): Refusal {
  return refuse(
    'policy_denied',
    `Tenant ${tenant_id} is already being dissolved; wait, or cancel that dissolution first.`,
    { reason: 'organization dissolving', denying_policy: 'MAUSOLEUM', appeal_path: 'MAUSOLEUM initiate' },
  )
}

function tooLate(state: string): Refusal {
  return refuse(
    'policy_denied',
    `The dissolution is ${state}, and cancel needs INITIATED; steps already taken cannot be undone.`,
    { reason: `dissolution is ${state}; cancel needs INITIATED`, state },
  )
}
