// How an outside service implements a protocol: the engine calls its POST /invoke and watches its GET /health.
import { type Static, Type } from 'typebox'
import { Closed, Did, Hash, ListOf, OneOf } from '../schema.ts'

/** Whether every answer must carry the service's signature, or is trusted by its address. */
export const AnswerProof = OneOf('signed', 'unsigned')
export type AnswerProof = Static<typeof AnswerProof>

const number_form = '(0|[1-9]\\d{0,5})'

export const ExternalProtocolRegistration = Closed(
  {
    // Letters only: the name is part of each of its capabilities, which allow nothing else there.
    name: Type.String({ pattern: '^[A-Za-z]{1,32}$', description: 'Protocol id it answers for.' }),
    version: Type.String({
      pattern: `^v${number_form}\\.${number_form}\\.${number_form}(-[0-9A-Za-z-]{1,32}(\\.[0-9A-Za-z-]{1,32}){0,3})?$`,
    }),
    endpoint: Type.String({ pattern: '^https?://[^\\s/?#@]+(/[^\\s@?#]*)?$', maxLength: 512 }),
    timeout: Type.String({
      pattern: '^[1-9]\\d{0,5}(ms|s|m)$',
      description: 'A duration such as 30s, at most 10m.',
    }),
    operations: ListOf(
      Type.String({ pattern: '^[a-z][a-z0-9_]*(\\.[a-z][a-z0-9_]*)*$', maxLength: 88 }),
      1,
      256,
    ),
    auth: Type.Union([
      Closed({ kind: Type.Literal('did-auth'), did: Did }),
      Closed({ kind: Type.Literal('treaty'), did: Did, treaty_id: Hash }),
    ]),
    answers: Type.Optional(AnswerProof),
  },
  { description: 'A service outside the engine that answers for a protocol.' },
)
export type ExternalProtocolRegistration = Static<typeof ExternalProtocolRegistration>

/** Carries the service's signature over its answer, in the form of an Authorization header. */
export const answer_signature_header = 'x-svc-signature'

const timeout_ms_max = 600_000
const units_ms = { ms: 1, s: 1_000, m: 60_000 } as const

/** Undefined for an invalid duration, and for more than ten minutes. */
export function timeoutMs(text: string): number | undefined {
  const parts = /^([1-9]\d{0,5})(ms|s|m)$/.exec(text)
  const ms = parts ? Number(parts[1]) * units_ms[parts[2] as keyof typeof units_ms] : 0
  return ms > 0 && ms <= timeout_ms_max ? ms : undefined
}

/** The largest unit that needs no fraction. */
export function timeoutText(ms: number): string {
  if (ms % units_ms.m === 0) return `${ms / units_ms.m}m`
  return ms % units_ms.s === 0 ? `${ms / units_ms.s}s` : `${ms}ms`
}
