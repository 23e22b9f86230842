// MAKER.status and MAKER.list: actions, also long after the call that began them was answered.
import { next_cursor, page_fields, page_max } from '@svc/contract/list-page'
import { listing } from '@svc/contract/listing'
import type { OperationContext } from '@svc/contract/operation-context'
import { requireAtHome } from '@svc/contract/own-list'
import { notFound } from '@svc/contract/refusal'
import { Closed, Did, described, ListOf, OneOf, Text, Timestamp, Uuid } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import { action_ref_start } from '../stop-latch/api.ts'
import { action_states } from './action.ts'
import { type ActionRow, findAction, listActions } from './action-store.ts'

const action_id_form = /^[0-9a-f-]{36}$/
const ActionId = described(Uuid, 'The action, as execute_action answered it.')
const State = described(
  OneOf(...action_states),
  'stop_unconfirmed: it was told to stop, and nothing proves that it has.',
)

const facts = {
  action_id: ActionId,
  ref: Type.String({ description: 'Names the action, for citations.' }),
  action_kind: Type.String({ description: 'What it is, in a word.' }),
  owner_did: described(Did, 'Identity that began it.'),
  state: State,
  how: Type.Optional(Type.String({ description: 'How it ended, in words; absent until it has.' })),
  error_code: Type.Optional(Type.String({ description: 'Code of the failure; absent if it did not fail.' })),
  created_at: described(Timestamp, 'When it was asked for.'),
  started_at: Type.Optional(described(Timestamp, 'When it began; absent until then.')),
  ended_at: Type.Optional(described(Timestamp, 'When it ended; absent until then.')),
  deadline_at: described(Timestamp, 'It is stopped if it has not ended by then.'),
}

export const StatusInput = Closed({ action_id: ActionId })
export const StatusOutput = Closed({
  ...facts,
  target: Type.Optional(
    Type.String({ description: 'What it is done to; for the identity that began it, and charter members.' }),
  ),
  output: Type.Optional(
    Type.Unknown({
      description:
        'What the executor answered; of a program its exit_code, signal, output and stderr, each up to 64 KiB. For the identity that began it, and charter members; absent until it has ended.',
    }),
  ),
})

export async function readAction(
  { action_id }: Static<typeof StatusInput>,
  context: OperationContext<'charter' | 'vault'>,
): Promise<Static<typeof StatusOutput>> {
  requireAtHome(context, 'actions')
  const action = await findAction(context, action_id)
  if (!action) throw notFound('action', action_id)
  const { caller, charter } = context
  // As the answers of workflow steps: it may hold what its reader may not ask for.
  if (caller.did !== action.owner_did && !(await charter.has(caller.did))) return viewOf(action)
  const { output, ask } = action
  return { ...viewOf(action), target: ask.target, ...(output !== undefined && { output }) }
}

export const ListInput = Closed({
  state: Type.Optional(described(State, 'Only actions in this state.')),
  owner_did: Type.Optional(described(Did, 'Only actions of this identity.')),
  action_kind: Type.Optional(Text(64, { description: 'Only actions of this kind.' })),
  ...page_fields,
})
export const ListOutput = Closed({
  actions: described(ListOf(Closed(facts), 0, page_max), 'Actions, newest first.'),
  next_cursor,
})

export async function pageOfActions(input: Static<typeof ListInput>, context: OperationContext) {
  const { state, owner_did, action_kind } = input
  const { items: actions, ...next } = await listing(input, context, {
    own: 'actions',
    id_form: action_id_form,
    read: (bounds) => listActions(context, { ...bounds, state, owner_did, action_kind }),
    placeOf: ({ created_at, action_id: id }) => ({ at: created_at.toISOString(), id }),
    view: (rows) => rows.map(viewOf),
  })
  return { actions, ...next }
}

function viewOf(action: ActionRow) {
  const { action_id, action_kind, owner_did, state, how, error_code } = action
  const { created_at, started_at, ended_at, deadline_at } = action
  return {
    action_id,
    ref: action_ref_start + action_id,
    action_kind,
    owner_did,
    state,
    ...(how !== null && { how }),
    ...(error_code !== null && { error_code }),
    created_at: created_at.toISOString(),
    ...(started_at && { started_at: started_at.toISOString() }),
    ...(ended_at && { ended_at: ended_at.toISOString() }),
    deadline_at: deadline_at.toISOString(),
  }
}
