// The host of `svc-engine plugin test`: answers calls from a file, within the manifest's capabilities, and keeps what it was told.
import { existsSync, readFileSync } from 'node:fs'
import type { CallHost, Reply } from '@svc/adapters/plugins/plugin-process'
import { capabilityFor, namesThatGrant } from '@svc/contract/capability'
import type { PluginManifest } from '@svc/contract/plugin-manifest'
import { ConfigError } from '../config-error.ts'

/** Outputs by `PROTOCOL.operation`. */
export type Answers = Readonly<Record<string, unknown>>

export interface TrialHost extends CallHost {
  /** One line for each thing the plugin said. */
  readonly heard: readonly string[]
}

const heard_max = 1_000

export function readAnswers(file: string | undefined): Answers {
  if (file === undefined) return {}
  if (!existsSync(file))
    throw new ConfigError(
      `--calls names ${file}, which is not there; it holds outputs by PROTOCOL.operation.`,
    )
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    throw new ConfigError(`${file} is no JSON; it holds outputs by PROTOCOL.operation.`)
  }
}

export function trialHost({ plugin }: PluginManifest, answers: Answers): TrialHost {
  const heard: string[] = []
  const hear = (line: string) => {
    if (heard.length < heard_max) heard.push(line)
  }
  const listed = Object.values(plugin.integrations ?? {})
    .filter(({ kind }) => kind === 'capability')
    .map(({ endpoint }) => endpoint)
  return {
    heard,
    async call(protocol, operation, input) {
      hear(`call ${protocol}.${operation} ${input}`)
      const capability = capabilityFor(protocol, operation)
      if (!namesThatGrant(capability).some((name) => listed.includes(name)))
        return denied(`The manifest does not list ${capability} as an integration of kind capability.`)
      const name = `${protocol}.${operation}`
      if (Object.hasOwn(answers, name)) return { ok: JSON.stringify(answers[name]) }
      return denied(`The test has no answer for ${name}; give one with --calls.`)
    },
    async audit(event_type, meta) {
      hear(`audit ${event_type} ${meta}`)
      if (event_type.startsWith('custom.')) return { ok: '' }
      return {
        refused: {
          code: 'invalid-payload',
          message: `${event_type} is no custom. event.`,
          reason: 'event type',
        },
      }
    },
    log: (level, message) => hear(`log ${level} ${message}`),
    progress: (message, fraction) => hear(`progress ${fraction ?? '-'} ${message}`),
  }
}

function denied(message: string): Reply {
  return { refused: { code: 'capability-denied', message } }
}
