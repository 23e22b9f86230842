import { operation, protocol } from '@svc/contract/protocol'
import { EmitBatch, EmitInput, EmitOutput, emitSignals } from './emitting.ts'
import {
  ListLogsInput,
  ListLogsOutput,
  ListSpansInput,
  ListSpansOutput,
  listOwnLogs,
  listOwnSpans,
} from './signal-list.ts'

const log = { severity: 'warn', body: 'The queue inbox grows.', attributes: { queue: 'inbox' } }

export const motet = protocol({
  id: 'MOTET',
  version: 'v1.0.0',
  plane: 'awareness',
  estate: 'protocol',
  rate: 'infrastructure',
  category: 'svc-infrastructure',
  summary: 'Measurements: metrics, logs and spans that agents emit.',

  operations: {
    emit: operation({
      summary: 'Record measurements, logs or spans of the calling tenant, also of the past.',
      effect: 'write',
      level: 'L0',
      meters: ['seconds'],
      deadline_ms: 25_000,
      input_bytes_max: 8 * 1024 * 1024,
      // Signals are kept in their own tables and are exported; the record holds a commitment, not a copy.
      keep_input: false,
      needs: ['health', 'telemetry', 'vault'],
      input: EmitInput,
      checked_input: EmitBatch,
      output: EmitOutput,
      example: { signals: [{ name: 'tasks_done', kind: 'counter', value: 1, labels: { queue: 'inbox' } }] },
      handle: emitSignals,
    }),

    list_logs: operation({
      summary: 'Read back the logs you sent, the newest first.',
      effect: 'read',
      level: 'L0',
      meters: ['seconds'],
      reveals: true,
      needs: ['vault'],
      input: ListLogsInput,
      output: ListLogsOutput,
      scene: [{ call: 'MOTET.emit', input: { signals: [log] } }],
      example: { severity: 'warn', contains: 'queue', limit: 10 },
      handle: listOwnLogs,
    }),

    list_spans: operation({
      summary: 'Read back the spans you sent, the newest first.',
      effect: 'read',
      level: 'L0',
      meters: ['seconds'],
      reveals: true,
      needs: ['vault'],
      input: ListSpansInput,
      output: ListSpansOutput,
      example: { status: 'error', limit: 10 },
      handle: listOwnSpans,
    }),
  },
})
