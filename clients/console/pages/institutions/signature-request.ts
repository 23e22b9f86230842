// What the engine wants signed where it keeps no key of the caller: its refusal names the exact text.
import type { Problem } from '../../shell/use-query.ts'

export interface SignatureRequest {
  readonly text: string
  /** Stands in the text where it names a moment, and goes with the signature. */
  readonly timestamp: string | undefined
}

export interface OwnSignature {
  readonly signature: string
  readonly public_key: string
  readonly timestamp?: string
}

/** Undefined where the problem is another one. */
export function signatureRequestOf(problem: Problem): SignatureRequest | undefined {
  if (!('details' in problem) || problem.reason !== 'signature required') return undefined
  const { faults, timestamp } = problem.details
  const fault = Array.isArray(faults)
    ? faults.find(({ pointer, message }) => pointer === '/signature' && typeof message === 'string')
    : undefined
  if (!fault) return undefined
  return { text: fault.message, timestamp: typeof timestamp === 'string' ? timestamp : undefined }
}
