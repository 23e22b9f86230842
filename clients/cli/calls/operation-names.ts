// Resolves typed names to an operation. The engine may have operations this program's catalogue lacks, such as a plugin's:
// unknown names are sent as typed, with a hint.

import { nearest } from '@svc/sdk/nearest'
import { UsageError } from '../exit.ts'
import type { Completions } from './completions-data.ts'

export interface Named {
  readonly protocol: string
  readonly operation: string
  /** The catalogue's version; undefined for an unknown operation. */
  readonly version?: string
  /** The hint for an unknown operation. */
  readonly hint?: string
  /** The operation of this protocol that an unknown one is closest to. */
  readonly nearest_operation?: string
}

/** `command` is the one that takes the names, for messages. */
export function nameOperation(args: readonly string[], completions: Completions, command = 'invoke'): Named {
  const { protocols } = completions
  const [protocol_said, operation_said] = splitNames(args, completions, command)
  const protocol = sameName(protocol_said, Object.keys(protocols))
  if (protocol === undefined) {
    const near = nearest(protocol_said, Object.keys(protocols))
    return { protocol: protocol_said, operation: operation_said, hint: hintFor(protocol_said, near) }
  }
  const { version, operations } = protocols[protocol]!
  const operation = sameName(operation_said, Object.keys(operations))
  if (operation !== undefined) return { protocol, operation, version }
  const near = nearest(operation_said, Object.keys(operations))
  const hint = hintFor(`${protocol} ${operation_said}`, near && `${protocol} ${near}`)
  return { protocol, operation: operation_said, hint, ...(near && { nearest_operation: near }) }
}

/** `MAX audit_query`, or the name of its tool: `svc.max.audit_query`. */
function splitNames(args: readonly string[], { protocols }: Completions, command: string): [string, string] {
  const [first, second, ...more] = args
  if (first === undefined) throw usage(`svc ${command} needs a protocol and an operation.`, command)
  if (more.length > 0) throw usage(`svc ${command} takes two names; ${more[0]} is one too many.`, command)
  if (second !== undefined) return [first, second]
  const [, protocol, operation] = /^(?:svc\.)?([^.]+)\.(.+)$/i.exec(first) ?? []
  if (protocol !== undefined && operation !== undefined) return [protocol, operation]
  const protocol_name = sameName(first, Object.keys(protocols))
  const there_are = protocol_name ? `: ${Object.keys(protocols[protocol_name]!.operations).join(', ')}` : ''
  throw usage(`svc ${command} ${protocol_name ?? first} needs an operation as well${there_are}.`, command)
}

function usage(sentence: string, command: string): UsageError {
  const more = command === 'invoke' ? ' --outcome refused' : ''
  return new UsageError(sentence, `For example: svc ${command} MAX audit_query${more}`)
}

function sameName(word: string, names: readonly string[]): string | undefined {
  return names.find((name) => name.toLowerCase() === word.toLowerCase())
}

function hintFor(word: string, near: string | undefined): string {
  const meant = near === undefined ? '' : ` Did you mean ${near}?`
  return `${word} is not built in; checking the engine for a plugin.${meant}`
}
