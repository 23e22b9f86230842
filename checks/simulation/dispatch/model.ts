// The plain model of dispatch: what was sent, what was answered, and what the audit log must therefore hold.

import { readTenants } from '../../../audit/pages/read-records.ts'
import { clientQuery } from '../../../audit/query/client-query.ts'
import type { SimulationDatabase } from '../database.ts'
import { Violation } from '../world.ts'

/** One arrival of a request at an engine; repeated and doubled requests are attempts of their own. */
export interface Attempt {
  readonly id: string
  readonly tenant_id: string
  readonly operation: 'happen' | 'act'
  readonly key: string | undefined
  readonly process_name: string
  readonly began_ms: number
  handler_began_ms: number | undefined
  handler_ended: boolean
  answer: Answer | undefined
}

export type Answer =
  | {
      readonly kind: 'success'
      readonly output: string
      readonly is_replayed: boolean
      readonly record_id: string
    }
  | {
      readonly kind: 'refused'
      readonly code: string
      readonly stage: number
      /** The caller was told that it may have been done all the same. */
      readonly may_be_done: boolean
      /** Null where it was only counted. */
      readonly record_id: string | null
      readonly record_correlation_id: string
    }

interface RecordBody {
  readonly id: string
  readonly event_type: string
  readonly correlation_id: string
  readonly outcome: string
  readonly meta: { readonly count?: number; readonly usage?: { readonly quanta: string } }
}

/** How long a claim of a key lasts at least beyond the deadline of its operation: it may begin half of the 10 s later. */
const slack_ms = 5_000

export class DispatchModel {
  readonly #database: SimulationDatabase
  readonly #tenant_ids: readonly string[]
  readonly attempts = new Map<string, Attempt>()
  /** At an engine and not answered, also where no attempt has begun: it may still wait for the audit log. */
  readonly #requests = new Set<{ readonly process_name: string }>()
  readonly #by_key = new Map<string, Attempt[]>()
  readonly #effects = new Map<string, Attempt>()
  readonly #effects_of_keys = new Map<string, Attempt>()
  /** Records of decisions, by the attempt's id. */
  readonly #decisions = new Map<string, RecordBody>()
  readonly #record_ids = new Set<string>()
  readonly #correlation_ids = new Set<string>()
  readonly #seqs = new Map<string, number>()
  #counted = 0
  #checked_changes = -1
  /** What was charged, by tenant. */
  readonly spent_quanta = new Map<string, bigint>()

  constructor(database: SimulationDatabase, tenant_ids: readonly string[]) {
    this.#database = database
    this.#tenant_ids = tenant_ids
  }

  async answering<Result>(process_name: string, answer: () => Promise<Result>): Promise<Result> {
    const request = { process_name }
    this.#requests.add(request)
    try {
      return await answer()
    } finally {
      this.#requests.delete(request)
    }
  }

  begin(attempt: Omit<Attempt, 'handler_began_ms' | 'handler_ended' | 'answer'>): Attempt {
    const begun: Attempt = {
      ...attempt,
      handler_began_ms: undefined,
      handler_ended: false,
      answer: undefined,
    }
    this.attempts.set(begun.id, begun)
    const name = keyOf(begun)
    if (name) this.#by_key.set(name, [...this.#sameKey(begun), begun])
    return begun
  }

  /** A key is claimed by one attempt at a time, and never again once it has its answer. */
  handlerBegan(id: string, now_ms: number, deadline_ms: number): void {
    const attempt = this.attempts.get(id)!
    if (attempt.handler_began_ms !== undefined) throw new Violation(`${nameOf(attempt)} ran twice`)
    attempt.handler_began_ms = now_ms
    for (const other of this.#sameKey(attempt)) {
      if (other === attempt || other.handler_began_ms === undefined) continue
      if (other.answer?.kind === 'success')
        throw new Violation(`${nameOf(attempt)} ran again after the answer of ${nameOf(other)}`)
      if (attempt.operation !== 'act' || other.operation !== 'act') continue
      const is_over = other.handler_ended || other.answer
      if (!is_over && now_ms < other.handler_began_ms + deadline_ms + slack_ms)
        throw new Violation(`${nameOf(attempt)} ran while the claim of ${nameOf(other)} lasted`)
    }
  }

  conclude(attempt: Attempt, answer: Answer): void {
    attempt.answer = answer
    this.#checkAnswer(attempt)
    if (answer.kind === 'refused') return
    for (const other of this.#sameKey(attempt)) {
      if (other.answer?.kind !== 'success' || other === attempt) continue
      if (other.answer.output !== answer.output)
        throw new Violation(`${nameOf(attempt)} and ${nameOf(other)} got different answers`)
      if (!other.answer.is_replayed && !answer.is_replayed)
        throw new Violation(`${nameOf(attempt)} and ${nameOf(other)} were both executed`)
    }
  }

  async check(): Promise<void> {
    const { changes } = this.#database
    if (changes === this.#checked_changes) return
    this.#checked_changes = changes
    const ranges = this.#tenant_ids.map((tenant_id) => ({
      tenant_id,
      from_seq: (this.#seqs.get(tenant_id) ?? 0) + 1,
      to_seq: Number.MAX_SAFE_INTEGER,
    }))
    const records = await readTenants(clientQuery(this.#database.control), ranges)
    for (const { tenant_id, seq, body } of records) {
      this.#seqs.set(tenant_id, seq)
      this.#read(tenant_id, JSON.parse(body!))
    }
  }

  /** Once everything has ended: each answer has its record and each success its effect. */
  async checkEnd(engines_were_killed: boolean): Promise<void> {
    await this.check()
    let counted = 0
    for (const attempt of this.attempts.values()) {
      const { answer } = attempt
      if (!answer) continue
      if (answer.kind === 'refused' && answer.record_id === null) {
        counted++
        if (!this.#correlation_ids.has(answer.record_correlation_id))
          throw new Violation(`the counted refusal of ${nameOf(attempt)} has no record`)
      } else if (this.#decisions.get(attempt.id)?.id !== answer.record_id)
        throw new Violation(`the answer to ${nameOf(attempt)} has no record (${JSON.stringify(answer)})`)
      if (answer.kind === 'success') this.#requireEffect(attempt)
    }
    if (this.#counted > counted || (this.lacksCounts && !engines_were_killed))
      throw new Violation(`${counted} refusals were counted, the records say ${this.#counted}`)
  }

  /** Refusals that were counted, and are in no record yet. */
  get lacksCounts(): boolean {
    const answers = [...this.attempts.values()].map(({ answer }) => answer)
    return (
      answers.filter((answer) => answer?.kind === 'refused' && answer.record_id === null).length >
      this.#counted
    )
  }

  /** Answered with success, and its record is not in the chain yet. */
  uncommitted(tenant_id: string): number {
    let count = 0
    for (const { id, answer, tenant_id: of } of this.attempts.values())
      if (of === tenant_id && answer?.kind === 'success' && !this.#decisions.has(id)) count++
    return count
  }

  /** Arrived at an engine and not answered; those of a dead process never will be. */
  underWay(tenant_id: string, isAlive: (process_name: string) => boolean): Attempt[] {
    return [...this.attempts.values()].filter(
      (one) => one.tenant_id === tenant_id && !one.answer && isAlive(one.process_name),
    )
  }

  /** Nothing more is charged, unless a request arrives. */
  isQuiet(isAlive: (process_name: string) => boolean): boolean {
    for (const { process_name } of this.#requests) if (isAlive(process_name)) return false
    return this.#tenant_ids.every((id) => this.underWay(id, isAlive).length === 0)
  }

  get summary(): string {
    const answers = [...this.attempts.values()].map(({ answer }) =>
      answer?.kind === 'refused' ? answer.code : (answer?.kind ?? 'none'),
    )
    const sums = Object.entries(Object.groupBy(answers, (name) => name))
    return `${sums.map(([name, all]) => `${name} ${all!.length}`).join(', ')}; ${this.#effects.size} effects`
  }

  #read(tenant_id: string, record: RecordBody): void {
    const { id, event_type, correlation_id, outcome, meta } = record
    if (this.#record_ids.has(id)) throw new Violation(`the record ${id} is in the chain twice`)
    this.#record_ids.add(id)
    this.#correlation_ids.add(correlation_id)
    if (meta.count !== undefined) {
      this.#counted += meta.count
      return
    }
    const attempt = this.attempts.get(correlation_id)
    if (attempt?.tenant_id !== tenant_id)
      throw new Violation(`the record ${id} is of a call that nobody made`)
    if (event_type === 'custom.effect') {
      this.#addEffect(attempt)
      return
    }
    if (this.#decisions.has(attempt.id)) throw new Violation(`${nameOf(attempt)} has two records`)
    this.#decisions.set(attempt.id, record)
    const { answer } = attempt
    if (answer && (answer.kind === 'success') !== (outcome === 'success'))
      throw new Violation(`${nameOf(attempt)} was answered with ${answer.kind} and recorded as ${outcome}`)
    const quanta = BigInt(meta.usage?.quanta ?? 0)
    if (quanta > 0n && answer?.kind === 'success' && answer.is_replayed)
      throw new Violation(`${nameOf(attempt)} was replayed and charged`)
    this.spent_quanta.set(tenant_id, (this.spent_quanta.get(tenant_id) ?? 0n) + quanta)
  }

  #addEffect(attempt: Attempt): void {
    if (this.#effects.has(attempt.id)) throw new Violation(`${nameOf(attempt)} had two effects`)
    this.#effects.set(attempt.id, attempt)
    const name = keyOf(attempt)
    const other = name && this.#effects_of_keys.get(name)
    if (other) throw new Violation(`the key of ${nameOf(attempt)} had an effect by ${nameOf(other)} already`)
    if (name) this.#effects_of_keys.set(name, attempt)
    this.#checkAnswer(attempt)
  }

  /** A refused call has no effect, unless the caller was told that it may. */
  #checkAnswer(attempt: Attempt): void {
    const { answer } = attempt
    if (answer?.kind === 'refused' && !answer.may_be_done && this.#effects.has(attempt.id))
      throw new Violation(`${nameOf(attempt)} was refused with ${answer.code}, and had its effect`)
  }

  #requireEffect(attempt: Attempt): void {
    const name = keyOf(attempt)
    const is_replayed = attempt.answer?.kind === 'success' && attempt.answer.is_replayed
    const effect = is_replayed ? this.#effects_of_keys.get(name!) : this.#effects.get(attempt.id)
    if (!effect) throw new Violation(`${nameOf(attempt)} succeeded without an effect`)
  }

  #sameKey(attempt: Attempt): readonly Attempt[] {
    const name = keyOf(attempt)
    return (name && this.#by_key.get(name)) || []
  }
}

function keyOf({ tenant_id, key }: Attempt): string | undefined {
  return key === undefined ? undefined : `${tenant_id} ${key}`
}

function nameOf({ id, key, process_name, operation }: Attempt): string {
  return `${operation} ${id.slice(0, 8)} (${key ?? 'no key'}, ${process_name})`
}
