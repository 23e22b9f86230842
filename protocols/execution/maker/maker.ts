import { operation, protocol } from '@svc/contract/protocol'
import { ActionAsk } from './action.ts'
import { StopInput, StopOutput, stopActions } from './emergency-stop.ts'
import { ActionView, executeAction } from './execute-action.ts'

export const maker = protocol({
  id: 'MAKER',
  version: 'v1.0.0',
  plane: 'execution',
  estate: 'protocol',
  rate: 'standard',
  category: 'svc-infrastructure',
  summary: 'Actions in the world: begun with leave, watched while they run, and stopped for real.',
  operations: {
    execute_action: operation({
      summary: 'Do this, for real, stoppably.',
      effect: 'write',
      level: 'L1',
      meters: ['seconds'],
      deadline_ms: 30_000,
      acts_outside: true,
      secret_output: true,
      needs: ['change_notifications', 'requireAuthority', 'standIn', 'vault'],
      input: ActionAsk,
      output: ActionView,
      example: {
        action_kind: 'check.in',
        target: 'the door',
        executor: { builtin: 'noop' },
        max_duration_ms: 1000,
        irreversible: false,
        mode: 'sync',
      },
      handle: executeAction,
    }),
    emergency_stop: operation({
      summary: 'Stop it now: an action, all of an agent or a device, or everything of the organization.',
      effect: 'write',
      level: 'L0',
      meters: ['seconds'],
      exempt: true,
      essential: true,
      outlives: true,
      deadline_ms: 25_000,
      needs: ['devices', 'change_notifications', 'requireAuthority'],
      input: StopInput,
      output: StopOutput,
      example: {
        scope: 'agent',
        scope_id: `did:oas:dev:agent:${'0'.repeat(64)}`,
        reason: 'It does not answer any more.',
      },
      handle: stopActions,
    }),
  },
})
