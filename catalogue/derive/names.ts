// Names of protocols and operations on each surface, in one place, so that tools, schema files and types agree.

import type { OperationFacts } from '@svc/contract/operation-facts'
import type { Declaration } from '@svc/contract/protocol'

export type Side = 'request' | 'response'

export function majorOf(version: string): string {
  return /^v\d+/.exec(version)?.[0] ?? 'v1'
}

/** Below /schemas/: `max/v1/operations.max.audit_query.request.json`. */
export function schemaPath(protocol: Declaration, operation: string, side: Side): string {
  const id = protocol.id.toLowerCase()
  return `${id}/${majorOf(protocol.version)}/operations.${id}.${operation}.${side}.json`
}

/** `DelegationToken` -> `resources/delegation-token.json`. */
export function resourcePath(name: string): string {
  return `resources/${name.replace(/(?<=[a-z])(?=[A-Z])/g, '-').toLowerCase()}.json`
}

export function toolName(protocol_id: string, operation: string): string {
  return `svc.${protocol_id.toLowerCase()}.${operation}`
}

/** `MAESTRO`, `charter.declare` -> `MaestroCharterDeclare`. */
export function typeName(protocol_id: string, operation = ''): string {
  const words = [protocol_id.toLowerCase(), ...operation.split(/[._]/)]
  return words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join('')
}

/** By code unit, not by locale: the same order on every machine. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

export function sortedProtocols(protocols: readonly Declaration[]): Declaration[] {
  return [...protocols].sort((a, b) => compareText(a.id.toUpperCase(), b.id.toUpperCase()))
}

export function sortedOperations(protocol: Declaration): [string, OperationFacts][] {
  return Object.entries(protocol.operations).sort(([a], [b]) => compareText(a, b))
}
