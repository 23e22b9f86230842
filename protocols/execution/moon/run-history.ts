// MOON.history: what each step of a run was called with, what it answered, and every attempt at it.
import { next_cursor, page_fields, page_max } from '@svc/contract/list-page'
import { listing } from '@svc/contract/listing'
import type { OperationContext } from '@svc/contract/operation-context'
import { requireAtHome } from '@svc/contract/own-list'
import { Closed, described, ListOf, OneOf, Text, Timestamp } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import { openJson } from '../../cognition/content/api.ts'
import { mayReadAnswers } from './run-answers.ts'
import { requireRun } from './run-asking.ts'
import { type AttemptRow, type HistoryRow, readAttempts, readHistory } from './run-history-store.ts'
import { by_hand, byHand, RunRef } from './run-view.ts'

const path_chars_max = 512
const path_form = /^[a-z0-9][a-z0-9_/@-]{0,511}$/
/** Of one input or output in a page; a single step is shown in full. */
const shown_bytes_max = 16_384
/** Of one earlier attempt in a page: each step may have had twenty. */
const attempt_bytes_max = 1_024
const attempts_max = 10_000

export const HistoryInput = Closed({
  run_ref: described(RunRef, 'The run.'),
  path: Type.Optional(
    Text(path_chars_max, { description: 'Only this step; its input and output are then shown in full.' }),
  ),
  ...page_fields,
})

const Attempt = Closed({
  attempt: Type.Integer({ minimum: 0, description: 'Number of the attempt.' }),
  started_at: described(Timestamp, 'When it started.'),
  ended_at: described(Timestamp, 'When it ended.'),
  execution_time_ms: Type.Number({ minimum: 0, description: 'How long its call took, in milliseconds.' }),
  error_code: Type.String({ description: 'Why it failed.' }),
  message: Type.Optional(
    Type.String({ description: 'What happened, for those who may read the answers of the run.' }),
  ),
  output: Type.Optional(
    Type.Unknown({
      description:
        'What was answered, if that was the failure. More than 1 KiB is shown with path only, more than 16 KiB never.',
    }),
  ),
  record_id: Type.Optional(Type.String({ description: 'The audit record of its call.' })),
})

const Step = Closed({
  path: Type.String({ description: 'Where the step is in the graph; of a loop, rounds are numbers.' }),
  state: described(
    OneOf('running', 'waiting', 'succeeded', 'failed', 'skipped', 'indeterminate'),
    'indeterminate: it is unclear whether its outside call was made.',
  ),
  attempt: Type.Integer({ minimum: 0, description: 'Number of the last attempt.' }),
  started_at: described(Timestamp, 'When the last attempt started.'),
  ended_at: Type.Optional(described(Timestamp, 'When it ended; absent: it has not.')),
  execution_time_ms: Type.Number({
    minimum: 0,
    description: 'How long the last call took, in milliseconds.',
  }),
  error_code: Type.Optional(Type.String({ description: 'Why it failed.' })),
  message: Type.Optional(
    Type.String({ description: 'What happened, for those who may read the answers of the run.' }),
  ),
  skip_reason: Type.Optional(Type.String({ description: 'Why it was skipped.' })),
  by_hand,
  record_id: Type.Optional(Type.String({ description: 'The audit record of the call.' })),
  input: Type.Optional(
    Type.Unknown({ description: 'What it was called with; absent: no call, or not shown.' }),
  ),
  output: Type.Optional(Type.Unknown({ description: 'What it answered; absent: nothing, or not shown.' })),
  not_shown: Type.Optional(
    described(ListOf(OneOf('input', 'output'), 0, 2), 'What is longer than 16 KiB; ask with path to see it.'),
  ),
  attempts: described(ListOf(Attempt, 0, attempts_max), 'Attempts before the last one, oldest first.'),
})

export const HistoryOutput = Closed({
  has_content: Type.Boolean({
    description:
      'Whether inputs and outputs are shown: to the identity as which the steps call, if no other made those taken over by a retry, and to charter members.',
  }),
  steps: described(
    ListOf(Step, 0, page_max),
    'Steps, gates and undoings that have begun, the last begun first.',
  ),
  next_cursor,
})

export async function showHistory(
  input: Static<typeof HistoryInput>,
  context: OperationContext<'charter' | 'vault'>,
) {
  requireAtHome(context, 'workflows')
  const run = await requireRun(context, input.run_ref)
  const { db, tenant_id } = context
  const { run_id } = run
  const has_content = await mayReadAnswers(context, run)
  const is_one = input.path !== undefined
  const { items: steps, ...next } = await listing(input, context, {
    id_form: path_form,
    read: (bounds) =>
      readHistory(db, tenant_id, run_id, {
        ...bounds,
        path: input.path,
        bytes_max: is_one ? null : shown_bytes_max,
      }),
    placeOf: ({ started_at, path: id }) => ({ at: started_at.toISOString(), id }),
    view: async (rows) => {
      const attempts = await readAttempts(
        db,
        tenant_id,
        run_id,
        rows.map(({ path }) => path),
        is_one ? shown_bytes_max : attempt_bytes_max,
      )
      return rows.map((row) => stepOf(context, run_id, row, attempts.get(row.path) ?? [], has_content))
    },
  })
  return { has_content, steps, ...next }
}

type Context = OperationContext<'charter' | 'vault'>

interface Result {
  readonly data?: unknown
  readonly error?: { readonly message?: string }
  readonly metadata?: Readonly<Record<string, unknown>>
}

function stepOf(
  { vault }: Context,
  run_id: string,
  row: HistoryRow,
  attempts: readonly AttemptRow[],
  has_content: boolean,
): Static<typeof Step> {
  const { path, state, attempt, started_at, ended_at, elapsed_ms, error_code, skip_reason, record_id } = row
  const name = `${run_id} ${path}`
  const result = row.result ? openJson<Result>(vault, `step ${name}`, row.result) : {}
  const { data, error } = has_content ? result : {}
  const not_shown = [
    ...(row.long_input ? ['input' as const] : []),
    ...(row.long_result ? ['output' as const] : []),
  ]
  return {
    ...{ path, state, attempt, started_at: started_at.toISOString(), execution_time_ms: elapsed_ms },
    ...(ended_at && { ended_at: ended_at.toISOString() }),
    ...(error_code && state !== 'succeeded' && { error_code }),
    ...(error?.message !== undefined && state !== 'succeeded' && { message: error.message }),
    ...(skip_reason && { skip_reason }),
    ...byHand({ state, metadata: result.metadata }),
    ...(record_id && { record_id }),
    ...(row.input && has_content && { input: openJson(vault, `input ${name}`, row.input) }),
    ...(data !== undefined && { output: data }),
    ...(has_content && not_shown.length > 0 && { not_shown }),
    attempts: attempts.map((one) => attemptOf(vault, name, one, has_content)),
  }
}

function attemptOf(
  vault: Context['vault'],
  name: string,
  row: AttemptRow,
  has_content: boolean,
): Static<typeof Attempt> {
  const { attempt, started_at, ended_at, elapsed_ms, error_code, record_id } = row
  const { data, error } =
    has_content && row.result ? openJson<Result>(vault, `attempt ${name} ${row.seq}`, row.result) : {}
  return {
    ...{ attempt, started_at: started_at.toISOString(), ended_at: ended_at.toISOString() },
    ...{ execution_time_ms: elapsed_ms, error_code },
    ...(error?.message !== undefined && { message: error.message }),
    ...(data !== undefined && { output: data }),
    ...(record_id && { record_id }),
  }
}
