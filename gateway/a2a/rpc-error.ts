// Errors of A2A over JSON-RPC. A refusal of the engine keeps its code, reason and sentence in `data`.
import type { ErrorBody } from '@svc/contract/dispatch'

export type EngineError = ErrorBody['error']

/** By the names of the specification: the JSON-RPC code, and the reason in ErrorInfo. */
const kinds = {
  parse_error: [-32700, 'PARSE_ERROR'],
  invalid_request: [-32600, 'INVALID_REQUEST'],
  method_not_found: [-32601, 'METHOD_NOT_FOUND'],
  invalid_params: [-32602, 'INVALID_PARAMS'],
  internal: [-32603, 'INTERNAL_ERROR'],
  /** JSON-RPC leaves this code to servers, and A2A does not use it. */
  refused: [-32000, 'REFUSED'],
  task_not_found: [-32001, 'TASK_NOT_FOUND'],
  task_not_cancelable: [-32002, 'TASK_NOT_CANCELABLE'],
  push_notification_not_supported: [-32003, 'PUSH_NOTIFICATION_NOT_SUPPORTED'],
  unsupported_operation: [-32004, 'UNSUPPORTED_OPERATION'],
  content_type_not_supported: [-32005, 'CONTENT_TYPE_NOT_SUPPORTED'],
  version_not_supported: [-32009, 'VERSION_NOT_SUPPORTED'],
} as const
export type ErrorKind = keyof typeof kinds

const info_type = 'type.googleapis.com/google.rpc.ErrorInfo'
const struct_type = 'type.googleapis.com/google.protobuf.Struct'

export class RpcError extends Error {
  readonly kind: ErrorKind
  readonly engine_error: EngineError | undefined
  readonly status: number
  constructor(kind: ErrorKind, sentence: string, engine_error?: EngineError, status = 200) {
    super(sentence)
    this.kind = kind
    this.engine_error = engine_error
    this.status = status
  }

  toJSON() {
    const [code, reason] = kinds[this.kind]
    const { engine_error } = this
    const metadata = engine_error && {
      code: engine_error.code,
      ...(engine_error.reason !== null && { reason: engine_error.reason }),
      ...(engine_error.correlation_id !== null && { correlation_id: engine_error.correlation_id }),
    }
    const info = {
      '@type': info_type,
      reason,
      domain: 'a2a-protocol.org',
      ...(metadata && { metadata }),
    }
    const whole = engine_error && { '@type': struct_type, value: engine_error }
    return { code, message: this.message, data: whole ? [info, whole] : [info] }
  }
}

/** Codes whose status tells clients and proxies something: who may not, and who must wait. */
const telling_statuses: readonly number[] = [401, 403, 429, 503]

/** What a task method cannot do with its task. */
export type EndedTask = 'task_not_cancelable' | 'unsupported_operation'

/** `is_about_task`: a missing thing is the task, not the agent. */
export function engineRefusal(
  error: EngineError,
  status: number,
  { is_about_task, ended }: { readonly is_about_task: boolean; readonly ended: EndedTask },
): RpcError {
  const { code, reason, message, details } = error
  if (reason === 'task ended') return new RpcError(ended, message, error)
  const faults = (details.faults ?? []) as readonly { readonly pointer: string }[]
  const is_no_id = faults.some(({ pointer }) => pointer === '/task_id')
  if (is_about_task && (reason === 'not_found' || is_no_id))
    return new RpcError('task_not_found', message, error)
  if (code === 'invalid_payload' || code === 'payload_too_large')
    return new RpcError('invalid_params', message, error)
  if (code === 'invalid_request') return new RpcError('invalid_request', message, error)
  if (code === 'internal') return new RpcError('internal', message, error)
  return new RpcError('refused', message, error, telling_statuses.includes(status) ? status : 200)
}
