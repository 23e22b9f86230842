// Sends the newest checkpoints of this engine's chains to the configured witnesses, and raises an alarm when one
// has seen another history.
import { type AddressGuard, unguarded } from '@svc/adapters/outbound/address-guard'
import { type Authorities, type Outbound, openOutbound } from '@svc/adapters/outbound/outbound'
import type { Query } from '@svc/audit/query/client-query'
import { queryOf } from '@svc/audit/query/query'
import { type DueChain, dueChains, feedCheckpoint, type SendToWitness } from '@svc/audit/witness/witness-feed'
import { type AskedWitness, endTurns, listAsked, takeTurn } from '@svc/audit/witness/witness-store'
import type { Database } from '@svc/contract/database'
import type { Clock, Log } from '@svc/engine/ports'
import type { Alarms } from './witness-alarm.ts'

const lease_s = 10
const chains_a_round_max = 200
const at_once_max = 8
const answer_ms_max = 5_000
const answer_bytes_max = 16 * 1024
const away_ms_min = 1_000
const away_ms_max = 60_000
/** Retry interval for a chain its witness does not trust or contradicts: an operator has to act first. */
const refused_ms = 60_000
const refused_max = 10_000

export interface FeederParts {
  readonly db: Database
  readonly clock: Clock
  readonly log: Log
  readonly alarms: Alarms
  readonly ca?: Authorities | undefined
  readonly guard?: AddressGuard
}

export interface Feeder {
  /** One round over all witnesses; the service runs it every second. */
  feed(): Promise<void>
  readonly cosigned: number
  readonly failed: number
  /** Aborts the current round and waits for its end. */
  close(): Promise<void>
}

interface Link {
  readonly way: Outbound
  readonly url: string
  /** Where the next round begins, so that every chain has its turn. */
  after: string
  away_until_ms: number
  away_ms: number
}

export function openFeeder(parts: FeederParts): Feeder {
  const links = new Map<string, Link>()
  const feeding = new Feeding(parts, links)
  return {
    feed: () => feeding.round(),
    get cosigned() {
      return feeding.counts.cosigned
    },
    get failed() {
      return feeding.counts.failed
    },
    async close() {
      await feeding.end()
      for (const { way } of links.values()) way.close()
    },
  }
}

class Feeding {
  readonly #parts: FeederParts
  readonly #query: Query
  readonly #links: Map<string, Link>
  /** Earliest next attempt, by witness and tenant. */
  readonly #resting = new Map<string, number>()
  readonly #engine_id: string
  readonly #ending = new AbortController()
  #under_way: Promise<void> | undefined
  readonly counts = { cosigned: 0, alarm: 0, failed: 0, unknown: 0, untrusted: 0 }

  constructor(parts: FeederParts, links: Map<string, Link>) {
    this.#parts = parts
    this.#engine_id = parts.clock.uuid()
    this.#query = queryOf(parts.db)
    this.#links = links
  }

  round(): Promise<void> {
    this.#under_way = this.#feedAll()
    return this.#under_way
  }

  async end(): Promise<void> {
    this.#ending.abort()
    await this.#under_way?.catch(() => {})
    await endTurns(this.#query, this.#engine_id).catch(() => {})
  }

  async #feedAll(): Promise<void> {
    const witnesses = await listAsked(this.#query)
    await Promise.all(witnesses.map((witness) => this.#feedWitness(witness)))
  }

  async #feedWitness(witness: AskedWitness): Promise<void> {
    const link = this.#linkTo(witness)
    if (this.#now() < link.away_until_ms) return
    if (!(await takeTurn(this.#query, witness, this.#engine_id, lease_s))) return
    const due = await dueChains(this.#query, witness, link.after, chains_a_round_max)
    link.after = due.length < chains_a_round_max ? '' : due.at(-1)!.tenant_id
    const ready = due.filter(
      ({ tenant_id }) => this.#now() >= (this.#resting.get(keyOf(witness, tenant_id)) ?? 0),
    )
    let next = 0
    const work = async () => {
      while (next < ready.length && this.#now() >= link.away_until_ms && !this.#ending.signal.aborted) {
        await this.#feedChain(witness, link, ready[next++]!)
      }
    }
    await Promise.all(Array.from({ length: at_once_max }, work))
  }

  async #feedChain(witness: AskedWitness, link: Link, chain: DueChain): Promise<void> {
    const fed = await feedCheckpoint(this.#query, witness, chain, sendBy(link.way, this.#ending.signal))
    this.counts[fed.kind]++
    const { witness_name } = witness
    const { tenant_id } = chain
    if (fed.kind === 'cosigned') {
      link.away_ms = 0
      return this.#parts.alarms.end(witness_name, tenant_id)
    }
    if (this.#ending.signal.aborted) return
    if (fed.kind === 'failed') return this.#leaveAlone(witness, link, fed.why)
    if (this.#resting.size >= refused_max) this.#resting.clear()
    this.#resting.set(keyOf(witness, tenant_id), this.#now() + refused_ms)
    if (fed.kind === 'alarm') {
      const { why, held_size, own_size } = fed
      return await this.#parts.alarms.raise({ witness_name, tenant_id, why, held_size, own_size })
    }
    const advice = 'its operator must trust the origin and public key of this chain'
    this.#parts.log.warn(
      { witness_name, tenant_id, answer: fed.kind, why: fed.why },
      `a witness does not cosign this chain; ${advice}`,
    )
  }

  #leaveAlone({ witness_name }: AskedWitness, link: Link, why: string): void {
    const { clock, log } = this.#parts
    link.away_ms = Math.min(Math.max(link.away_ms * 2, away_ms_min), away_ms_max)
    link.away_until_ms = this.#now() + link.away_ms * (0.5 + clock.random() / 2)
    log.warn({ witness_name, why }, 'a witness cannot be reached; trying again')
  }

  #linkTo(witness: AskedWitness): Link {
    const key = keyOf(witness, '')
    const there = this.#links.get(key)
    if (there?.url === witness.url) return there
    there?.way.close()
    const { guard = unguarded, ca } = this.#parts
    const link: Link = {
      way: openOutbound(witness.url, { guard, ca }),
      url: witness.url,
      after: '',
      away_until_ms: 0,
      away_ms: 0,
    }
    this.#links.set(key, link)
    return link
  }

  #now(): number {
    return this.#parts.clock.monotonic_ms()
  }
}

function keyOf({ witness_name, key_id }: AskedWitness, tenant_id: string): string {
  return `${witness_name} ${key_id} ${tenant_id}`
}

function sendBy(way: Outbound, signal: AbortSignal): SendToWitness {
  return async (body, route) => {
    const headers = { 'content-type': 'text/plain; charset=utf-8', accept: 'text/plain' }
    const bounds = { timeout_ms: answer_ms_max, answer_bytes_max, signal }
    const answer = await way.send({ method: 'POST', path: `/${route}`, headers, body, ...bounds })
    return { status: answer.status, type: answer.header('content-type'), body: answer.body.toString('utf8') }
  }
}
