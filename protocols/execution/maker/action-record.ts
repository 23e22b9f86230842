// How an action ended, as a sentence and as an audit record of its owner, whichever engine supervised it.
import type { AuditEntry } from '@svc/contract/audit/audit-record'
import type { Stopped } from './action-executors.ts'
import type { OpenAction } from './action-store.ts'
import type { ActionEnd } from './action-watch.ts'

const how_chars_max = 200

export function finishedEntry(
  action: OpenAction,
  { state, how, error_code }: ActionEnd,
  clock: { now_ms(): number; uuid(): string },
  undone?: string,
): AuditEntry {
  const { action_id, tenant_id, owner_did, correlation_id } = action
  return {
    id: clock.uuid(),
    event_type: 'ActionFinished',
    correlation_id,
    timestamp: new Date(clock.now_ms()).toISOString(),
    tenant_id,
    caller_did: owner_did,
    protocol: 'MAKER',
    operation: 'execute_action',
    outcome: state === 'succeeded' ? 'success' : 'error',
    latency_ms: 0,
    meta: {
      action: action_id,
      state,
      // How it was stopped is our own text; why it failed may be third-party text.
      ...(state.startsWith('stop') && { how: how.slice(0, how_chars_max) }),
      ...(error_code && { error_code }),
      ...(undone && { compensation: undone }),
    },
  }
}

export const too_late: ActionEnd = {
  state: 'failed',
  how: 'its time was over before it could begin',
  error_code: 'timeout',
}

export function expired({ confirmed }: Stopped): ActionEnd {
  const state = confirmed ? 'failed' : 'stop_unconfirmed'
  return { state, how: 'took longer than max_duration_ms', error_code: 'timeout' }
}

export function stoppedByOrder(stopped: Stopped): ActionEnd {
  return endOf(stopped, 'emergency stop')
}

export function endOf(stopped: Stopped, why: string): ActionEnd {
  return stopped.confirmed
    ? { state: 'stopped', how: `${why}: ${stopped.how}`, error_code: null }
    : { state: 'stop_unconfirmed', how: `${why}: ${stopped.why}`, error_code: 'internal' }
}
