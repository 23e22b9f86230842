// Contracts between agents: offered, accepted, paid, reversed, waived, cancelled, and brought before a court.
import {
  closeContract,
  disputeContract,
  type Ordered,
  resumeContract,
} from '@svc/protocols/economic/contracts/api'
import { postJournal, postJournals } from '@svc/protocols/economic/ledger/api'
import { Random } from '../random.ts'
import type { PlainContract } from './contract-model.ts'
import type { CourtOrder } from './model.ts'
import type { Agent } from './organizations.ts'
import type { Input, ObligationInput, Operation } from './requests.ts'
import { agentsOf, ask, type LedgerState } from './state.ts'

const hour_ms = 3_600_000
const payable = ['ACTIVE', 'PARTIALLY_SETTLED', 'DEFAULTED']

/** Offered, and mostly accepted, paid in part and regretted, each as soon as the answer before it comes. */
export function deal(state: LedgerState, random: Random): void {
  // The answers come in later steps: these numbers are this step's own.
  const own = new Random(`${state.world.seed} ${random.bits()}`)
  const { proposer, counterparty, request } = offer(state, own)
  request.onAnswer = ({ contract_id = '' }) => {
    if (own.chance(0.15)) return
    const accepting = act(state, own, counterparty, 'MADE.economic_contract_create', { contract_id })
    const { obligations = [] } = request.input
    const unpaid = obligations.filter(() => own.chance(0.7))
    const payNext = () => {
      const obligation = unpaid.shift()
      if (!obligation) return
      const parties = [proposer, counterparty] as const
      const [payer, payee] =
        obligation.from === 'proposer' ? parties : (parties.toReversed() as [Agent, Agent])
      const input = { contract_id, obligation_ids: together(obligations, obligation, own) }
      const part = own.chance(obligation.exchange ? 0.1 : 0.7) && {
        amount: String(own.between(1, Number(obligation.amount))),
      }
      const paying = act(state, own, payer, 'MADE.economic_contract_settle', { ...input, ...part })
      paying.onAnswer = ({ settlement_id = '' }) => {
        const regretting = { contract_id, reverse: settlement_id }
        const agent = own.pick([payer, payee, payee, payee])
        if (own.chance(0.3)) payNext()
        else act(state, own, agent, 'MADE.economic_contract_settle', regretting).onAnswer = payNext
      }
    }
    accepting.onAnswer = payNext
  }
}

function offer(state: LedgerState, random: Random) {
  const { world, organizations } = state
  const agents = agentsOf(state)
  const proposer = random.pick(agents)
  const counterparty = random.pick(agents.filter((agent) => agent !== proposer))
  const tenants = [proposer.tenant_id, counterparty.tenant_id]
  const is_under_treaty = tenants[0] !== tenants[1] && !tenants.includes(organizations.operator)
  const assets = is_under_treaty ? [organizations.coin] : [organizations.coin, organizations.gold]
  const escrow = random.chance(0.6)
  const obligations = obligationsOf(world.now_ms, assets, random)
  const input: Input = {
    counterparty_did: counterparty.did,
    obligations: escrow && random.chance(0.5) ? exchanged(obligations, assets, random) : obligations,
    escrow,
    ...(is_under_treaty && { treaty_id: organizations.treaty.id }),
    expires_at: new Date(world.now_ms + random.between(1, 40) * hour_ms).toISOString(),
    nonce: `n${state.requests.all.size}`,
  }
  const request = ask(state, random, proposer, proposer.tenant_id, 'MADE.economic_contract_create', input)
  return { proposer, counterparty, request }
}

function obligationsOf(now_ms: number, assets: readonly string[], random: Random): ObligationInput[] {
  return Array.from({ length: random.between(1, 3) }, (_, place) => ({
    id: `o${place}`,
    from: random.chance(place === 0 ? 0.8 : 0.5) ? 'proposer' : 'counterparty',
    asset_id: random.pick(assets),
    amount: String(random.between(1, 400)),
    ...dueIn(now_ms, random.pick([0, 0, 0, 0, 3, 30])),
    ...(place > 0 && random.chance(0.3) && { condition: { kind: 'after_obligation' as const, ref: 'o0' } }),
  }))
}

/** The first obligation and one from the other side, in another asset if there is one, move only together. */
function exchanged(
  [first, , ...others]: readonly ObligationInput[],
  assets: readonly string[],
  random: Random,
): ObligationInput[] {
  const leg = { ...first!, exchange: 'swap' }
  const against: ObligationInput = {
    ...leg,
    id: 'o1',
    from: leg.from === 'proposer' ? 'counterparty' : 'proposer',
    asset_id: assets.find((asset_id) => asset_id !== leg.asset_id) ?? leg.asset_id,
    amount: String(random.between(1, 400)),
  }
  return [leg, against, ...others]
}

/** All legs of its exchange; sometimes one alone, which is refused. */
function together(obligations: readonly ObligationInput[], one: ObligationInput, random: Random): string[] {
  if (one.exchange === undefined || random.chance(0.4)) return [one.id]
  return obligations.filter(({ exchange }) => exchange === one.exchange).map(({ id }) => id)
}

/** At once, or in so many hours. */
function dueIn(now_ms: number, hours: number) {
  return hours > 0 && { due_at: new Date(now_ms + hours * hour_ms).toISOString() }
}

/** One of the contracts in these states, as far as its parties know. */
function pickContract(
  { model }: LedgerState,
  random: Random,
  states: readonly string[],
): PlainContract | undefined {
  const fitting = model.contracts.filter(({ row }) => states.includes(row.state) || random.chance(0.05))
  return fitting.length > 0 ? random.pick(fitting) : undefined
}

function act(state: LedgerState, random: Random, agent: Agent, operation: Operation, input: Input) {
  return ask(state, random, agent, agent.tenant_id, operation, input)
}

export function accept(state: LedgerState, random: Random): void {
  const contract = pickContract(state, random, ['OFFERED'])
  if (!contract) return
  const { contract_id } = contract.row
  if (random.chance(0.1))
    act(state, random, contract.party('proposer'), 'MADE.economic_contract_create', {
      contract_id,
      action: 'withdraw',
    })
  if (random.chance(0.9))
    act(state, random, contract.party('counterparty'), 'MADE.economic_contract_create', { contract_id })
}

export function settle(state: LedgerState, random: Random): void {
  const contract = pickContract(state, random, payable)
  if (!contract) return
  const { row } = contract
  const open = row.obligations.filter(({ ended }) => ended === null)
  const is_single = open.length > 0 && random.chance(0.7)
  const id = is_single ? random.pick(open).id : undefined
  const all = contract.offer.input.obligations!.filter((one) => open.some((row_of) => row_of.id === one.id))
  const obligation = all.find((one) => one.id === id)
  const side = obligation?.from ?? random.pick(['proposer', 'counterparty'] as const)
  act(state, random, contract.party(side), 'MADE.economic_contract_settle', {
    contract_id: row.contract_id,
    ...(obligation && { obligation_ids: together(all, obligation, random) }),
    ...(obligation &&
      random.chance(obligation.exchange ? 0.1 : 0.5) && {
        amount: String(random.between(1, Number(obligation.amount))),
      }),
    ...(random.chance(0.3) && { rail_reference: `rail-${random.between(1, 4)}` }),
  })
}

/** Both must agree; one often asks twice. */
export function reverse(state: LedgerState, random: Random): void {
  const posted = state.model.contracts.flatMap((contract) =>
    contract.row.settlements
      .filter((row) => row.state === 'POSTED' || random.chance(0.1))
      .map((row) => ({ contract, row })),
  )
  if (posted.length === 0) return
  const { contract, row } = random.pick(posted)
  const sides = ['proposer', 'counterparty', ...row.consents, ...row.consents] as (
    | 'proposer'
    | 'counterparty'
  )[]
  const agent = contract.party(random.pick(sides))
  const input = { contract_id: contract.row.contract_id, reverse: row.settlement_id }
  act(state, random, agent, 'MADE.economic_contract_settle', input)
}

export function end(state: LedgerState, random: Random): void {
  const contract = pickContract(state, random, payable)
  if (!contract) return
  const { contract_id } = contract.row
  const action = random.pick(['cancel', 'waive', 'view'])
  for (const side of ['proposer', 'counterparty'] as const)
    if (random.chance(0.6))
      act(state, random, contract.party(side), 'MADE.economic_contract_create', { contract_id, action })
}

/** As a court does, in the engine's own transaction; it is never told twice whether it committed. */
export function rule(state: LedgerState, random: Random): void {
  const { world, engines, model } = state
  const contract = pickContract(state, random, [...payable, 'SETTLED', 'DISPUTED'])
  const engine = random.pick(engines)
  const { open, process } = engine
  if (!contract || !open || !process) return
  const { contract_id, state: contract_state } = contract.row
  const kind = contract_state === 'DISPUTED' ? random.pick(['resume', 'resume', 'close'] as const) : 'dispute'
  const court_order: CourtOrder = { contract_id, kind }
  model.court_orders.push(court_order)
  const order = {
    ...{ ref: 'moot://ruling/1', correlation_id: random.uuid(), at: new Date(engine.now_ms).toISOString() },
    newId: () => world.random.uuid(),
  }
  const work = () =>
    open.store.engine.transaction(async (db) => {
      if (kind === 'dispute') return void (await disputeContract(db, contract_id, new Date(order.at)))
      const ordered: Ordered = await (kind === 'resume' ? resumeContract : closeContract)(
        db,
        contract_id,
        order,
      )
      await postJournals(db, ordered.journals)
    })
  process.run(work).catch(() => {})
}

/** The engine's own posting, as for a runway: from the issuer to an agent. */
export function payIn(state: LedgerState, random: Random): void {
  const { engines, organizations, model } = state
  const { open, process, now_ms } = random.pick(engines)
  if (!open || !process) return
  const agent = random.pick(agentsOf(state))
  const amount = random.between(1, 500)
  const pay_in = { correlation_id: random.uuid(), agent, amount, is_acknowledged: false }
  model.pay_ins.push(pay_in)
  const { operator: tenant_id, coin: asset_id } = organizations
  const journal = {
    ...{ tenant_id, kind: 'pay-in', ref: 'pay-in', correlation_id: pay_in.correlation_id },
    at: new Date(now_ms).toISOString(),
    entries: [
      { tenant_id, asset_id, type: 'issuance' as const, amount: BigInt(-amount) },
      {
        tenant_id: agent.tenant_id,
        did: agent.did,
        asset_id,
        type: 'available' as const,
        amount: BigInt(amount),
      },
    ],
  }
  process
    .run(() => open.store.engine.transaction((db) => postJournal(db, journal)))
    .then(() => {
      pay_in.is_acknowledged = true
    })
    .catch(() => {})
}
