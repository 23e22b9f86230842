// Connects the MCP server to this engine without HTTP, with the same eight stages, limits and answers.
import { HandleRequestInput } from '@svc/contract/dispatch'
import type { Progress } from '@svc/contract/operation-context'
import { type Refusal, refuse } from '@svc/contract/refusal'
import { asRefusal } from '@svc/database/as-refusal'
import type { Asked, Credential } from '@svc/engine/call'
import type { Outcome } from '@svc/engine/dispatch'
import type { Place } from '@svc/gateway/dispatch/admission-control'
import { errorBody } from '@svc/gateway/dispatch/answer'
import { suppliedCorrelationId, traceContextOf } from '@svc/gateway/dispatch/headers'
import {
  journalled,
  type RefusalRecorder,
  recordRefusedRequest,
} from '@svc/gateway/dispatch/refusal-recorder'
import type { McpEndpoint } from '@svc/gateway/mcp-admit'
import { describeCaller } from '@svc/gateway/whoami'
import type { ToolAnswer, ToolEngine, ToolRequest } from '@svc/mcp/engine'
import { Compile } from 'typebox/compile'
import type { ToolsFor } from './mcp-tools.ts'

const envelope = Compile(HandleRequestInput)
/** For unknown operations; stage 1 refuses them. */
const any_version = 'v1'

/** `from` is the HTTP request; a call may have a correlation id of its own. */
export function engineFor(
  dispatch_endpoint: McpEndpoint,
  toolsFor: ToolsFor,
  credential: Credential,
  from: Pick<Asked, 'correlation_id' | 'address'> = {},
): ToolEngine {
  return {
    tools: toolsFor(credential.tenant_id),
    async whoami() {
      return describeCaller(
        credential,
        await dispatch_endpoint.engine.permissions(credential),
        dispatch_endpoint.site.mcp_url,
      )
    },
    async call(request) {
      let place: Place | undefined
      const correlation_id = suppliedCorrelationId(request.correlation_id) ?? from.correlation_id
      try {
        place = dispatch_endpoint.admission?.enter(credential.tenant_id)
        return answerOf(
          await dispatch_endpoint.engine.dispatch({
            ...askedOf(request, credential),
            correlation_id,
            address: from.address,
          }),
        )
      } catch (thrown) {
        return await refuseBefore(dispatch_endpoint, asRefusal(thrown), credential, correlation_id)
      } finally {
        place?.leave()
      }
    },
  }
}

/** The call as POST /v1/dispatch would read it; its input's depth and width were limited when the message was parsed. */
function askedOf(request: ToolRequest, credential: Credential): Asked {
  const { protocol, operation, idempotency_key, traceparent, tracestate, signal, onProgress } = request
  const { version = any_version } = request
  const body = {
    protocol,
    version,
    operation,
    input: request.input,
    tenant_id: credential.tenant_id,
    ...(idempotency_key === undefined ? {} : { idempotency_key }),
  }
  if (!envelope.Check(body)) throw invalidEnvelope(body)
  const trace_context = traceContextOf({ traceparent, tracestate })
  return {
    request: body,
    credential,
    origin: 'mcp',
    body_bytes: Buffer.byteLength(JSON.stringify(body)),
    ...(trace_context ? { trace_context } : {}),
    ...(signal ? { signal } : {}),
    ...(onProgress ? { progress: (event) => progressed(onProgress, event) } : {}),
  }
}

function progressed(onProgress: NonNullable<ToolRequest['onProgress']>, event: Progress): boolean {
  onProgress({ ...event })
  return true
}

function invalidEnvelope(value: unknown): Refusal {
  const [first] = envelope.Errors(value)
  const [pointer, message] = [first?.instancePath ?? '', first?.message ?? 'does not fit']
  return refuse('invalid_request', `The call cannot be made: ${pointer || 'it'} ${message}.`, {
    reason: 'envelope',
    faults: [{ pointer, message }],
  })
}

function answerOf(outcome: Outcome): ToolAnswer {
  if (outcome.kind === 'refused') return { ok: false, error: errorBody(outcome.refusal, outcome).error }
  if (outcome.kind === 'dry_run') throw new Error('a tool call is never a dry run')
  return { ok: true, output: JSON.parse(outcome.output_text), metadata: { ...outcome.metadata } }
}

/** A request refused before the call is recorded and answered as at the dispatch endpoint. */
async function refuseBefore(
  dispatch_endpoint: RefusalRecorder,
  refusal: Refusal,
  credential: Credential,
  supplied: string | undefined,
): Promise<ToolAnswer> {
  const correlation_id = recordRefusedRequest(dispatch_endpoint, refusal, undefined, credential, supplied)
  await journalled(dispatch_endpoint)
  const audit_head = dispatch_endpoint.audit_log.head(credential.tenant_id)
  return { ok: false, error: errorBody(refusal, { correlation_id, stage: null, audit_head }).error }
}
