// The W3C trace context of a call, and the metadata of its answer.
import type { AnswerHeaders } from '@svc/sdk/answer-headers'
import type { Terminal } from '../command.ts'
import { coloursOf } from '../output/colours.ts'
import { harmless } from '../output/harmless-text.ts'

const traceparent_form = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/

/** The trace of the environment if any; a new one only with --trace. */
export function traceparentOf(env: Terminal['env'], is_wanted: boolean): string | undefined {
  const { TRACEPARENT } = env
  if (TRACEPARENT !== undefined && traceparent_form.test(TRACEPARENT)) return TRACEPARENT
  return is_wanted ? `00-${randomHex(16)}-${randomHex(8)}-01` : undefined
}

export interface Traced {
  readonly sent: string | undefined
  readonly took_ms: number
  readonly outcome: string
  readonly stage: number | null
  /** Null if there was no answer. */
  readonly headers: AnswerHeaders | null
}

export function printTrace({ sent, took_ms, outcome, stage, headers }: Traced, terminal: Terminal): void {
  const { dim } = coloursOf(terminal, 'stderr')
  const limit = headers?.rate_limit
  const facts: [string, string | null | undefined][] = [
    ['sent', sent],
    ['received', headers?.traceparent],
    ['correlation', headers?.correlation_id],
    ['outcome', `${outcome}${stage === null ? '' : ` at stage ${stage}`}, after ${took_ms.toFixed(1)} ms`],
    ['rate limit', limit && `${limit.remaining} of ${limit.limit} left, resets in ${limit.reset_s} s`],
  ]
  for (const [name, text] of facts)
    if (text) terminal.err(`${dim(`trace  ${name.padEnd(11)}`)}  ${harmless(text)}\n`)
}

function randomHex(bytes: number): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(bytes))).toString('hex')
}
