// Which obligations a call settles, and with which amounts: all that is requested, or nothing.
import { notFound, type Refusal, refuse } from '@svc/contract/refusal'
import {
  type Contract,
  type Obligation,
  obligationState,
  openLegsWith,
  restOf,
  sideOf,
  unitOf,
} from '../contracts/api.ts'

export interface Asked {
  readonly caller_did: string
  readonly now: Date
  readonly obligation_ids?: readonly string[] | undefined
  /** Less than the rest of a single obligation. */
  readonly amount?: bigint | undefined
  /** Fulfilled conditions outside the contract, by their reference. */
  readonly met: ReadonlySet<string>
}

export interface Chosen {
  readonly obligation: Obligation
  readonly amount: bigint
}

/** In an order in which each condition holds when its turn comes. */
export function chooseObligations(contract: Contract, request: Asked): Chosen[] {
  const obligations = request.obligation_ids
    ? request.obligation_ids.map((id) => requireObligation(contract, id, request))
    : dueToCaller(contract, request)
  for (const obligation of obligations) requireWhole(contract, obligation, obligations, request)
  if (request.amount !== undefined) return [partOf(contract, obligations, request)]
  return inOrder(contract, obligations, request).map((obligation) => ({
    obligation,
    amount: restOf(obligation),
  }))
}

function requireObligation(contract: Contract, obligation_id: string, request: Asked): Obligation {
  const obligation = contract.obligations.find(({ id }) => id === obligation_id)
  if (!obligation) throw notFound('obligation', obligation_id)
  const state = obligationState(obligation, request.now)
  if (state === 'PENDING') throw notDue(`${obligation_id} is due at ${obligation.due_at}`)
  if (state !== 'DUE')
    throw refuse(
      'policy_denied',
      `The obligation ${obligation_id} is ${state}; there is nothing left to settle.`,
      {
        reason: `obligation is ${state}; settle needs DUE`,
      },
    )
  if (!contract.escrow && !isPayer(contract, obligation, request))
    throw refuse(
      'policy_denied',
      `The ${obligation.from} of the contract owes ${obligation_id}, and it is not in escrow; only the ${obligation.from} can pay it.`,
      { reason: 'not the payer', payer: contract[obligation.from].did },
    )
  return obligation
}

/** Either everything moves that belongs together, or nothing. */
function requireWhole(
  contract: Contract,
  obligation: Obligation,
  obligations: readonly Obligation[],
  { amount }: Asked,
): void {
  const { id, exchange } = obligation
  const legs = openLegsWith(contract, obligation)
  const missing = legs.filter((leg) => !obligations.some((named) => named.id === leg.id))
  if (missing.length === 0 && (amount === undefined || exchange === null)) return
  const all = legs.map((leg) => leg.id)
  throw refuse(
    'policy_denied',
    `${id} is settled only together with the whole exchange ${exchange}; name ${all.join(', ')}, without an amount.`,
    { reason: 'exchange is settled whole', exchange, obligation_ids: all },
  )
}

/** Without ids: all due obligations the caller may settle and whose conditions hold. */
function dueToCaller(contract: Contract, request: Asked): Obligation[] {
  const due = contract.obligations.filter((obligation) => obligationState(obligation, request.now) === 'DUE')
  const own = due.filter((obligation) => contract.escrow || isPayer(contract, obligation, request))
  if (own.length === 0) throw notDue('nothing that you could settle is due')
  const ready = readyIn(contract, own, request)
  return ready.length > 0 ? ready : own
}

function partOf(contract: Contract, obligations: readonly Obligation[], request: Asked): Chosen {
  const [obligation] = obligations
  const amount = request.amount!
  if (obligations.length !== 1 || !obligation)
    throw refuse(
      'invalid_payload',
      'An amount pays part of one obligation; name that one in obligation_ids.',
      {
        reason: 'amount without one obligation',
        faults: [{ pointer: '/amount', message: 'needs exactly one obligation' }],
      },
    )
  inOrder(contract, obligations, request)
  const rest = restOf(obligation)
  if (amount === 0n || amount > rest)
    throw refuse(
      'policy_denied',
      `${rest} is left of ${obligation.id}, and ${amount} was to be paid; pay up to that.`,
      {
        reason: 'amount exceeds what is owed',
        rest: String(rest),
      },
    )
  if (amount < rest && !isPayer(contract, obligation, request))
    throw refuse(
      'policy_denied',
      `Only the ${obligation.from} of the contract may pay ${obligation.id} in parts; pay all that is left, or ask the ${obligation.from}.`,
      { reason: 'not the payer', payer: contract[obligation.from].did },
    )
  return { obligation, amount }
}

/** All of them, or a refusal for the first whose condition does not hold. */
function inOrder(contract: Contract, obligations: readonly Obligation[], request: Asked): Obligation[] {
  const ready = readyIn(contract, obligations, request)
  const stuck = obligations.filter((obligation) => !ready.includes(obligation))
  if (stuck.length === 0) return ready
  const done = endedWith(contract, ready)
  throw unmet(stuck.find((obligation) => !isMet(obligation, done, request))!)
}

/** Those that can be settled in sequence: each pass may enable others. An exchange waits for all its conditions. */
function readyIn(contract: Contract, obligations: readonly Obligation[], request: Asked): Obligation[] {
  const units = [...Map.groupBy(obligations, unitOf).values()]
  const ready: Obligation[] = []
  for (let pass = 0; pass < units.length; pass++) {
    for (const unit of units) {
      const done = endedWith(contract, ready)
      const is_waiting = !unit.every((obligation) => isMet(obligation, done, request))
      if (!is_waiting && !ready.includes(unit[0]!)) ready.push(...unit)
    }
  }
  return ready
}

function endedWith(contract: Contract, ready: readonly Obligation[]): Set<string> {
  const ended = contract.obligations.filter((obligation) => obligation.ended !== null)
  return new Set([...ended, ...ready].map(({ id }) => id))
}

function isMet({ condition }: Obligation, done: ReadonlySet<string>, { met }: Asked): boolean {
  const { kind, ref = '' } = condition
  return kind === 'none' || (kind === 'after_obligation' ? done.has(ref) : met.has(ref))
}

function isPayer(contract: Contract, { from }: Obligation, { caller_did }: Asked): boolean {
  return sideOf(contract, caller_did) === from
}

function notDue(why: string): Refusal {
  return refuse('policy_denied', `Not yet: ${why}; settle when it is due.`, { reason: 'obligation not due' })
}

const advice = {
  none: '',
  after_obligation: 'settle that one first',
  attested: 'attestations cannot be verified here until MAVEN is served, so agree on another condition',
  trade: 'it holds once that trade is settled where you can see it',
}

function unmet({ id, condition: { kind, ref } }: Obligation): Refusal {
  return refuse('policy_denied', `${id} waits for ${kind} ${ref}; ${advice[kind]}.`, {
    reason: 'condition not met',
    obligation_id: id,
    condition: { kind, ref },
  })
}
