// Failures of tool servers in our own words: foreign text is never repeated in a refusal.

import type { ToolServer } from '@svc/contract/foreign/tools'
import { Refusal, refuse } from '@svc/contract/refusal'
import { RefusedAddress } from '../outbound/address-guard.ts'

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

const causes_max = 8

/** Why the network rules let nothing be sent, if that is what ended it: a rule said no, and nothing failed. */
export function refusedAddress(error: unknown): string | undefined {
  let cause = error
  for (let depth = 0; depth < causes_max && cause instanceof Error; depth++) {
    if (cause instanceof RefusedAddress) return cause.message
    cause = cause.cause
  }
  return undefined
}

function addressRefused({ id }: ToolServer, reason: string, error: unknown): Refusal {
  return refuse(
    'policy_denied',
    `The tool server ${id} may not be reached: ${reason}; the operator of this engine allows networks with SVC_ALLOWED_NETWORKS.`,
    { reason, performed: 'no' },
    error,
  )
}

export function connectFailure(server: ToolServer, error: unknown): Refusal {
  if (error instanceof Refusal) return error
  const { id } = server
  const refused = refusedAddress(error)
  if (refused !== undefined) return addressRefused(server, refused, error)
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
  server: ToolServer,
  { what, is_call }: Wish,
  error: unknown,
  signal: AbortSignal,
): Refusal {
  if (error instanceof Refusal) return error
  const refused = refusedAddress(error)
  if (refused !== undefined) return addressRefused(server, refused, error)
  const request_name = `${what} of the tool server ${server.id}`
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
