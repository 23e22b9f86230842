// Reverses a settlement: while it is not final, and only if both parties have signed.
import type { OperationContext } from '@svc/contract/operation-context'
import { notFound, type Refusal, refuse } from '@svc/contract/refusal'
import {
  entriesOfConsent,
  entriesOfReversal,
  findSettlement,
  isBetweenTenants,
  keepObligations,
  keepReversal,
  linesTo,
  type Obligation,
  openContract,
  otherSide,
  payable,
  progress,
  requireState,
  type SettledLine,
  type Settlement,
  type Side,
  type StoredContract,
  sideOf,
  tell,
} from '../contracts/api.ts'
import { type Entry, type Journal, postJournals } from '../ledger/api.ts'
import { requireL2 } from './contract-footing.ts'
import { requireWord } from './contract-signature.ts'
import { answerSettled } from './settlement-posting.ts'
import type { SettleInput, SettleOutput } from './settlement-schema.ts'

export async function reverse(
  input: SettleInput,
  context: OperationContext<'custody'>,
): Promise<SettleOutput> {
  requireNothingElse(input)
  const { contract, journals } = await openContract(context, input.contract_id)
  const { contract_id } = contract
  const settlement = await findSettlement(context.db, contract_id, input.reverse!)
  if (!settlement) throw notFound('settlement', input.reverse!)
  const side = requireParty(contract, context)
  if (isBetweenTenants(contract)) requireL2(context.caller, 'Reversing between organizations')
  requireReversible(contract, settlement)
  if (settlement.consents.some((consent) => consent.side === side)) {
    await postJournals(context.db, journals)
    return await answerSettled(context, contract, settlement, [])
  }
  const word = await requireWord(context, { contract_id, reverse: settlement.settlement_id }, input)
  const agreed = { ...settlement, consents: [...settlement.consents, { side, ...word }] }
  return agreed.consents.length === 2
    ? await takeBack(contract, agreed, side, journals, context)
    : await putAside(contract, agreed, side, journals, context)
}

/** The first to agree reserves what it was paid, so that the money is there when the other agrees. */
async function putAside(
  contract: StoredContract,
  settlement: Settlement,
  side: Side,
  lapsed: readonly Journal[],
  context: OperationContext,
): Promise<SettleOutput> {
  await keepReversal(context.db, settlement)
  const entries = entriesOfConsent(contract, linesTo(side, settlement))
  await post(context, contract, 'consent', entries.length > 0 ? [entries] : [], lapsed)
  return await answerSettled(context, contract, settlement, entries)
}

async function takeBack(
  contract: StoredContract,
  settlement: Settlement,
  executor: Side,
  lapsed: readonly Journal[],
  context: OperationContext,
): Promise<SettleOutput> {
  const reversed: Settlement = { ...settlement, state: 'REVERSED' }
  const { obligations, parts } = undo(contract, settlement.lines, executor)
  await keepReversal(context.db, reversed)
  await keepObligations(context.db, contract.contract_id, obligations)
  const settlements = contract.settlements.filter(
    ({ settlement_id }) => settlement_id !== settlement.settlement_id,
  )
  const running = contract.state === 'SETTLED' ? ('PARTIALLY_SETTLED' as const) : contract.state
  const after = await progress(context, { ...contract, state: running, obligations, settlements })
  const journal_ids = await post(context, contract, 'reversal', parts, lapsed)
  const { contract_id, state } = after
  const { settlement_id } = settlement
  tell(context, after, 'ContractSettled', { contract_id, reversed: settlement_id, journal_ids, state })
  return await answerSettled(context, after, { ...reversed, journal_ids }, parts.flat())
}

/** Line by line, since each changes the reserved fee for the next; one journal each, as they were paid. */
function undo(contract: StoredContract, lines: readonly SettledLine[], executor: Side) {
  const obligations = new Map<string, Obligation>(contract.obligations.map((one) => [one.id, one]))
  const parts: Entry[][] = []
  for (const line of lines) {
    const obligation = obligations.get(line.obligation_id)!
    const taken_from = otherSide(line.from) === executor ? 'available' : 'reserved'
    parts.push(entriesOfReversal(contract, obligation, line, taken_from))
    const settled = obligation.settled - line.amount
    obligations.set(obligation.id, { ...obligation, settled, ended: null, ended_at: null })
  }
  return { obligations: [...obligations.values()], parts }
}

function requireReversible(contract: StoredContract, settlement: Settlement): void {
  const { settlement_id, state, lines } = settlement
  const is_open = contract.settlements.some((open) => open.settlement_id === settlement_id)
  if (state === 'REVERSED')
    throw refuse(
      'policy_denied',
      `The settlement ${settlement_id} was reversed already; there is nothing left of it.`,
      {
        reason: 'settlement is REVERSED; reverse needs POSTED',
      },
    )
  if (!is_open)
    throw refuse(
      'policy_denied',
      `The settlement ${settlement_id} is final since ${settlement.final_at.toISOString()}; agree on a new contract instead.`,
      { reason: 'settlement is final', final_at: settlement.final_at.toISOString() },
    )
  requireState(contract, 'reverse', [...payable, 'SETTLED'])
  if (lines.some(({ credit_to }) => credit_to === 'runway'))
    throw refuse(
      'policy_denied',
      'What went into a runway is spent as it comes; agree on a new contract instead.',
      {
        reason: 'settlement went into a runway',
      },
    )
  const waived = lines.some(({ obligation_id }) =>
    contract.obligations.some(({ id, ended }) => id === obligation_id && ended === 'WAIVED'),
  )
  if (waived)
    throw refuse(
      'policy_denied',
      'The rest of what this settled was waived since; agree on a new contract instead.',
      {
        reason: 'obligation is WAIVED; reverse needs DUE or SETTLED',
      },
    )
}

function requireParty(contract: StoredContract, { caller }: OperationContext): Side {
  const side = sideOf(contract, caller.did)
  if (side) return side
  throw refuse('policy_denied', `Only the parties of a contract may reverse what was settled under it.`, {
    reason: 'not a party of this contract',
  })
}

function requireNothingElse({ obligation_ids, amount, rail_reference }: SettleInput): void {
  if (obligation_ids === undefined && amount === undefined && rail_reference === undefined) return
  throw unfitting()
}

function unfitting(): Refusal {
  return refuse(
    'invalid_payload',
    'A settlement is reversed as a whole; send only contract_id and reverse.',
    {
      reason: 'fields do not fit together',
      faults: [{ pointer: '/reverse', message: 'stands alone' }],
    },
  )
}

/** Posted last. Returns the ids of this reversal's journals. */
async function post(
  { db, tenant_id, invoke, now: at }: OperationContext,
  { contract_id }: StoredContract,
  kind: string,
  parts: readonly (readonly Entry[])[],
  lapsed: readonly Journal[],
): Promise<string[]> {
  const { correlation_id } = invoke
  const journal = { tenant_id, kind, ref: `made://contract/${contract_id}`, correlation_id, at }
  const own = parts.map((entries) => ({ ...journal, entries }))
  const posted = await postJournals(db, [...lapsed, ...own])
  return posted.slice(lapsed.length)
}
