// Tasks as their caller reads them.
import { parseDid } from '@svc/contract/identity/did'
import type { Vault } from '@svc/contract/needs/vault'
import type { OperationContext } from '@svc/contract/operation-context'
import { notFound, refuse } from '@svc/contract/refusal'
import { type RemoteTask, stepName } from './answer.ts'
import { findTask, readSteps, type StepRow, type TaskRow } from './store.ts'
import { contentOf, type Step, type Task } from './task.ts'

export type TaskNeed = 'mail' | 'change_notifications' | 'treaties' | 'vault' | 'telemetry'

/** What the rows of a task are read and written with, in whichever transaction. */
export type TaskRows = Pick<
  OperationContext<'mail' | 'vault' | 'telemetry'>,
  'db' | 'tenant_id' | 'caller' | 'now' | 'newId' | 'alarm' | 'mail' | 'vault' | 'telemetry'
>

export interface TaskName {
  readonly task_id: string
  readonly agent_did?: string | undefined
}

/** Answers come to the caller's own organization, so a task cannot be sent from another one. */
export function requireHome({ caller, tenant_id }: OperationContext): void {
  if (parseDid(caller.did)?.namespace === tenant_id) return
  throw refuse(
    'policy_denied',
    `Tasks are sent and read in your own organization, and ${tenant_id} is another one; name yours as the tenant.`,
    { reason: 'not your organization' },
  )
}

export async function requireTask(
  context: Pick<OperationContext, 'db' | 'tenant_id' | 'caller'>,
  { task_id, agent_did }: TaskName,
): Promise<TaskRow> {
  const row = await findTask(context, task_id, { caller_did: context.caller.did, agent_did })
  if (!row) throw notFound('task', task_id)
  return row
}

export function contextName(task_id: string): string {
  return `task context/${task_id}`
}

export function openStep(vault: Vault, row: StepRow): Step {
  const { remote: _, ...step } = openStored(vault, row)
  return step
}

function openStored(vault: Vault, row: StepRow): Step & { readonly remote?: RemoteTask } {
  const { task_id, step_id, n, state, by_agent, at, sealed, wrapped_key } = row
  const content = JSON.parse(vault.open(stepName(task_id, step_id), { sealed, wrapped_key }).toString())
  return { n, by: by_agent ? 'agent' : 'user', at: at.toISOString(), state, ...content }
}

export function bareTask(vault: Vault, row: TaskRow): Task {
  const { task_id, agent_did, state, steps, context_sealed: sealed, context_wrapped: wrapped_key } = row
  return {
    task_id,
    context_id: vault.open(contextName(task_id), { sealed, wrapped_key }).toString(),
    agent_did,
    state,
    steps,
    created_at: row.created_at.toISOString(),
    changed_at: row.changed_at.toISOString(),
  }
}

export interface WholeTask {
  readonly task: Task
  /** Where it was passed on to, if it was. */
  readonly remote: RemoteTask | undefined
  readonly steps: readonly Step[]
}

export async function readWhole(
  context: Pick<OperationContext<'vault'>, 'db' | 'tenant_id' | 'vault'>,
  row: TaskRow,
  history_length?: number,
): Promise<WholeTask> {
  // A step may have come since the row was read: it belongs to the next look.
  const rows = (await readSteps(context, [row.task_id])).filter(({ n }) => n <= row.steps)
  const stored = rows.map((step) => openStored(context.vault, step))
  const remote = stored.findLast((step) => step.remote)?.remote
  const steps = stored.map(({ remote: _, ...step }): Step => step)
  return { remote, task: { ...bareTask(context.vault, row), ...contentOf(steps, history_length) }, steps }
}
