// How a step that failed is tried again.
import { type Static, Type } from 'typebox'
import { Closed, described, ListOf } from './schema.ts'

const retries_max = 20
export const error_types_max = 32
const backoff_ms_max = 3_600_000

/** What a step failed of, as retries name it: one of its own, or a code of the engine's refusals. */
export const ErrorType = Type.String({
  pattern: '^[a-z][a-z0-9_]{0,62}$',
  description: 'What went wrong, in a word.',
})

/** How often a failed step is retried, and the confidence each retry costs. */
export const Retry = Closed(
  {
    max: Type.Integer({ minimum: 0, maximum: retries_max, description: 'Retries after the first attempt.' }),
    retry_penalty: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 1,
        default: 0.05,
        description: 'Each retry multiplies the confidence by one minus this.',
      }),
    ),
    backoff_ms: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: backoff_ms_max,
        default: 1000,
        description: 'The wait before the first retry.',
      }),
    ),
    factor: Type.Optional(
      Type.Number({
        minimum: 1,
        maximum: 10,
        default: 2,
        description: 'Each further wait is this many times the previous one, at most an hour.',
      }),
    ),
    jitter: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 1,
        default: 0,
        description: 'The random share of a wait.',
      }),
    ),
    on: Type.Optional(
      described(
        ListOf(ErrorType, 1, error_types_max),
        'Only after these errors: types that steps declare, unsuccessful, or codes such as timeout. Absent: after every failure.',
      ),
    ),
  },
  { description: 'Retries after a failure; a refusal by policy is never retried.' },
)
export type Retry = Static<typeof Retry>
