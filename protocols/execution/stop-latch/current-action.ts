// The MAKER action that a call is part of.
import type { OperationContext } from '@svc/contract/operation-context'

export const action_ref_start = 'maker://action/'

/** The action a call belongs to: stopping that action also stops its calls. */
export function actionOf({ invoke }: Pick<OperationContext, 'invoke'>): string | undefined {
  const { run } = (invoke.metadata.workflow ?? {}) as { run?: unknown }
  return typeof run === 'string' && run.startsWith(action_ref_start)
    ? run.slice(action_ref_start.length)
    : undefined
}
