// Callers: each request has an idempotency key and may be sent several times, to any engine. What a caller knows of it is kept here.
import type { Outcome } from '@svc/engine/dispatch'
import { credentialOf } from '../../rehearsal/test-ports.ts'
import { Violation, type World } from '../world.ts'
import type { Engine } from './engine.ts'
import type { Agent } from './organizations.ts'

export type Operation =
  | 'MARKET.create_order'
  | 'MARKET.create_orders'
  | 'MARKET.cancel_orders'
  | 'MARKET.execute_trade'
  | 'MADE.economic_contract_create'
  | 'MADE.economic_contract_settle'

/** The fields of answers that the models use. */
export interface Answer {
  readonly order_id?: string
  readonly seq?: number
  readonly filled?: string
  readonly results?: readonly { readonly order?: Answer }[]
  readonly cancelled?: readonly { readonly order_id: string }[]
  readonly contract_id?: string
  readonly settlement_id?: string
  readonly state?: string
  readonly settled?: readonly { obligation_id: string; asset_id: string; amount: string; fee: string }[]
  readonly obligations?: readonly { readonly id: string; readonly state: string }[]
}

export interface ObligationInput {
  readonly id: string
  readonly from: 'proposer' | 'counterparty'
  readonly asset_id: string
  readonly amount: string
  readonly due_at?: string
  readonly exchange?: string
  readonly condition?: { readonly kind: 'after_obligation'; readonly ref: string }
}

export interface Input {
  readonly action?: string
  readonly order_id?: string
  readonly side?: 'buy' | 'sell'
  readonly type?: 'market'
  readonly quantity?: string
  readonly price?: string
  readonly limit_price?: string
  readonly min_quantity?: string
  readonly time_in_force?: string
  readonly post_only?: boolean
  readonly expires_at?: string
  readonly instrument?: string
  readonly orders?: readonly Input[]
  readonly contract_id?: string
  readonly counterparty_did?: string
  readonly obligations?: readonly ObligationInput[]
  readonly obligation_ids?: readonly string[]
  readonly escrow?: boolean
  readonly treaty_id?: string
  readonly nonce?: string
  readonly amount?: string
  readonly rail_reference?: string
  readonly reverse?: string
}

export interface Request {
  readonly key: string
  readonly agent: Agent
  readonly tenant_id: string
  readonly operation: Operation
  readonly input: Input
  readonly first_sent_ms: number
  /** Attempts that run, or whose outcome nobody knows. */
  open_attempts: number
  /** As acknowledged. */
  answer_text: string | undefined
  /** Called once, with the first answer. */
  onAnswer: (answer: Answer) => void
  /** As stored with the effect: it happened. */
  done: Answer | undefined
  done_text: string | undefined
}

/** What happened, order by order: a batch as the orders that were taken, and a cancellation of all as one of each. */
export function orderByOrder(request: Request): Request[] {
  const { operation, input, done } = request
  const part = (input_part: Input, done_part: Answer): Request => ({
    ...{ ...request, operation: 'MARKET.create_order' },
    ...{ input: input_part, done: done_part },
  })
  if (operation === 'MARKET.create_orders')
    return done!.results!.flatMap(({ order }, place) =>
      order ? [part({ ...input.orders![place], instrument: input.instrument! }, order)] : [],
    )
  if (operation === 'MARKET.cancel_orders')
    return done!.cancelled!.map(({ order_id }) => part({ action: 'cancel', order_id }, { order_id }))
  return [request]
}

/** Keys are stored for 24 hours, by clocks that differ: later the same key is another request. */
const retried_ms_max = 20 * 3_600_000

export class Requests {
  readonly all = new Map<string, Request>()
  /** A rule that was broken inside a call. */
  violation: Violation | undefined
  readonly #world: World

  constructor(world: World) {
    this.#world = world
  }

  add(agent: Agent, tenant_id: string, operation: Operation, input: Input): Request {
    const request: Request = {
      key: `r${this.all.size + 1}`,
      ...{ agent, tenant_id, operation, input },
      first_sent_ms: this.#world.now_ms,
      open_attempts: 0,
      ...{ answer_text: undefined, done: undefined, done_text: undefined },
      onAnswer: () => {},
    }
    this.all.set(request.key, request)
    return request
  }

  get retried(): Request[] {
    const since_ms = this.#world.now_ms - retried_ms_max
    return [...this.all.values()].filter(({ first_sent_ms }) => first_sent_ms > since_ms)
  }

  /** Nothing is sent to an engine that is down. */
  send(engine: Engine, request: Request): void {
    const { open, process } = engine
    if (!open || !process) return
    const { agent, tenant_id, input, key } = request
    const [protocol = '', operation = ''] = request.operation.split('.')
    const credential = {
      ...credentialOf('svc.*.*'),
      ...{ did: agent.did, tenant_id: agent.tenant_id, key_id: agent.did.slice(-8) },
    }
    const call = {
      request: { protocol, version: 'v1', operation, input, tenant_id, idempotency_key: key },
      credential,
      origin: 'http' as const,
      correlation_id: this.#world.random.uuid(),
    }
    request.open_attempts++
    process
      .run(() => open.pipeline.dispatch(call))
      .then(
        (outcome) => this.#learn(request, outcome),
        (error: Error) => this.#fail(`${request.operation} threw ${error.stack}`),
      )
  }

  #learn(request: Request, outcome: Outcome): void {
    const { action, reverse } = request.input
    const name = `${request.key} ${request.operation} ${action ?? (reverse ? 'reverse' : '')}`
    if (outcome.kind === 'success') {
      this.#world.note(`${name} done${outcome.metadata.replayed ? ' before' : ''}`)
      request.open_attempts--
      if (request.answer_text !== undefined && request.answer_text !== outcome.output_text)
        this.#fail(`${request.key} was answered twice, and differently`)
      const is_first = request.answer_text === undefined
      request.answer_text = outcome.output_text
      if (is_first) request.onAnswer(JSON.parse(outcome.output_text))
      return
    }
    if (outcome.kind !== 'refused') return
    const { code, details, message, cause } = outcome.refusal
    this.#world.note(`${name} refused: ${code} ${details.reason ?? ''}`)
    if (details.outcome !== 'unknown') request.open_attempts--
    if (code === 'internal')
      this.#fail(`${request.operation} failed with ${message} ${(cause as Error)?.stack}`)
  }

  #fail(message: string): void {
    this.violation ??= new Violation(message)
  }
}
