// A run on its own clock whose turns a test triggers, without an engine or a database.
import type { Ending } from '@svc/contract/operation-facts'
import type { Recipe, RecipeStep } from '@svc/contract/recipe'
import { type Manifest, recipeOf } from '@svc/protocols/execution/moon/manifest'
import { effectFor } from '@svc/protocols/execution/moon/run-effect'
import type { Performed } from '@svc/protocols/execution/moon/run-outcome'
import type { ChildRun, Signal, Situation } from '@svc/protocols/execution/moon/run-progress'
import type { JournalRow, OpenRun } from '@svc/protocols/execution/moon/run-store'
import { takeTurn } from '@svc/protocols/execution/moon/run-turn'
import { compileRecipe } from '@svc/protocols/execution/recipes/compile'

const served = () =>
  ({ capability: 'svc.steps.act', effect: 'write', input: true, output: true, version: 'v1.0.0' }) as const

export const call = (name: string, more: object = {}): RecipeStep => ({
  kind: 'Protocol',
  name,
  protocol: 'STEPS',
  operation: 'act',
  payload: {},
  ...more,
})
export const done = (output: unknown = {}): Performed => ({
  kind: 'done',
  output,
  record_id: 'r',
  elapsed_ms: 1,
})
export const broke = (
  code: 'adapter_error' | 'policy_denied' | 'invalid_request',
  reason = 'told to',
): Performed => ({
  kind: 'refused',
  code,
  message: 'no',
  details: { reason },
  record_id: null,
  elapsed_ms: 1,
})

/** An operation whose work goes on after its answer, as an action does. */
const endings: Readonly<Record<string, Ending>> = {
  later: {
    success_when: 'data.state == "succeeded"',
    later: { when: 'data.state == "running"', operation: 'status', by: 'id' },
  },
}

const new_run = {
  tenant_id: 'acme',
  run_id: 'run',
  state: 'pending',
  journal_seq: 0,
  started_at: null,
  ended_at: null,
  deadline_at: null,
  cancel: null,
  undoing: null,
  error_code: null,
  input: {},
  acting: { correlation_id: 'c', depth: 0 },
}

export function open(
  parts: Pick<Manifest, 'steps'> & Partial<Manifest>,
  more: Partial<OpenRun> = {},
  named_recipes: Recipe[] = [],
) {
  const manifest: Manifest = { name: 'one', version: '1.0.0', ...parts }
  const compiled = compileRecipe(recipeOf(manifest), served, (id) =>
    named_recipes.find((one) => one.id === id),
  )
  if ('problems' in compiled) throw new Error(JSON.stringify(compiled.problems))
  const rows = new Map<string, JournalRow>()
  const state = {
    run: { ...new_run, ...more } as unknown as OpenRun,
    rows,
    now_ms: 1_000_000,
    under_way: new Set<string>(),
    situation: undefined as unknown as Situation,
    turn(
      outcomes: Record<string, Performed> = {},
      signals: Signal[] = [],
      outside = false,
      children: Record<string, ChildRun> = {},
    ) {
      state.situation = {
        run: state.run,
        manifest,
        plan: compiled.plan,
        rows: new Map(rows),
        signals,
        children: new Map(Object.entries(children)),
        under_way: new Set(state.under_way),
        outcomes: new Map(Object.entries(outcomes)),
        now: new Date(state.now_ms),
        leaving: false,
        isOutside: () => outside,
        isWrite: (_, operation) => operation !== 'look',
        endingOf: (_, operation) => endings[operation],
      }
      const turn = takeTurn(state.situation)
      state.situation = { ...state.situation, plan: turn.plan }
      for (const path of turn.forgotten) rows.delete(path)
      for (const row of turn.rows) rows.set(row.path, row)
      state.run = { ...state.run, ...turn.change } as OpenRun
      for (const path of Object.keys(outcomes)) state.under_way.delete(path)
      for (const path of turn.begun) state.under_way.add(path)
      return turn
    },
    external_effect: (path: string) => effectFor({ ...state.situation, rows }, path),
  }
  return state
}
