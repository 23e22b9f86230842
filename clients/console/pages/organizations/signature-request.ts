// If the engine holds no key of the caller, its refusal contains the exact text to sign.
import type { Problem } from '../../shell/use-query.ts'

export interface SignatureRequest {
  readonly text: string
  /** Part of the text if it contains a timestamp; sent with the signature. */
  readonly timestamp: string | undefined
}

export interface OwnSignature {
  readonly signature: string
  readonly public_key: string
  readonly timestamp?: string
}

/** Undefined for any other problem. */
export function signatureRequestOf(problem: Problem): SignatureRequest | undefined {
  if (!('details' in problem) || problem.reason !== 'signature required') return undefined
  const { faults, timestamp } = problem.details
  const fault = Array.isArray(faults)
    ? faults.find(({ pointer, message }) => pointer === '/signature' && typeof message === 'string')
    : undefined
  if (!fault) return undefined
  return { text: fault.message, timestamp: typeof timestamp === 'string' ? timestamp : undefined }
}
