// A plugin as an endpoint: the call goes into the sandbox, and the plugin's requests to its host go through the same
// context as a native module's.

import { isKnownEvent } from '@svc/contract/audit/event'
import type { OperationContext } from '@svc/contract/operation-context'
import { type Refusal, type RefusalCode, refusals, refuse, refuseForeign } from '@svc/contract/refusal'
import { canonicalJson } from '@svc/contract/signing/canonical-json'
import { asRefusal } from '@svc/database/as-refusal'
import type { Endpoint } from '@svc/engine/routing/routing'
import type { Answer, CallHost, Reply } from '../plugins/plugin-process.ts'
import type { WitRefusal } from '../plugins/sandbox/words.ts'
import { tooHeavy } from '../plugins/weigh-json.ts'
import { mappedByKeyword } from './error-keywords.ts'

export interface PluginCalls {
  run(
    call: { tenant_id: string; operation: string; payload: string; context: string; config: string },
    host: CallHost,
    deadline_ms: number,
  ): Promise<Answer>
}

export interface WasmPlugin {
  /** `name@version`. */
  readonly id: string
  /** The organization whose key signed it. */
  readonly owner_tenant_id?: string | undefined
  readonly calls: PluginCalls
  /** The names in its manifest: its own calls never exceed them. */
  readonly capabilities: readonly string[]
  config(): Readonly<Record<string, unknown>>
  deadline_ms(operation: string): number
  /** The ABI level that the plugin gets in its context. */
  readonly abi_level: string
  log(level: string, message: string, correlation_id: string): void
}

const given_max = 16
const meta_bytes_max = 16 * 1024
const log_chars_max = 2_000

export function wasmEndpoint(plugin: WasmPlugin): Endpoint {
  return {
    id: `plugin:${plugin.id}`,
    kind: 'wasm',
    ...(plugin.owner_tenant_id !== undefined && { owner_tenant_id: plugin.owner_tenant_id }),
    healthy: true,
    in_flight: 0,
    async invoke(operation, payload, context) {
      const plugin_config = plugin.config()
      const { invoke } = context
      const plugin_context = {
        ...invoke,
        metadata: { ...invoke.metadata, plugin_config, plugin_abi: plugin.abi_level },
      }
      const plugin_call = {
        tenant_id: context.tenant_id,
        operation,
        payload: JSON.stringify(payload),
        context: JSON.stringify(plugin_context),
        config: JSON.stringify(plugin_config),
      }
      const handed_refusals: Refusal[] = []
      const answer = await plugin.calls.run(
        plugin_call,
        hostFor(plugin, context, handed_refusals),
        plugin.deadline_ms(operation),
      )
      if ('late_ms' in answer) throw tooLate(plugin.id, operation, answer.late_ms)
      const request = `${operation} ${plugin_call.payload} ${JSON.stringify(invoke)}`
      return {
        data: dataIn(answer, { plugin: plugin.id, given: handed_refusals, request }),
        metadata: { ...context.metadata, plugin: plugin.id },
      }
    },
  }
}

/** Collects the refusals the plugin got, so that one it passes on keeps its identity. */
function hostFor(plugin: WasmPlugin, context: OperationContext, handed_refusals: Refusal[]): CallHost {
  const reply = async (work: () => Promise<string> | string): Promise<Reply> => {
    try {
      return { ok: await work() }
    } catch (thrown) {
      const refusal = asRefusal(thrown)
      handed_refusals.splice(0, Math.max(0, handed_refusals.length + 1 - given_max))
      handed_refusals.push(refusal)
      return { refused: toWit(refusal) }
    }
  }
  return {
    call: (protocol, operation, input) =>
      reply(async () =>
        JSON.stringify(
          await context.call(protocol, operation, jsonIn(input, 'The input of a call'), plugin.capabilities),
        ),
      ),
    audit: (event_type, meta) => reply(() => recordEvent(context, event_type, meta)),
    log: (level, message) =>
      plugin.log(level, message.slice(0, log_chars_max), context.invoke.correlation_id),
    progress: (message, fraction) =>
      context.progress({
        message: message.slice(0, log_chars_max),
        ...(fraction === undefined ? {} : { fraction: Math.min(1, Math.max(0, fraction)) }),
      }),
  }
}

function recordEvent(context: OperationContext, event_type: string, text: string): string {
  if (!event_type.startsWith('custom.') || !isKnownEvent(event_type))
    throw refuse('invalid_payload', `${event_type} is no event a plugin may record; name it custom.<word>.`, {
      reason: 'event type',
    })
  const meta = text.length > meta_bytes_max ? undefined : jsonIn(text, 'The meta of an event')
  if (typeof meta !== 'object' || meta === null || Array.isArray(meta))
    throw refuse(
      'invalid_payload',
      `The meta of an event is a JSON object of ${meta_bytes_max} bytes at most.`,
      {
        reason: 'event meta',
      },
    )
  context.audit(event_type as `custom.${string}`, {}, { supplied: meta as Record<string, unknown> })
  return ''
}

function jsonIn(text: string, what: string): unknown {
  const heavy = tooHeavy(text)
  if (heavy) throw refuse('invalid_payload', `${what} is too much: ${heavy}.`, { reason: 'too complex' })
  try {
    return JSON.parse(text)
  } catch {
    throw refuse('invalid_payload', `${what} is no JSON.`, { reason: 'not JSON' })
  }
}

function toWit({ code, message, details }: Refusal): WitRefusal {
  const { reason } = details
  return { code: witCode(code), message, reason, details: JSON.stringify(details) }
}

/**
 * Plugins built before `unavailable` existed know only the codes of their WIT: they get the nearest one, with the
 * same details.
 */
function witCode(code: RefusalCode): string {
  return code === 'unavailable' ? 'no-endpoint-available' : code.replaceAll('_', '-')
}

function tooLate(plugin: string, operation: string, late_ms: number): Refusal {
  return refuse(
    'timeout',
    `${operation} of the plugin ${plugin} did not finish within ${late_ms} ms and was stopped.`,
    {
      reason: 'deadline exceeded',
    },
  )
}

/** Which plugin got which request, and the refusals it got meanwhile. */
interface Question {
  readonly plugin: string
  readonly given: readonly Refusal[]
  /** Everything that its caller may have written. */
  readonly request: string
}

function dataIn(answer: Exclude<Answer, { late_ms: number }>, question: Question): unknown {
  const { plugin } = question
  if ('answered' in answer) return outputIn(answer.answered, plugin)
  if ('refused' in answer) throw fromWit(answer.refused, question)
  const [reason, why] =
    'trapped' in answer ? ['plugin trapped', answer.trapped] : ['plugin died', answer.died]
  throw refuse(
    'adapter_error',
    `The plugin ${plugin} failed in this call, and nothing of it was kept.`,
    { reason },
    why,
  )
}

function outputIn(text: string, plugin: string): unknown {
  const heavy = tooHeavy(text)
  if (heavy)
    throw refuse('protocol_error', `The plugin ${plugin} answered too much: ${heavy}.`, {
      reason: 'too complex',
    })
  try {
    const value: unknown = JSON.parse(text)
    // An infinite number, or a lone surrogate, can be parsed but not written again.
    canonicalJson(value)
    return value
  } catch (cause) {
    throw refuse(
      'protocol_error',
      `The plugin ${plugin} answered what is no JSON.`,
      { reason: 'not JSON' },
      cause,
    )
  }
}

/** The codes that a plugin may use; any other is a protocol error. */
const own_codes: readonly RefusalCode[] = [
  'invalid_payload',
  'policy_denied',
  'missing_capability',
  'adapter_error',
]

function fromWit(wit_refusal: WitRefusal, { plugin, given, request }: Question): Refusal {
  const code = wit_refusal.code.replaceAll('-', '_')
  const passed_on = given.find(
    (refusal) => witCode(refusal.code) === wit_refusal.code && refusal.message === wit_refusal.message,
  )
  if (passed_on) return passed_on
  const message =
    wit_refusal.message.slice(0, log_chars_max) || `The plugin ${plugin} refuses without a word.`
  const details = {
    ...detailsIn(wit_refusal.details),
    ...(wit_refusal.reason ? { reason: wit_refusal.reason.slice(0, 200) } : {}),
  }
  // "Not found" inside a module is an invalid payload, as for every other module.
  if (code === 'not_found')
    return refuseForeign('invalid_payload', message, { reason: 'not_found', ...details })
  if ((own_codes as readonly string[]).includes(code))
    return refuseForeign(code as RefusalCode, message, details)
  const is_ours = Object.hasOwn(refusals, code)
  const reason = `plugin said ${is_ours ? code : 'an unknown code'}`
  const mapped = is_ours ? undefined : mappedByKeyword(message, request)
  return refuseForeign(mapped?.code ?? 'protocol_error', message, { ...details, ...mapped?.details, reason })
}

function detailsIn(text: string | undefined): Record<string, unknown> {
  if (text === undefined || text.length > meta_bytes_max) return {}
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}
  } catch {
    return {}
  }
}
