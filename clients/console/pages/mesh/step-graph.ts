// A workflow's steps as a graph of dependencies and nesting.
import type { Catalogue } from '@svc/sdk'
import type { GraphEdge, GraphNode } from '../../parts/graph-layout.ts'

type Runs = NonNullable<Catalogue['MOON']['list']['output']['runs']>
export type Run = Runs[number]
export type Step = NonNullable<Run['detail']>['steps'][number]
export type Answers = NonNullable<NonNullable<Run['detail']>['answers']>

export function stepGraph(steps: readonly Step[]): {
  nodes: readonly GraphNode[]
  edges: readonly GraphEdge[]
} {
  const nodes = steps.map(({ path, kind, protocol, operation, state }) => ({
    id: path,
    label: protocol ? `${path}: ${protocol} ${operation}` : path,
    kind,
    state,
  }))
  const edges = steps.flatMap(({ path, depends_on, within, branch }) => [
    ...depends_on.map((before) => ({ from: before, to: path, kind: 'then', label: 'then' })),
    ...(within ? [{ from: within, to: path, kind: 'within', label: branch ?? 'within' }] : []),
  ])
  return { nodes, edges }
}

/** What one step answered, if it is shown. */
export function answerOf(answers: Answers, path: string): Answers[number] | undefined {
  return answers.find((answer) => answer.path === path)
}

/** Ended steps and their total, if known; a gate may still change how many there are. */
export function progressOf({ progress }: Pick<Run, 'progress'>): {
  ended: number
  total: number | undefined
} {
  const { steps_total, succeeded, failed, skipped } = progress
  return { ended: succeeded + failed + skipped, total: steps_total }
}
