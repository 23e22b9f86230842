// The plain model: who has what follows from the requests that happened, whichever engine ran them, and how often they were sent.
import type { SimulationDatabase } from '../database.ts'
import { Violation } from '../world.ts'
import { PlainContract } from './contract-model.ts'
import { type FeeLine, requireFairSums } from './fee-model.ts'
import { isOpen, type PlainOrderBook, replayOrderBook, reservedFor } from './order-book-model.ts'
import { type Agent, funds, type Organizations, tier_fee_bps } from './organizations.ts'
import { type Answer, orderByOrder, type Request, type Requests } from './requests.ts'
import { readSnapshot, type Snapshot } from './snapshot.ts'

export interface PayIn {
  readonly correlation_id: string
  readonly agent: Agent
  readonly amount: number
  is_acknowledged: boolean
}

/** What the court ordered, acknowledged or not. */
export interface CourtOrder {
  readonly contract_id: string
  readonly kind: 'dispute' | 'resume' | 'close'
}

type Holder = Pick<Agent, 'tenant_id'> & { readonly did?: string }

export class LedgerModel {
  readonly pay_ins: PayIn[] = []
  readonly court_orders: CourtOrder[] = []
  /** Of the last check. */
  snapshot: Snapshot | undefined
  contracts: readonly PlainContract[] = []
  readonly #database: SimulationDatabase
  readonly #organizations: Organizations
  readonly #requests: Requests
  readonly #final = new Set<string>()
  #balances = new Map<string, number>()
  #read_changes = -1

  constructor(database: SimulationDatabase, organizations: Organizations, requests: Requests) {
    this.#database = database
    this.#organizations = organizations
    this.#requests = requests
  }

  async check(latest_ms: number): Promise<void> {
    if (this.#requests.violation) throw this.#requests.violation
    const snapshot = await this.#read()
    this.#learnAnswers(snapshot)
    const done = [...this.#requests.all.values()].filter((request) => request.done)
    const order_book = replayOrderBook(
      done.filter(({ operation }) => operation.startsWith('MARKET')).flatMap(orderByOrder),
      snapshot,
    )
    this.contracts = this.#contractsOf(snapshot, done)
    for (const contract of this.contracts) contract.check(latest_ms)
    this.#checkCourt()
    this.#checkReferences(done)
    this.#checkFinal()
    this.#checkFees(order_book)
    this.#checkBalances(snapshot, order_book)
  }

  async #read(): Promise<Snapshot> {
    const { changes } = this.#database
    if (!this.snapshot || changes !== this.#read_changes)
      this.snapshot = await readSnapshot(this.#database, this.#organizations.tenant_ids)
    this.#read_changes = changes
    return this.snapshot
  }

  checkSwept(now_ms: number): void {
    for (const contract of this.contracts) contract.checkSwept(now_ms)
    const { log = [], orders = [] } = this.snapshot ?? {}
    for (const { order_id, state } of orders) {
      const placed = [...this.#requests.all.values()]
        .filter(({ done }) => done)
        .flatMap(orderByOrder)
        .find(({ input, done }) => done?.order_id === order_id && input.action === undefined)
      const expires_at = placed?.input.expires_at
      if (expires_at !== undefined && Date.parse(expires_at) <= now_ms && isOpen({ state }))
        throw new Violation(`the order ${order_id} is over and was not swept; ${log.length} changes`)
    }
  }

  get summary(): string {
    return [...this.#balances]
      .map(([name, balance]) => `${name} ${balance}`)
      .sort()
      .join(', ')
  }

  /** An effect is stored with its answer, so what is stored happened, and nothing else did. */
  #learnAnswers({ answers }: Snapshot): void {
    const stored = new Map(answers.map(({ key, output_text }) => [key, output_text]))
    for (const request of this.#requests.all.values()) {
      const text = stored.get(request.key)
      if (request.done_text !== undefined && text !== request.done_text)
        throw new Violation(`${request.key} was stored, and now it is not, or otherwise`)
      if (request.answer_text !== undefined && text !== request.answer_text)
        throw new Violation(`${request.key} was acknowledged, and its answer is not stored`)
      if (text === undefined || request.done) continue
      if (request.answer_text === undefined && request.open_attempts === 0)
        throw new Violation(`${request.key} (${request.operation}) was refused, and happened`)
      request.done_text = text
      request.done = JSON.parse(text) as Answer
    }
  }

  #contractsOf({ contracts }: Snapshot, done: readonly Request[]): PlainContract[] {
    const by_id = Map.groupBy(
      done.filter(({ operation }) => operation.startsWith('MADE')),
      ({ input, done: answer }) => input.contract_id ?? answer!.contract_id!,
    )
    for (const contract_id of by_id.keys())
      if (!contracts.some((row) => row.contract_id === contract_id))
        throw new Violation(`the contract ${contract_id} is gone`)
    return contracts.map(
      (row) => new PlainContract(row, by_id.get(row.contract_id) ?? [], this.#organizations),
    )
  }

  #checkCourt(): void {
    for (const { row } of this.contracts) {
      const needed = { DISPUTED: 'dispute', RULED_CLOSED: 'close' }[row.state]
      if (needed === undefined) continue
      if (
        !this.court_orders.some(({ contract_id, kind }) => contract_id === row.contract_id && kind === needed)
      )
        throw new Violation(`${row.contract_id} is ${row.state}, and no court said so`)
    }
  }

  /** One payment outside is booked once. */
  #checkReferences(done: readonly Request[]): void {
    const used = new Map<string, string>()
    for (const contract of this.contracts) {
      for (const { row, lines } of contract.settlements) {
        const reference = done.find((one) => one.done?.settlement_id === row.settlement_id)!.input
          .rail_reference
        if (reference === undefined) continue
        const name = `${reference} ${lines[0]!.source === 'issuance'}`
        if (used.has(name)) throw new Violation(`${reference} was settled with twice`)
        used.set(name, row.settlement_id)
      }
    }
  }

  #checkFinal(): void {
    for (const { row } of this.contracts) {
      for (const { settlement_id, state } of row.settlements) {
        if (state === 'FINAL') this.#final.add(settlement_id)
        else if (this.#final.has(settlement_id))
          throw new Violation(`the settlement ${settlement_id} was final, and is ${state}`)
      }
    }
  }

  #checkFees({ trades }: PlainOrderBook): void {
    const traded = trades.map(({ taker_order, notional, fee }): FeeLine => {
      const { tenant_id } = taker_order.request.agent
      const asset_id = this.#organizations.coin
      return { tenant_id, asset_id, amount: notional, fee, bps: tier_fee_bps, is_limited: false }
    })
    requireFairSums([...traded, ...this.contracts.flatMap(({ fees }) => fees)])
  }

  #checkBalances({ accounts, pay_ins }: Snapshot, order_book: PlainOrderBook): void {
    this.#balances = new Map()
    this.#addFunds(pay_ins)
    this.#addMarket(order_book)
    for (const contract of this.contracts) this.#addContract(contract)
    const sums = new Map<string, number>()
    for (const { tenant_id, did, asset_id, type, balance, sum } of accounts) {
      const name = nameOf({ tenant_id, did }, asset_id, type)
      if (balance !== sum) throw new Violation(`${name} has ${balance}, and its entries add up to ${sum}`)
      if (balance < 0 && type !== 'issuance') throw new Violation(`${name} is ${balance}`)
      const expected = this.#balances.get(name) ?? 0
      if (balance !== expected) throw new Violation(`${name} is ${balance} instead of ${expected}`)
      sums.set(asset_id, (sums.get(asset_id) ?? 0) + balance)
      this.#balances.set(name, 0)
    }
    for (const [asset_id, sum] of sums)
      if (sum !== 0) throw new Violation(`all of ${asset_id} adds up to ${sum}`)
    for (const [name, rest] of this.#balances)
      if (rest !== 0) throw new Violation(`${name} should have ${rest}, and does not exist`)
    for (const { tenant_id, did, asset_id, type, balance } of accounts)
      this.#balances.set(nameOf({ tenant_id, did }, asset_id, type), balance)
  }

  #add(holder: Holder, asset_id: string, type: string, amount: number): void {
    const name = nameOf(holder, asset_id, type)
    this.#balances.set(name, (this.#balances.get(name) ?? 0) + amount)
  }

  #move(from: [Holder, string], to: [Holder, string], asset_id: string, amount: number): void {
    this.#add(from[0], asset_id, from[1], -amount)
    this.#add(to[0], asset_id, to[1], amount)
  }

  #addFunds(posted: readonly string[]): void {
    const { agents, operator } = this.#organizations
    const issuer = { tenant_id: operator }
    for (const agent of agents.values())
      for (const name of ['coin', 'gold'] as const)
        this.#move([issuer, 'issuance'], [agent, 'available'], this.#organizations[name], funds[name])
    for (const { correlation_id, agent, amount, is_acknowledged } of this.pay_ins) {
      const times = posted.filter((id) => id === correlation_id).length
      if (times > 1 || (is_acknowledged && times === 0))
        throw new Violation(`a payment was posted ${times} times`)
      if (times === 1)
        this.#move([issuer, 'issuance'], [agent, 'available'], this.#organizations.coin, amount)
    }
  }

  #addMarket({ orders, trades }: PlainOrderBook): void {
    const { coin, gold, operator } = this.#organizations
    for (const { taker_order, maker_order, notional, quantity, fee } of trades) {
      const [taker, maker] = [taker_order.request.agent, maker_order.request.agent]
      const [buyer, seller] = taker_order.side === 'buy' ? [taker, maker] : [maker, taker]
      this.#move([buyer, 'available'], [seller, 'available'], coin, notional)
      this.#move([seller, 'available'], [buyer, 'available'], gold, quantity)
      this.#move([taker, 'available'], [{ tenant_id: operator }, 'fees'], coin, fee)
    }
    for (const order of orders.values()) {
      if (!isOpen(order)) continue
      const { agent } = order.request
      const asset_id = order.side === 'buy' ? coin : gold
      this.#move([agent, 'available'], [agent, 'reserved'], asset_id, reservedFor(order))
    }
  }

  #addContract(contract: PlainContract): void {
    const { operator } = this.#organizations
    for (const { row, lines } of contract.settlements) {
      const side = row.state === 'POSTED' && row.consents.length === 1 ? row.consents[0] : undefined
      for (const { obligation, payer, payee, amount, fee, source } of lines) {
        const { asset_id } = obligation
        const from: [Holder, string] =
          source === 'issuance' ? [{ tenant_id: payer.tenant_id }, 'issuance'] : [payer, 'available']
        this.#move(from, [{ tenant_id: operator }, 'fees'], asset_id, fee)
        if (row.state !== 'REVERSED') this.#move(from, [payee, 'available'], asset_id, amount)
        if (side !== undefined && contract.party(side as 'proposer') === payee)
          this.#move([payee, 'available'], [payee, 'reserved'], asset_id, amount)
      }
    }
    for (const { obligation, payer, rest, fee } of contract.holds) {
      this.#move([payer, 'available'], [payer, 'escrow'], obligation.asset_id, rest)
      this.#move([payer, 'available'], [payer, 'reserved'], obligation.asset_id, fee)
    }
  }
}

function nameOf({ tenant_id, did = '' }: Holder, asset_id: string, type: string): string {
  return `${tenant_id} ${did.slice(-6)} ${asset_id} ${type}`
}
