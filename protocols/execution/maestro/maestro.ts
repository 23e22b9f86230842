import { operation, protocol } from '@svc/contract/protocol'
import { stand_ins } from '@svc/contract/scene'
import { declare } from './charter-declaring.ts'
import { DeclareInput, DeclareOutput } from './charter-input.ts'
import { RefineInput, RefineOutput } from './plan-refine-schema.ts'
import { refineGoal } from './plan-refining.ts'
import { ReplanInput, ReplanOutput, replanGraph } from './plan-replanning.ts'

const minute_ms = 60_000

const graph_ref = 'maestro://graph/5f0c1d6e-8a52-4b8f-9d5e-0d9c1d1f7a10'
const make_tea = {
  goal: { task: 'make_tea', args: { cup: 'blue' } },
  state: { water: 'cold', cups: { blue: 'empty' } },
  methods: [
    {
      task: 'make_tea',
      subtasks: [
        { id: 'heat', task: 'boil' },
        { id: 'leaves', task: 'add_leaves', args: { cup: { $cel: 'args.cup' } } },
        { id: 'pour', task: 'pour', args: { cup: { $cel: 'args.cup' } } },
      ],
      order: [
        ['heat', 'pour'],
        ['leaves', 'pour'],
      ],
    },
  ],
  operators: [
    {
      name: 'boil',
      effects: [{ set: 'water', to: 'hot' }],
      duration: { opt: 2 * minute_ms, likely: 3 * minute_ms, pess: 5 * minute_ms },
    },
    {
      name: 'add_leaves',
      preconditions: 'state.cups[args.cup] == "empty"',
      effects: [{ set: 'cups.{cup}', to: 'leaves' }],
      duration: { opt: 5_000, likely: 10_000, pess: 20_000 },
    },
    {
      name: 'pour',
      preconditions: ['state.water == "hot"', 'state.cups[args.cup] == "leaves"'],
      effects: [{ set: 'cups.{cup}', to: 'tea' }],
      duration: { opt: 5_000, likely: 5_000, pess: 5_000 },
    },
  ],
}

export const maestro = protocol({
  id: 'MAESTRO',
  version: 'v1.0.0',
  plane: 'execution',
  estate: 'agent',
  rate: 'standard',
  category: 'svc-infrastructure',
  summary:
    'Planning: missions with their limits, goals broken into tasks with times and people, and replanning.',

  operations: {
    'charter.declare': operation({
      summary: 'Declare a mission with its objectives, constraints, budget, agents and ways of working.',
      effect: 'write',
      level: 'L1',
      meters: ['seconds'],
      deadline_ms: 60_000,
      engages: true,
      // Warnings repeat the names of metrics.
      secret_output: true,
      needs: ['budgets', 'compute', 'embedder', 'requireAuthority', 'tenants', 'vault'],
      input: DeclareInput,
      output: DeclareOutput,
      example: {
        name: 'spring-move',
        mission: 'Move the warehouse before the lease ends, without stopping deliveries.',
        objectives: [
          {
            id: 'moved',
            statement: 'All goods are in the new warehouse.',
            metric: { source: 'goods_moved_share', comparator: '>=', target: 1 },
            deadline: stand_ins.in_a_month,
          },
        ],
        constraints: [{ id: 'cheap', expr: 'plan.cost <= 5000.0' }],
        resources: { budget: { usd: '0.5' } },
      },
      handle: declare,
    }),

    'goal.refine': operation({
      summary: 'Break a goal into tasks that can be done, with their order, times, cost and who does them.',
      effect: 'write',
      level: 'L1',
      meters: ['seconds', 'tokens', 'watts'],
      rate_cost: 5,
      deadline_ms: minute_ms,
      budget_default: { tokens: 12_000, deadline_ms: 30_000 },
      input_bytes_max: 2 * 1024 * 1024,
      secret_output: true,
      needs: ['compute', 'embedder', 'model', 'tokens', 'vault'],
      input: RefineInput,
      output: RefineOutput,
      example: make_tea,
      handle: refineGoal,
    }),

    'graph.replan': operation({
      summary: 'Report events that affect a plan, and get back the repaired plan.',
      effect: 'write',
      level: 'L1',
      meters: ['seconds'],
      rate_cost: 3,
      deadline_ms: minute_ms,
      secret_output: true,
      needs: ['compute', 'embedder', 'vault'],
      input: ReplanInput,
      output: ReplanOutput,
      scene: [{ call: 'MAESTRO.goal.refine', input: make_tea, answer: { graph_ref } }],
      example: { graph_ref, expected_version: 1, events: [{ task_id: 't1', kind: 'done' }] },
      handle: replanGraph,
    }),
  },
})
