// Needs from outside the engine: a provider each, assembled in service/assembly/needs.ts.

import type { Need, Needs } from '@svc/contract/needs/needs'
import type { OperationContext } from '@svc/contract/operation-context'
import type { Placed, Used } from '../call.ts'

/** Those the engine provides itself, see engine-needs.ts. */
export type EngineNeed =
  | 'audit_log'
  | 'authority'
  | 'budgets'
  | 'compute'
  | 'engine'
  | 'lineages'
  | 'policies'
  | 'remote'
  | 'requireApproval'
  | 'served'
  | 'standIn'
  | 'tokens'
  | 'treaties'

/** One call that needs something. */
export interface Asking {
  readonly context: OperationContext<Need> & { readonly used: Used }
  readonly call: Placed
}

export type WorldNeeds = { readonly [N in Exclude<Need, EngineNeed>]: (asking: Asking) => Needs[N] }
