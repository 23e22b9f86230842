// An Audit step of a recipe, as the call that writes it.
import type { RecipeStep } from '@svc/contract/recipe'
import type { Retry } from '@svc/contract/recipe-retry'
import { completeRetry } from './retry-delay.ts'

type AuditStep = Extract<RecipeStep, { kind: 'Audit' }>

export function auditPart({ kind, event_type, metadata }: AuditStep, retry: Retry | undefined) {
  const payload = { event_type, meta: metadata }
  const call = { protocol: 'MAX', operation: 'audit_log_entry', payload }
  return { kind, ...call, retry: completeRetry(undefined, retry) }
}
