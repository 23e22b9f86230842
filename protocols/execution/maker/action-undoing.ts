// Compensates failed or stopped actions with the workflow their owner named.
import type { Vault } from '@svc/contract/needs/vault'
import { asRefusal } from '@svc/database/as-refusal'
import { action_ref_start } from '../stop-latch/api.ts'
import type { Means } from './action-executors.ts'
import type { OpenAction } from './action-store.ts'
import type { ActionEnd } from './action-watch.ts'

const start_ms_max = 30_000

interface Undoing extends Pick<Means, 'perform'> {
  vaultOf(tenant_id: string): Vault
  readonly onFailure: (error: unknown, action_id: string) => void
}

/** Not while the action may still run. Returns the result, for the audit log. */
export async function startUndoing(
  action: OpenAction,
  { state }: ActionEnd,
  { perform, vaultOf, onFailure }: Undoing,
): Promise<string | undefined> {
  const { tenant_id, action_id, ask, acting, stop_ref } = action
  const is_done = state === 'succeeded' && stop_ref === null
  if (!ask.compensation || is_done || state === 'stop_unconfirmed') return undefined
  const input = {
    action: 'start',
    ...ask.compensation,
    // Nobody else can tell it: a run that was started under it before would stand in for the undoing.
    run_key: `undo ${vaultOf(tenant_id).blind(`undoing of action ${action_id}`)}`,
    input: { action_id, target: ask.target },
  }
  const workflow = { run: action_ref_start + action_id, path: 'compensation' }
  const external_effect = {
    tenant_id,
    protocol: 'MOON',
    operation: 'execute_workflow',
    input,
    acting,
    workflow,
  }
  try {
    const answer = await perform(
      { ...external_effect, timeout_ms: start_ms_max },
      new AbortController().signal,
    )
    return answer.kind === 'done' ? 'started' : `refused: ${answer.code}`
  } catch (error) {
    onFailure(error, action_id)
    return `refused: ${asRefusal(error).code}`
  }
}
