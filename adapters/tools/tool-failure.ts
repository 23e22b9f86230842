// Failures of tool servers in our own words: foreign text is never repeated in a refusal.

import type { ToolServer } from '@svc/contract/foreign/tools'
import { Refusal, refuse } from '@svc/contract/refusal'

type Kind = 'answered' | 'late' | 'broken'

/** A failure as the connection knows it; `fault` is our own wording, or the system's error code. */
export class ToolFault extends Error {
  /** A server that answers is healthy, whatever it answers. */
  readonly kind: Kind
  readonly fault: string
  /** Whether the tool may have run although no answer came. */
  readonly performed: 'no' | 'unknown'
  constructor(kind: Kind, fault: string, performed: 'no' | 'unknown', cause: unknown) {
    super(fault, { cause })
    this.kind = kind
    this.fault = fault
    this.performed = performed
  }
}

export function connectFailure({ id }: ToolServer, error: unknown): Refusal {
  if (error instanceof Refusal) return error
  return refuse(
    'adapter_error',
    `The tool server ${id} could not be connected to: ${faultOf(error)}; nothing was asked of it.`,
    { reason: 'server unreachable', performed: 'no' },
    error,
  )
}

/** What was requested; only a call can have been performed. */
export interface Wish {
  readonly what: string
  readonly is_call: boolean
}

export function callFailure(
  { id }: ToolServer,
  { what, is_call }: Wish,
  error: unknown,
  signal: AbortSignal,
): Refusal {
  if (error instanceof Refusal) return error
  const request_name = `${what} of the tool server ${id}`
  const fault = error instanceof ToolFault ? error : undefined
  const performed = is_call ? (fault?.performed ?? 'unknown') : 'no'
  const after =
    performed === 'no' ? 'nothing was performed' : 'it may have been performed: look before you repeat it'
  if (signal.aborted)
    return refuse(
      'timeout',
      `${request_name} was cancelled before it answered; ${after}.`,
      { reason: 'cancelled', performed },
      error,
    )
  if (fault?.kind === 'late')
    return refuse(
      'timeout',
      `${request_name} did not answer in time and was cancelled; ${after}.`,
      { reason: 'tool timeout', performed },
      error,
    )
  return refuse(
    'adapter_error',
    `${request_name} failed: ${faultOf(error)}; ${after}.`,
    { reason: 'tool failed', performed },
    error,
  )
}

/** Whether a failure means that the server is unhealthy. */
export function isServerFault(error: unknown): boolean {
  return !(error instanceof ToolFault && error.kind === 'answered')
}

function faultOf(error: unknown): string {
  return error instanceof ToolFault ? error.fault : 'no connection'
}
