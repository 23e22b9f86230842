// An action: its kinds and its states.
import { Closed, described, ListOf, OneOf, Ref, Text } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import { ManifestRef } from '../moon/api.ts'
import { partOf } from '../mote/api.ts'

const duration_ms_max = 86_400_000
const grace_ms_max = 10_000
export const grace_ms_default = 1_000
/** How long to wait beyond the grace period for proof of a stop. */
export const proof_ms = 2_000

export const action_states = [
  'proposed',
  'authorised',
  'running',
  'succeeded',
  'failed',
  'stopping',
  'stopped',
  'stop_unconfirmed',
] as const
export type ActionState = (typeof action_states)[number]

const ended: ReadonlySet<string> = new Set<ActionState>(['succeeded', 'failed', 'stopped'])

/** An unconfirmed stop is not an end: stopping is retried. */
export function isOver(state: string): boolean {
  return ended.has(state)
}

const ActionKind = Type.String({
  pattern: '^[a-z][a-z0-9_.]{0,63}$',
  description: 'What it is, in a word; grants may be narrowed to it with the caveat action_kind:<kind>.',
})

export const Executor = Type.Union(
  [
    Closed({ tool_id: Text(256, { description: 'A tool of MAT; parameters are its arguments.' }) }),
    Closed({
      actuator_id: Text(256, { description: 'An actuator of MOTE; parameters are the state it is set to.' }),
    }),
    Closed({ manifest_ref: ManifestRef }),
    Closed({
      builtin: described(
        OneOf('http_request', 'script_ref', 'noop'),
        "Send an HTTP request, run a program of the operator's list, or do nothing.",
      ),
      script_ref: Type.Optional(
        Type.String({
          pattern: '^[a-z][a-z0-9_.-]{0,63}$',
          description: "A program of the operator's list (SVC_COMMANDS).",
        }),
      ),
    }),
  ],
  { description: 'Who does it.' },
)
export type Executor = Static<typeof Executor>

export const ActionAsk = Closed({
  action_kind: ActionKind,
  target: Text(1024, { description: 'What it is done to: a ref, or words. For http_request the address.' }),
  parameters: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      description:
        'For the executor. http_request takes method, headers and body; script_ref gets them as JSON on its standard input.',
    }),
  ),
  executor: Executor,
  preconditions: Type.Optional(
    described(
      ListOf(
        Text(2000, { description: 'CEL over input (action_kind, target, parameters); all must hold.' }),
        0,
        32,
      ),
      'Checked before it begins; the action is refused where one does not hold.',
    ),
  ),
  max_duration_ms: Type.Integer({
    minimum: 100,
    maximum: duration_ms_max,
    description: 'It is stopped when it takes longer.',
  }),
  grace_ms: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: grace_ms_max,
      default: grace_ms_default,
      description: 'The time between asking it to stop and forcing it.',
    }),
  ),
  safe_state: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      description: "What must hold once it is stopped; an actuator's own descriptor says it for devices.",
    }),
  ),
  risk_ref: Type.Optional(
    described(Ref, 'Risk that MARE scored for this action; needed if it is irreversible.'),
  ),
  irreversible: Type.Boolean({ description: 'It cannot be undone; requires a risk_ref scored by MARE.' }),
  authority: Type.Optional(
    described(Ref, 'Charter verdict for an irreversible action whose risk is above moderate.'),
  ),
  mode: Type.Optional(
    described(
      OneOf('sync', 'async'),
      'sync waits up to 24 seconds for the end; async (default) answers at once.',
    ),
  ),
  compensation: Type.Optional(
    Closed(
      { manifest_ref: ManifestRef },
      { description: 'A workflow that is started when it failed or was stopped.' },
    ),
  ),
})
export type ActionAsk = Static<typeof ActionAsk>

export function deviceOf(executor: Executor): string | null {
  return 'actuator_id' in executor ? partOf(executor.actuator_id).device_did : null
}
