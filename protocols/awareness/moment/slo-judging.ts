import type { OperationContext } from '@svc/contract/operation-context'
import { refuse } from '@svc/contract/refusal'
import { Closed, described, ListOf, OneOf, Text } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import { AllTenants, servedPlace, tenantSeen } from '../metrics/api.ts'
import {
  type Alert,
  alert_windows,
  alertOf,
  budgetLeft,
  burnRate,
  type SloWindow,
  type Stored,
  sliOf,
  slo_windows,
} from './slo.ts'
import { countGood } from './slo-counting.ts'

const window_names = Object.keys(slo_windows) as SloWindow[]
const default_windows: readonly SloWindow[] = ['5m', '1h', '6h', '3d']

export const SloInput = Closed({
  objective: Closed(
    {
      protocol: Type.Optional(
        Text(64, { description: 'Only calls of this protocol, in any letter case; absent means all.' }),
      ),
      operation: Type.Optional(Text(128, { description: 'Only calls of this operation; absent means all.' })),
      kind: described(
        OneOf('availability', 'latency'),
        'availability: answered or rightly refused; latency: that, and within threshold_ms.',
      ),
      threshold_ms: Type.Optional(
        Type.Number({ exclusiveMinimum: 0, maximum: 100_000, description: 'Where kind is latency: answered within it is good.' }), // biome-ignore format: kept on one line
      ),
      target: Type.Number({ minimum: 0.5, maximum: 0.99999, description: 'The share that must be good.' }),
    },
    { description: 'The promise to be judged.' },
  ),
  windows: Type.Optional(
    described(
      ListOf(OneOf(...window_names), 1, window_names.length),
      'Spans up to now to judge. Default 5m, 1h, 6h and 3d.',
    ),
  ),
  all_tenants: Type.Optional(AllTenants),
})

const every_window = Object.fromEntries(
  window_names.map((name) => [
    name,
    Type.Optional(Type.Number({ description: `Over the last ${name}; absent where not asked for.` })),
  ]),
)

export const SloOutput = Closed({
  good: Type.Number({ description: 'Calls in the longest window that kept the promise.' }),
  total: Type.Number({ description: 'All calls in the longest window.' }),
  sli: Type.Number({ description: 'Good of total, over the longest window; 1 where nothing was asked.' }),
  error_budget_left: Type.Number({ description: 'Of that window; below 0 where more failed than may.' }),
  burn_rate: Closed(every_window, { description: '1 uses up exactly what may fail.' }),
  alert: described(
    OneOf('none', 'ticket', 'page'),
    'page: the budget burns fast enough to act now; ticket: to act soon; none: all is well.',
  ),
})

export async function judgeObjective(
  input: Static<typeof SloInput>,
  context: OperationContext<'authority' | 'engine' | 'served' | 'health'>,
): Promise<Static<typeof SloOutput>> {
  const { windows = default_windows } = input
  requireThreshold(input.objective)
  const objective = { ...input.objective, ...placeOf(input.objective, context) }
  const tenant_id = await tenantSeen(input, context)
  await context.health.settled(context.tenant_id)
  const now_ms = Date.parse(context.now)
  const stored = new Map<SloWindow, Stored>()
  for (const window of new Set([...windows, ...alert_windows]))
    stored.set(window, await countGood(context.db, tenant_id, objective, slo_windows[window], now_ms))
  const longest = [...windows].sort((a, b) => slo_windows[b] - slo_windows[a])[0]!
  const judged = stored.get(longest)!
  const burn = Object.fromEntries(
    [...stored].map(([window, one]) => [window, burnRate(one, objective.target)]),
  )
  const alert: Alert = alertOf(burn)
  return {
    ...judged,
    sli: sliOf(judged),
    error_budget_left: budgetLeft(judged, objective.target),
    burn_rate: Object.fromEntries([...new Set(windows)].map((window) => [window, burn[window]!])),
    alert,
  }
}

type Objective = Static<typeof SloInput>['objective']

/** No calls were made to a misspelt protocol, which would look as if all were well. */
function placeOf({ protocol, operation }: Objective, context: OperationContext<'served'>) {
  const { fault, ...place } = servedPlace({ protocol, operation }, context.served.all())
  if (!fault) return place
  const { field, message } = fault
  throw refuse(
    'invalid_payload',
    `The objective is invalid: /${field} ${message}${message.endsWith('?') ? '' : '.'}`,
    {
      reason: 'invalid objective',
      faults: [{ pointer: `/objective/${field}`, message }],
    },
  )
}

function requireThreshold({ kind, threshold_ms }: Objective): void {
  if ((kind === 'latency') === (threshold_ms !== undefined)) return
  const sentence =
    kind === 'latency'
      ? 'A promise about latency needs threshold_ms: how soon is soon enough?'
      : 'A promise about availability has no threshold_ms; leave it out, or make it one about latency.'
  throw refuse('invalid_payload', sentence, {
    reason: 'threshold',
    faults: [
      { pointer: '/objective/threshold_ms', message: kind === 'latency' ? 'is required' : 'must be absent' },
    ],
  })
}
