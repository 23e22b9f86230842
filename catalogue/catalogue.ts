// Every protocol, by name.
import type { Protocol } from '@svc/contract/protocol'
import * as protocols from './protocols.ts'

export const catalogue: readonly Protocol[] = Object.values(protocols)

/** By id in any letter case. */
export function findProtocol(id: string): Protocol | undefined {
  const name = id.toUpperCase()
  return catalogue.find((protocol) => protocol.id.toUpperCase() === name)
}
