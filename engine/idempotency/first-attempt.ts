// Whether a call with a key may run before the key is claimed.
import type { Need } from '@svc/contract/needs/needs'
import type { Operation } from '@svc/contract/protocol'
import type { Placed } from '../call.ts'

/** They read, or only prepare what is committed with the operation; none acts outside of its transaction, and none takes long. */
const harmless: ReadonlySet<Need> = new Set<Need>([
  'authority',
  'charter',
  'engine',
  'lineages',
  'policies',
  'requireAuthority',
  'served',
  'standIn',
  'treaties',
  'vault',
])

/** The caller vouches that the key is new, and nothing of the operation is done before its commit. */
export function isFirst({ asked, operation }: Placed): boolean {
  if (asked.is_first !== true) return false
  // The facts of a bundled operation are its definition.
  const { needs = [] } = operation.facts as Partial<Pick<Operation, 'needs'>>
  return needs.every((need) => harmless.has(need))
}
