// Workflows of the simulation, each with what a plain reading of it says must have happened once it succeeded.

export interface Shape {
  readonly manifest: Readonly<Record<string, unknown>>
  /** By path: its effect is a row, or outside. */
  readonly steps: Readonly<Record<string, 'act' | 'outside'>>
  /** Paths of which exactly one happens. */
  readonly one_of?: readonly string[]
  /** The step that starts a run of `child`. */
  readonly child?: string
  /** Steps that a compensation undoes. */
  readonly undone: readonly string[]
  /** A step whose success is recorded. */
  readonly checkpoint?: string
}

type Operation = 'act' | 'outside'

const retry = { max: 2, backoff_ms: 1_000 }

function call(name: string, operation: Operation, more: object = {}) {
  return { kind: 'Protocol', name, protocol: 'STEPS', operation, payload: {}, ...more }
}

const chain: Shape = {
  manifest: {
    ...{ name: 'chain', version: '1.0.0', audit_checkpoints: ['a'] },
    steps: [call('a', 'act'), call('b', 'outside', { retry }), call('c', 'act', { retry })],
    compensation: { a: call('a', 'act', { retry }), b: call('b', 'outside'), c: call('c', 'act', { retry }) },
  },
  steps: { a: 'act', b: 'outside', c: 'act' },
  undone: ['a', 'b', 'c'],
  checkpoint: 'a',
}

const diamond: Shape = {
  manifest: {
    ...{ name: 'diamond', version: '1.0.0' },
    steps: [
      call('a', 'act', { retry }),
      call('b', 'act', { depends_on: ['a'] }),
      call('c', 'outside', { depends_on: ['a'] }),
      call('d', 'act', { depends_on: ['b', 'c'], retry }),
    ],
    compensation: { b: call('b', 'act', { retry }), c: call('c', 'outside') },
  },
  steps: { a: 'act', b: 'act', c: 'outside', d: 'act' },
  undone: ['b', 'c'],
}

const gate: Shape = {
  manifest: {
    ...{ name: 'gate', version: '1.0.0' },
    steps: [
      call('a', 'act', { retry }),
      {
        ...{
          kind: 'Gate',
          name: 'wait',
          await: { signal: 'go', after_ms: 8_000 },
          condition: 'signal != null',
        },
        ...{ on_true: [call('yes', 'outside')], on_false: [call('no', 'act', { retry })] },
      },
    ],
    compensation: { a: call('a', 'act', { retry }) },
  },
  steps: { a: 'act', 'wait/yes': 'outside', 'wait/no': 'act' },
  one_of: ['wait/yes', 'wait/no'],
  undone: ['a'],
}

const timer: Shape = {
  manifest: {
    ...{ name: 'timer', version: '1.0.0' },
    steps: [
      call('a', 'outside'),
      {
        ...{ kind: 'Gate', name: 'wait', await: { after_ms: 5_000 }, condition: 'true' },
        ...{ on_true: [call('late', 'act', { retry })], on_false: [] },
      },
    ],
    compensation: { a: call('a', 'outside') },
  },
  steps: { a: 'outside', 'wait/late': 'act' },
  undone: ['a'],
}

const queued: Shape = {
  manifest: {
    ...{ name: 'queued', version: '1.0.0', concurrency: { key: '"one"', max: 1 } },
    steps: [call('a', 'act', { retry }), call('b', 'act', { retry })],
  },
  steps: { a: 'act', b: 'act' },
  undone: [],
}

const scheduled: Shape = {
  manifest: {
    ...{ name: 'scheduled', version: '1.0.0', schedule: { cron: '*/20 * * * * *', overlap: 'skip' } },
    steps: [call('a', 'act', { retry })],
  },
  steps: { a: 'act' },
  undone: [],
}

const rounds = [0, 1, 2]
const loops: Shape = {
  manifest: {
    ...{ name: 'loops', version: '1.0.0' },
    steps: [
      {
        ...{ kind: 'ForEach', name: 'each', items: { $cel: '[1, 2, 3]' }, concurrency: 2 },
        steps: [call('x', 'act', { retry }), call('y', 'outside', { retry })],
      },
      {
        ...{ kind: 'Repeat', name: 'again', max: 5, until: 'index == 2', pause_ms: 2_000 },
        steps: [call('z', 'act', { retry })],
      },
    ],
    compensation: { x: call('x', 'act', { retry }), z: call('z', 'act', { retry }) },
  },
  steps: Object.fromEntries(
    rounds.flatMap((round) => [
      [`each/${round}/x`, 'act'],
      [`each/${round}/y`, 'outside'],
      [`again/${round}/z`, 'act'],
    ]),
  ),
  undone: rounds.flatMap((round) => [`each/${round}/x`, `again/${round}/z`]),
}

/** Started only by runs of the next one. */
export const child: Shape = {
  manifest: {
    ...{ name: 'child', version: '1.0.0' },
    steps: [call('c1', 'act', { retry }), { kind: 'Wait', for_ms: 3_000 }, call('c2', 'outside', { retry })],
    compensation: { c1: call('c1', 'act', { retry }) },
  },
  steps: { c1: 'act', c2: 'outside' },
  undone: ['c1'],
}

const parent: Shape = {
  manifest: {
    ...{ name: 'parent', version: '1.0.0' },
    steps: [
      call('a', 'act', { retry }),
      { kind: 'Run', name: 'kid', manifest: 'child', version: '1.0.0' },
      call('z', 'act', { retry }),
    ],
    compensation: { a: call('a', 'act', { retry }) },
  },
  steps: { a: 'act', z: 'act' },
  child: 'kid',
  undone: ['a'],
}

/** Part of the next one only: its runs are never started. */
export const inner_manifest = {
  ...{ name: 'inner', version: '1.0.0' },
  steps: [call('x', 'act'), call('y', 'act')],
}

export function nestedShape(recipe_id: string): Shape {
  const part = { kind: 'SubRecipe', name: 'part', recipe_id, params: {}, retry }
  return {
    manifest: {
      ...{ name: 'nested', version: '1.0.0' },
      steps: [call('a', 'act', { retry }), part, call('z', 'act', { retry })],
      compensation: { a: call('a', 'act', { retry }) },
    },
    steps: { a: 'act', 'part/x': 'act', 'part/y': 'act', z: 'act' },
    undone: ['a'],
  }
}

export const plain_shapes: readonly Shape[] = [chain, diamond, gate, timer, queued, scheduled, loops, parent]
