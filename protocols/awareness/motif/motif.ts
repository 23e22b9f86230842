import { operation, protocol } from '@svc/contract/protocol'
import { stand_ins } from '@svc/contract/scene'
import { alert_operations } from './alerts/operations.ts'
import { HistoryInput, HistoryOutput, readCallHistory } from './call-history.ts'
import { DetectInput, DetectOutput, detectIn } from './metric-detect.ts'
import { ListMetricsInput, ListMetricsOutput, listOwnMetrics } from './metric-list.ts'
import { QueryInput, QueryOutput, queryMetric } from './metric-query.ts'

export const motif = protocol({
  id: 'MOTIF',
  version: 'v1.0.0',
  plane: 'awareness',
  estate: 'protocol',
  rate: 'infrastructure',
  category: 'svc-infrastructure',
  summary: 'Measurements over time: windows, repeating patterns, anomalies, changepoints and alerts.',

  operations: {
    query: operation({
      summary: 'Read measurements: your own series, and the metrics of your calls.',
      effect: 'read',
      level: 'L0',
      meters: ['seconds'],
      deadline_ms: 5_000,
      needs: ['authority', 'engine', 'health'],
      input: QueryInput,
      output: QueryOutput,
      scene: [
        {
          call: 'MOTET.emit',
          input: { signals: [{ name: 'tasks_open', kind: 'gauge', value: 17, labels: { queue: 'inbox' } }] },
        },
      ],
      example: {
        metric: 'tasks_open',
        from: stand_ins.an_hour_ago,
        to: stand_ins.in_an_hour,
        step_ms: 60_000,
        function: 'max',
      },
      handle: queryMetric,
    }),
    list_metrics: operation({
      summary: 'List the metrics of your organization, with their labels.',
      effect: 'read',
      level: 'L0',
      meters: ['seconds'],
      deadline_ms: 5_000,
      needs: ['health'],
      input: ListMetricsInput,
      output: ListMetricsOutput,
      scene: [
        {
          call: 'MOTET.emit',
          input: { signals: [{ name: 'tasks_open', kind: 'gauge', value: 17, labels: { queue: 'inbox' } }] },
        },
      ],
      example: { prefix: 'tasks_' },
      handle: listOwnMetrics,
    }),
    history: operation({
      summary:
        'Read how many calls were made, refused and failed, how long they took and what they cost, over time.',
      effect: 'read',
      level: 'L0',
      meters: ['seconds'],
      deadline_ms: 5_000,
      needs: ['authority', 'engine'],
      input: HistoryInput,
      output: HistoryOutput,
      scene: [
        {
          call: 'MAX.audit_log_entry',
          input: { event_type: 'custom.shift_started', meta: { shift: 'night' } },
        },
      ],
      example: { from: stand_ins.an_hour_ago, to: stand_ins.now, by: 'operation', top: 5 },
      handle: readCallHistory,
    }),
    detect: operation({
      summary: 'Find repeating patterns, anomalies and changepoints in a series.',
      effect: 'read',
      level: 'L1',
      meters: ['seconds', 'watts'],
      deadline_ms: 5_000,
      needs: ['authority', 'compute', 'engine', 'health'],
      input: DetectInput,
      output: DetectOutput,
      example: { metric: 'svc_dispatch_total', window: 12, kinds: ['anomaly', 'changepoint'] },
      handle: detectIn,
    }),
    ...alert_operations,
  },
})
