// MAESTRO goal.refine: turns a goal into ordered tasks with times and assignees.
import type { OperationContext } from '@svc/contract/operation-context'
import type { Static } from 'typebox'
import {
  type DomainSource,
  type Frame,
  type MethodSource,
  type Minimize,
  type OperatorSource,
  type Plain,
  type PlanGraph,
  type Refined,
  type RefineTask,
  refine_job,
} from '../planning/api.ts'
import { dollarsOf } from './charter.ts'
import type { Charter } from './charter-input.ts'
import { readCharter } from './charter-store.ts'
import { tellFailing, tellObjective, tellRisks, tellSchedule, tellTasks, tellTree } from './plan-answer.ts'
import { type SearchBudget, searchBudget } from './plan-budget.ts'
import { refuseFaults } from './plan-faults.ts'
import { name_form } from './plan-input.ts'
import { manifestOf } from './plan-manifest.ts'
import { proposeMethods } from './plan-proposal.ts'
import type { RefineInput, RefineOutput } from './plan-refine-schema.ts'
import { graphRef, keepGraph } from './plan-store.ts'

type Answer = Static<typeof RefineOutput>
type Done = Exclude<Refined, { faults: unknown }>

/** The task for a goal that names no task. */
const wish = 'achieve'

export async function refineGoal(
  input: RefineInput,
  context: OperationContext<'compute' | 'embedder' | 'model' | 'tokens' | 'vault'>,
): Promise<Answer> {
  context.takePath('protocol')
  const { charter_ref } = input
  // Outside the operation's transaction: a search may take long and must not hold it open.
  const charter =
    charter_ref === undefined
      ? undefined
      : await context.apart(({ db }) =>
          readCharter({ db, tenant_id: context.tenant_id, vault: context.vault }, charter_ref),
        )
  const budget = searchBudget(input.budget, context)
  const task = taskOf(input, charter, budget, context)
  const { refined, methods_from } = await refine(task, budget, context)
  const search = { expansions: refined.expansions, ended: refined.ended }
  const { graph, schedule, objective } = refined
  if (!graph || !schedule || !objective) return infeasible(refined, methods_from)
  const plan_graph: PlanGraph = { ...graph, ...(charter_ref !== undefined && { charter_ref }) }
  const graph_ref = graphRef(context)
  const commitment = await keepGraph(context, graph_ref, plan_graph)
  const unrefined = graph.tasks.filter(({ kind }) => kind === 'unrefined').map(({ id }) => id)
  const manifest = manifestOf(graph.tasks, graph_ref, 1)
  context.audit('GoalRefined', {
    graph_ref,
    charter_ref: charter_ref ?? null,
    commitment,
    tasks: graph.tasks.length,
    unrefined: unrefined.length,
    makespan_ms: schedule.makespan.mean,
    methods_from,
    expansions: refined.expansions,
    proven_best: objective.proven_best,
  })
  return {
    feasible: true,
    graph_ref,
    version: 1,
    starts_at: context.now,
    tasks: tellTasks(graph.tasks),
    ...tellSchedule(schedule),
    objective: tellObjective(objective),
    decomposition: tellTree(graph.tree),
    alternatives: refined.alternatives.map(({ tasks, ...rest }) => ({ ...rest, tasks: [...tasks] })),
    ...(manifest && { executable_manifest: { ...manifest } }),
    unrefined,
    at_risk_objectives: tellRisks(graph.objectives, graph, schedule),
    search,
    methods_from,
  }
}

/** A model may write missing methods; they must pass the same checks, or they are ignored. */
async function refine(
  task: RefineTask,
  budget: SearchBudget,
  context: OperationContext<'compute' | 'model' | 'tokens'>,
): Promise<{ refined: Done; methods_from: Answer['methods_from'] }> {
  const { methods, operators } = task.domain
  if (task.hddl !== undefined || isTask(task.goal.task, task.domain))
    return { refined: await run(task, budget, context), methods_from: 'given' }
  const proposed = await proposeMethods(context, task.goal, task.domain, task.state)
  if (proposed) {
    const domain = { operators, methods: [...methods, ...proposed] }
    const tried = await context.compute(refine_job, { ...task, domain }, budget.worker_ms)
    if ('graph' in tried && tried.graph?.tasks.every(({ kind }) => kind !== 'unrefined'))
      return { refined: tried, methods_from: 'model' }
  }
  return { refined: await run(task, budget, context), methods_from: 'none' }
}

async function run(
  task: RefineTask,
  { worker_ms }: SearchBudget,
  context: OperationContext<'compute'>,
): Promise<Done> {
  const refined = await context.compute(refine_job, task, worker_ms)
  if ('faults' in refined) {
    refuseFaults(refined.faults)
    throw new Error('faults without a fault')
  }
  return refined
}

function taskOf(
  input: RefineInput,
  charter: Charter | undefined,
  { expansions_max, deadline_ms }: SearchBudget,
  { now }: OperationContext,
): RefineTask {
  const domain = {
    methods: [...(input.methods ?? []), ...(charter?.methods ?? [])] as MethodSource[],
    operators: (input.operators ?? []) as OperatorSource[],
  }
  return {
    goal: goalOf(input, domain),
    domain,
    ...(input.hddl !== undefined && { hddl: input.hddl }),
    state: input.state ?? {},
    frame: {
      ...frameOf(charter),
      ...(input.minimize !== undefined && { minimize: input.minimize as Minimize }),
    },
    ...(expansions_max !== undefined && { expansions_max }),
    deadline_ms,
    starts_at_ms: Date.parse(now),
  }
}

/** The task names of an HDDL text are known only after the worker has parsed it. */
function goalOf({ goal, hddl }: RefineInput, domain: DomainSource) {
  if (typeof goal !== 'string') return { task: goal.task, args: (goal.args ?? {}) as Plain }
  const is_task = hddl === undefined ? isTask(goal, domain) : name_form.test(goal)
  return is_task ? { task: goal, args: {} } : { task: wish, args: { goal } }
}

function isTask(name: string, { methods, operators }: DomainSource): boolean {
  return methods.some(({ task }) => task === name) || operators.some((one) => one.name === name)
}

function frameOf(charter: Charter | undefined): Frame {
  const { agents = [], budget } = charter?.resources ?? {}
  return {
    staffed: agents.length > 0,
    agents: agents.map(({ did, skills = [], capacity = 1 }) => ({ did, skills, capacity })),
    objectives: (charter?.objectives ?? []).flatMap(({ id, deadline }) =>
      deadline === undefined ? [] : [{ id, deadline_ms: Date.parse(deadline) }],
    ),
    constraints: (charter?.constraints ?? []).flatMap(({ id, expr }) =>
      expr === undefined ? [] : [{ id, expr }],
    ),
    ...(budget?.usd !== undefined && { budget_usd: dollarsOf(budget.usd) }),
  }
}

function infeasible(
  { failing, reason, expansions, ended }: Done,
  methods_from: Answer['methods_from'],
): Answer {
  return {
    feasible: false,
    ...(reason && { reason }),
    ...(failing && { failing: tellFailing(failing) }),
    tasks: [],
    critical_path: [],
    decomposition: [],
    alternatives: [],
    unrefined: [],
    at_risk_objectives: [],
    search: { expansions, ended },
    methods_from,
  }
}
