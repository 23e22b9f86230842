import { operation, protocol } from '@svc/contract/protocol'
import type { SceneStep } from '@svc/contract/scene'
import { ActionAsk } from './action.ts'
import {
  ListInput,
  ListOutput,
  pageOfActions,
  readAction,
  StatusInput,
  StatusOutput,
} from './action-reading.ts'
import { StopInput, StopOutput, stopActions } from './emergency-stop.ts'
import { ActionView, executeAction } from './execute-action.ts'

const manifest_ref = `moon://manifest/${'4d'.repeat(32)}`
const action_id = '3f6c2a9e-51d7-4b0a-8e42-9c7d1b5f6a30'
const waiting_action: readonly SceneStep[] = [
  {
    call: 'MOON.submit_manifest',
    input: {
      manifest: {
        name: 'empty-the-tank',
        version: '1.0.0',
        steps: [
          { kind: 'Gate', condition: 'true', await: { after_ms: 3_600_000 }, on_true: [], on_false: [] },
        ],
      },
    },
    answer: { manifest_ref },
  },
  {
    call: 'MAKER.execute_action',
    input: {
      action_kind: 'tank.empty',
      target: 'tank 4',
      executor: { manifest_ref },
      max_duration_ms: 7_200_000,
      irreversible: false,
    },
    answer: { action_id },
  },
  { call: 'MOON.list', input: { limit: 1 }, until: { runs: [{ state: 'waiting' }] } },
]

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
      ending: {
        success_when: 'data.state == "succeeded"',
        told_in: 'how',
        later: {
          when: 'data.state in ["proposed", "authorised", "running", "stopping", "stop_unconfirmed"]',
          operation: 'status',
          by: 'action_id',
        },
      },
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
    status: operation({
      summary: 'Read how an action stands, and what its executor answered.',
      effect: 'read',
      level: 'L0',
      meters: ['seconds'],
      secret_output: true,
      needs: ['charter', 'vault'],
      input: StatusInput,
      output: StatusOutput,
      scene: waiting_action,
      example: { action_id },
      handle: readAction,
    }),

    list: operation({
      summary: 'List actions, newest first.',
      effect: 'read',
      level: 'L0',
      meters: ['seconds'],
      // What is to be stopped must be found even when the budget is used up.
      essential: true,
      input: ListInput,
      output: ListOutput,
      scene: waiting_action,
      example: { limit: 10 },
      handle: pageOfActions,
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
      scene: waiting_action,
      example: { action_id, reason: 'Somebody is inside the tank.' },
      handle: stopActions,
    }),
  },
})
