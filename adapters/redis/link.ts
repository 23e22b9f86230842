// One connection to Redis, or none: a caller who would wait too long is answered at once, and reconnecting runs in
// the background.
import { hash } from 'node:crypto'
import type { ClientTls } from '@svc/contract/client-tls'
import type { Log } from '@svc/engine/ports'
import { system_clock } from '../clock/system.ts'
import { lookWhileAwake, step_ms_max } from './awake-time.ts'
import { answer_ms_max, noAnswer, openWire, type RedisPlace, type Wire } from './wire.ts'

const retry_ms_min = 50
const retry_ms_max = 1_000
/** A connection that lasted this long was good: the next failure counts as the first again. */
const steady_ms = 5_000
const in_flight_max = 10_000

export interface RedisLink {
  isUp(): boolean
  /**
   * Runs the script on keys of one slot. Undefined if nobody should wait; rejects if the link broke meanwhile. A reply
   * that `read` throws at breaks it: those after it may belong to other questions, too.
   */
  run<Reply>(
    keys: readonly string[],
    words: readonly string[],
    read: (reply: unknown) => Reply,
  ): Promise<Reply> | undefined
  /** Resolves after the first attempt, successful or not. */
  readonly tried: Promise<void>
  close(): void
}

/** `onUp` is called for every new connection, which may lead to other data than the last. */
export function openRedisLink(
  url: string,
  script: string,
  log: Log,
  onUp: () => void = () => {},
  tls: ClientTls = () => ({}),
): RedisLink {
  return new Link({ url, tls }, script, log, onUp)
}

const now_ms = () => system_clock.monotonic_ms()

class Link implements RedisLink {
  readonly tried: Promise<void>
  readonly #place: RedisPlace
  readonly #script: string
  readonly #hash: string
  readonly #log: Log
  readonly #onUp: () => void
  /** Requests in flight, and until when, in awake time. */
  readonly #waiting = new Set<{ readonly until_ms: number }>()
  #awake_ms = 0
  #is_watching = false
  #wire: Wire | undefined
  #up_since_ms = 0
  #failures = 0
  #is_closed = false
  #retry: NodeJS.Timeout | undefined

  constructor(place: RedisPlace, script: string, log: Log, onUp: () => void) {
    this.#place = place
    this.#script = script
    this.#hash = hash('sha1', script, 'hex')
    this.#log = log
    this.#onUp = onUp
    this.tried = this.#attempt()
  }

  isUp(): boolean {
    return this.#wire !== undefined
  }

  run<Reply>(
    keys: readonly string[],
    words: readonly string[],
    read: (reply: unknown) => Reply,
  ): Promise<Reply> | undefined {
    const wire = this.#wire
    return wire && this.#waiting.size < in_flight_max ? this.#send(wire, keys, words, read) : undefined
  }

  close(): void {
    this.#is_closed = true
    clearTimeout(this.#retry)
    this.#wire?.destroy()
    this.#wire = undefined
  }

  async #send<Reply>(
    wire: Wire,
    keys: readonly string[],
    words: readonly string[],
    read: (reply: unknown) => Reply,
  ): Promise<Reply> {
    const pending = { until_ms: this.#awake_ms + step_ms_max + answer_ms_max }
    this.#waiting.add(pending)
    if (!this.#is_watching) {
      this.#is_watching = true
      lookWhileAwake(this.#watch)
    }
    const [key = ''] = keys
    const rest = [String(keys.length), ...keys, ...words]
    try {
      const reply = await wire.send(key, ['EVALSHA', this.#hash, ...rest]).catch((error: Error) => {
        if (!error.message.startsWith('NOSCRIPT')) throw error
        return wire.send(key, ['EVAL', this.#script, ...rest])
      })
      return read(reply)
    } catch (error) {
      this.#broke(wire, error as Error)
      throw error
    } finally {
      this.#waiting.delete(pending)
    }
  }

  readonly #watch = (awake_ms: number): boolean => {
    this.#awake_ms += awake_ms
    const [oldest] = this.#waiting
    const is_late = oldest !== undefined && oldest.until_ms <= this.#awake_ms
    if (is_late && this.#wire) this.#broke(this.#wire, noAnswer())
    this.#is_watching = oldest !== undefined && this.#wire !== undefined
    return this.#is_watching
  }

  #broke(wire: Wire, error: Error): void {
    if (this.#wire !== wire) return
    this.#wire = undefined
    if (now_ms() - this.#up_since_ms >= steady_ms) this.#failures = 0
    wire.destroy()
    this.#log.warn({ error: error.message }, 'Redis is away; this engine counts its share of the limits')
    this.#tryLater()
  }

  #tryLater(): void {
    if (this.#is_closed) return
    const wait_ms = Math.min(retry_ms_max, retry_ms_min * 2 ** this.#failures)
    this.#failures++
    // 50 % jitter either way, so that engines do not reconnect all at once.
    this.#retry = setTimeout(() => void this.#attempt(), wait_ms * (0.5 + system_clock.random()))
  }

  async #attempt(): Promise<void> {
    try {
      const opened = await openWire(this.#place, this.#script, (error, wire) => this.#broke(wire, error))
      if (this.#is_closed) return opened.destroy()
      this.#wire = opened
      this.#up_since_ms = now_ms()
      this.#log.info({}, 'Redis counts the limits')
      this.#onUp()
    } catch (error) {
      const { message } = error as Error
      if (this.#failures === 0) this.#log.warn({ error: message }, 'Redis cannot be reached; it is tried on')
      this.#tryLater()
    }
  }
}
