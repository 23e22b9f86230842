import { operation, protocol, recordingOperation } from '@svc/contract/protocol'
import { administer } from './billing-admin.ts'
import { AdminInput, AdminOutput } from './billing-order.ts'
import { MeterInput, MeterOutput, meter } from './meter-report.ts'
import { RateInput, RateOutput, setRate } from './rate-change.ts'
import { namingRecord, ReconcileInput, ReconcileOutput, reconcile } from './reconcile-books.ts'
import { answerStatement, StatementInput, StatementOutput } from './statement-answer.ts'

const month = { from: '2026-11-01T00:00:00Z', to: '2026-12-01T00:00:00Z' }

export const meal = protocol({
  id: 'MEAL',
  version: 'v1.0.0',
  plane: 'economic',
  estate: 'hybrid',
  rate: 'infrastructure',
  category: 'svc-cognitive',
  summary:
    'Metering and billing: every call counted once, priced exactly, and provable from the chain alone.',

  operations: {
    meter: operation({
      summary: 'Report usage of a service outside, once for each event id.',
      effect: 'write',
      level: 'L1',
      meters: [],
      needs: ['audit_log', 'budgets', 'engine', 'tenants'],
      input: MeterInput,
      output: MeterOutput,
      example: {
        event_id: '3f1c2f0e-7d55-4c7e-9a56-6f0b8f3f9c11',
        tenant_id: 'dev',
        protocol: 'FORGE',
        operation: 'smelt',
        correlation_id: '0e9f7c7a-1f35-4d6a-8a3e-2b6f5f7d9e20',
        tokens_in: 1200,
        tokens_out: 300,
        milliseconds: 840,
        occurred_at: '2026-11-15T10:00:00Z',
      },
      handle: meter,
    }),

    statement: operation({
      summary: 'Get an exact statement of what your organization used and owes in a period.',
      effect: 'read',
      level: 'L0',
      meters: ['seconds'],
      essential: true,
      needs: ['audit_log'],
      input: StatementInput,
      output: StatementOutput,
      example: { tenant_id: 'dev', period: month, group_by: ['protocol', 'agent'] },
      handle: answerStatement,
    }),

    reconcile: recordingOperation({
      summary:
        'Prove that chain, meter, prices, journals, balances and invoices agree, and name what does not.',
      effect: 'write',
      level: 'L1',
      meters: ['seconds'],
      deadline_ms: 120_000,
      needs: ['audit_log', 'authority', 'budgets', 'engine', 'telemetry'],
      input: ReconcileInput,
      output: ReconcileOutput,
      example: { period: month },
      handle: reconcile,
      finish: namingRecord,
    }),

    admin_set_rate: operation({
      summary: 'Give an organization prices of its own from a moment on; for the operator alone.',
      effect: 'write',
      level: 'L2',
      meters: ['seconds'],
      needs: ['authority', 'engine', 'requireAuthority', 'tenants'],
      input: RateInput,
      output: RateOutput,
      example: {
        tenant_id: 'acme',
        overrides: { tokens_per_million_usd: '2.50' },
        effective_from: '2026-12-01T00:00:00Z',
        authority: 'mace://sole-member',
      },
      handle: setRate,
    }),

    admin: operation({
      summary:
        'Set tier and credit of an organization, and close or settle its periods; for the operator alone.',
      effect: 'write',
      level: 'L2',
      meters: ['seconds'],
      needs: ['audit_log', 'authority', 'engine', 'requireAuthority', 'tenants'],
      input: AdminInput,
      output: AdminOutput,
      example: { action: 'close_period', tenant_id: 'acme' },
      handle: administer,
    }),
  },
})
