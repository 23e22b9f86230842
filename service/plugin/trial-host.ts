// A stand-in for the engine in `svc-engine plugin test`: answers calls from a file, within the manifest's capabilities, and records output.
import { readFileSync } from 'node:fs'
import { capabilityFor, namesThatGrant } from '@svc/contract/authority/capability'
import type { InvokeContext } from '@svc/contract/invoke-context'
import type { Need } from '@svc/contract/needs/needs'
import type { OperationContext } from '@svc/contract/operation-context'
import { type Refusal, refuse } from '@svc/contract/refusal'
import { ConfigError } from '../settings/config-error.ts'

/** Outputs by `PROTOCOL.operation`. */
export type Answers = Readonly<Record<string, unknown>>

export interface TrialHost {
  /** One line per message of the plugin. */
  readonly heard: readonly string[]
  hear(line: string): void
  /** The part of a call that the engine's plugin endpoint uses. */
  contextOf(invoke: InvokeContext): OperationContext<Need>
}

const heard_max = 1_000

export function readAnswers(file: string | undefined): Answers {
  if (file === undefined) return {}
  const what = 'it must be a JSON object with outputs by PROTOCOL.operation.'
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    throw new ConfigError(
      `--calls names ${file}, which cannot be read (${(error as Error).message}); ${what}`,
    )
  }
  const answers = objectIn(text)
  if (!answers) throw new ConfigError(`--calls cannot use ${file}; ${what}`)
  return answers
}

function objectIn(text: string): Answers | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined
  } catch {
    return undefined
  }
}

export function trialHost(answers: Answers): TrialHost {
  const heard: string[] = []
  const hear = (line: string) => {
    if (heard.length < heard_max) heard.push(line)
  }
  const call: OperationContext['call'] = async (protocol, operation, input, listed = []) => {
    const name = `${protocol}.${operation}`
    hear(`call ${name} ${JSON.stringify(input)}`)
    const capability = capabilityFor(protocol, operation)
    if (!namesThatGrant(capability).some((each) => listed.includes(each)))
      throw denied(`The manifest does not list ${capability} as an integration of kind capability.`)
    if (Object.hasOwn(answers, name)) return answers[name]
    throw denied(`The test has no answer for ${name}; pass one with --calls.`)
  }
  const contextOf = (invoke: InvokeContext) => {
    const touched: Pick<
      OperationContext,
      'invoke' | 'tenant_id' | 'metadata' | 'call' | 'audit' | 'progress'
    > = {
      invoke,
      tenant_id: invoke.tenant_id,
      metadata: {},
      call,
      audit: (event_type, _, more) => {
        hear(`audit ${event_type} ${JSON.stringify(more?.supplied ?? {})}`)
        return { tenant_id: invoke.tenant_id, record_id: '', correlation_id: invoke.correlation_id }
      },
      progress: ({ message, fraction }) => {
        hear(`progress ${fraction ?? '-'} ${message}`)
        return 'sent'
      },
    }
    return touched as OperationContext<Need>
  }
  return { heard, hear, contextOf }
}

function denied(message: string): Refusal {
  return refuse('capability_denied', message)
}
