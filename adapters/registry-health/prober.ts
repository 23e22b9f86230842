// Probes registered endpoints when due. Their owner decides who is due, and what a result means.
import type { Log } from '@svc/engine/ports'
import { type Probed, type ProbeOptions, probeHealth } from './probe.ts'

const taken_max = 64
const together_max = 16
const timeout_ms = 2_000

/** The turns, kept by their owner; each taken one belongs to this engine alone. */
export interface Turns<Due extends Endpoint> {
  take(now: Date, chance: number, taken_max: number): Promise<readonly Due[]>
  note(due: Due, result: Probed, at: Date): Promise<void>
}

export type ProberOptions = Pick<ProbeOptions, 'clock' | 'lookup' | 'ca'> & {
  /** Development only: whose endpoints on this machine are probed. */
  readonly loopback_tenant?: string | undefined
  readonly log: Log
}

interface Endpoint {
  readonly tenant_id: string
  readonly url: string
}

/** Takes what is due and probes it, a bounded number at a time; returns how many. */
export async function probeDue<Due extends Endpoint>(
  turns: Turns<Due>,
  options: ProberOptions,
): Promise<number> {
  const { clock } = options
  const due = await turns.take(new Date(clock.now_ms()), clock.random(), taken_max)
  const waiting = [...due]
  const askNext = async () => {
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      const loopback = next.tenant_id === options.loopback_tenant
      const result = await probeHealth(next.url, { ...options, loopback, timeout_ms })
      await noteSafely(turns, next, result, options)
    }
  }
  await Promise.all(Array.from({ length: Math.min(together_max, due.length) }, askNext))
  return due.length
}

/** One result that cannot be stored must not lose the others. */
async function noteSafely<Due extends Endpoint>(
  turns: Turns<Due>,
  due: Due,
  result: Probed,
  { clock, log }: ProberOptions,
): Promise<void> {
  try {
    await turns.note(due, result, new Date(clock.now_ms()))
  } catch (error) {
    log.warn({ err: error }, 'the health of an endpoint could not be noted')
  }
}
