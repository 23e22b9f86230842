import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { GovernanceGate, RecipeStep } from '@svc/contract/recipe'
import { compileRecipe } from '../recipes/compile.ts'
import { recipeId } from '../recipes/recipe-id.ts'
import { type GraphRow, graphOf } from './run-graph.ts'

const audit = (name: string, more: object = {}) =>
  ({ kind: 'Audit', name, event_type: `custom.${name}`, metadata: {}, ...more }) as RecipeStep

function planOf(steps: RecipeStep[], governance_gates: GovernanceGate[] = []) {
  const recipe = { version: '1.0.0', steps, audit_checkpoints: [], governance_gates }
  const compiled = compileRecipe(
    { id: recipeId(recipe), ...recipe },
    () => undefined,
    () => undefined,
  )
  if ('problems' in compiled) throw new Error(JSON.stringify(compiled.problems))
  return compiled.plan
}

const at = new Date('2026-11-20T10:00:00.000Z')
const row = (path: string, state: GraphRow['state'], more: Partial<GraphRow> = {}): GraphRow => ({
  path,
  state,
  attempt: 1,
  started_at: at,
  ended_at: null,
  due_at: null,
  elapsed_ms: 5,
  error_code: null,
  record_id: null,
  ...more,
})

test('gates inherit the dependencies of their step; its compensation follows it', () => {
  const gate = { at_step: 'two', kind: 'MAXIM', on_pass: 'Continue', on_fail: 'Abort' } as const
  const plan = planOf([audit('one'), audit('two')], [gate, { ...gate, kind: 'MOAT-treaty' }])
  const edges = graphOf(plan, [row('one@undo', 'running')]).map(({ path, kind, depends_on }) => {
    return [path, kind, depends_on]
  })
  assert.deepEqual(edges, [
    ['one', 'Audit', []],
    ['two@gate-0', 'GovernanceGate', ['one']],
    ['two@gate-1', 'GovernanceGate', ['two@gate-0']],
    ['two', 'Audit', ['two@gate-1']],
    ['one@undo', 'Compensation', ['one']],
  ])
})

test('a step has its state in the journal, or is pending', () => {
  const plan = planOf([audit('one'), audit('two', { optional: true }), audit('three')])
  const journal = [
    row('one', 'succeeded', { ended_at: at, error_code: 'adapter_error', record_id: 'r' }),
    row('two', 'failed', { ended_at: at, due_at: at, error_code: 'policy_denied', attempt: 3 }),
  ]
  const [one, three, two] = graphOf(plan, journal)
  const times = { started_at: at.toISOString(), ended_at: at.toISOString(), execution_time_ms: 5 }
  assert.deepEqual(one, {
    path: 'one',
    kind: 'Audit',
    depends_on: [],
    protocol: 'MAX',
    operation: 'audit_log_entry',
    optional: false,
    state: 'succeeded',
    attempt: 1,
    ...times,
    record_id: 'r',
  })
  assert.deepEqual(two, {
    path: 'two',
    kind: 'Audit',
    depends_on: ['one'],
    protocol: 'MAX',
    operation: 'audit_log_entry',
    optional: true,
    state: 'failed',
    attempt: 3,
    ...times,
    error_code: 'policy_denied',
  })
  assert.deepEqual([three?.path, three?.state, three?.depends_on], ['three', 'pending', ['two']])
})
