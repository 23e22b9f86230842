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
  summary: 'Actions with external effects: authorised, supervised while they run, and provably stopped.',
  operations: {
    execute_action: operation({
      summary: 'Start an action with an external effect that can be stopped at any time.',
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
        target: 'the front gate',
        executor: { builtin: 'noop' },
        max_duration_ms: 1000,
        irreversible: false,
        mode: 'sync',
      },
      handle: executeAction,
    }),
    emergency_stop: operation({
      summary: 'Stop an action, everything of an agent or a device, or everything of the organization.',
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
