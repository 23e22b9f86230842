// The rest of a plan as a workflow: calls operations, messages agents, and waits for people.
import type { RecipeStep } from '@svc/contract/recipe'
import type { PlanTask } from '../planning/api.ts'

const steps_max = 500

export interface PlanManifest {
  readonly name: string
  readonly version: string
  readonly steps: readonly RecipeStep[]
}

/** Undefined if nothing is left, or more than a workflow may contain. */
export function manifestOf(
  tasks: readonly PlanTask[],
  graph_ref: string,
  version: number,
): PlanManifest | undefined {
  const open = tasks.filter(({ is_done }) => !is_done)
  const lasts = new Map(open.map((task) => [task.id, isAsked(task) ? doneName(task) : task.id]))
  const steps = open.flatMap((task) => {
    const depends_on = task.depends_on.flatMap((id) => lasts.get(id) ?? [])
    return stepsOf(task, depends_on, graph_ref)
  })
  if (steps.length === 0 || steps.length > steps_max) return undefined
  return { name: `plan-${graph_ref.slice(graph_ref.lastIndexOf('/') + 1)}`, version: `1.${version}.0`, steps }
}

function stepsOf(task: PlanTask, depends_on: string[], graph_ref: string): RecipeStep[] {
  const { id, kind, protocol, operation, args, operator } = task
  if (kind === 'operation') {
    const payload = (task.payload ?? args) as Record<string, unknown>
    return [{ kind: 'Protocol', name: id, protocol: protocol!, operation: operation!, payload, depends_on }]
  }
  if (!isAsked(task)) return [waitFor(id, id, depends_on)]
  const body = { graph_ref, task_id: id, operator, args, signal: signalOf(id) }
  return [
    {
      kind: 'Protocol',
      name: id,
      protocol: 'MIM',
      operation: 'message_send',
      payload: { to: task.assignee!, body },
      depends_on,
    },
    waitFor(doneName(task), id, [id]),
  ]
}

/** Nothing after it starts until a signal reports it done: a plan never skips work it cannot do itself. */
function waitFor(name: string, id: string, depends_on: string[]): RecipeStep {
  return {
    kind: 'Gate',
    name,
    depends_on,
    condition: 'true',
    await: { signal: signalOf(id) },
    on_true: [],
    on_false: [],
  }
}

function isAsked({ kind, assignee }: PlanTask): boolean {
  return kind === 'skill' && assignee !== undefined
}

function doneName({ id }: PlanTask): string {
  return `${id}-done`
}

function signalOf(id: string): string {
  return `${id}.done`
}
