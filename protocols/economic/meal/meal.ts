import { operation, protocol, recordingOperation } from '@svc/contract/protocol'
import { type SceneStep, stand_ins } from '@svc/contract/scene'
import { administer } from './billing-admin.ts'
import { AdminInput, AdminOutput } from './billing-order.ts'
import { MeterInput, MeterOutput, meter } from './meter-report.ts'
import { RateInput, RateOutput, setRate } from './rate-change.ts'
import { namingRecord, ReconcileInput, ReconcileOutput, reconcile } from './reconcile-books.ts'
import { answerStatement, StatementInput, StatementOutput } from './statement-answer.ts'

const month = { from: stand_ins.a_month_ago, to: stand_ins.in_an_hour }

const something_used: readonly SceneStep[] = [
  { call: 'MANA.budget', input: { tenant_id: stand_ins.tenant, dimension: 'usd' } },
]
const correlation_id = '0e9f7c7a-1f35-4d6a-8a3e-2b6f5f7d9e20'
/** A service reports only what it was asked for: the audit log has the id of the request. */
const pages_read: readonly SceneStep[] = [
  { call: 'OCR.read_pages', input: { document: 'invoice-118.pdf' } },
  {
    call: 'MAX.audit_query',
    input: { protocol: 'OCR', operation: 'read_pages', limit: 1 },
    answer: { records: [{ correlation_id }] },
  },
]

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
        tenant_id: stand_ins.tenant,
        protocol: 'OCR',
        operation: 'read_pages',
        correlation_id,
        tokens_in: 1200,
        tokens_out: 300,
        milliseconds: 840,
        occurred_at: stand_ins.a_minute_ago,
      },
      scene: pages_read,
      example_needs:
        'Register a service of yours with `svc-engine admin protocol add OCR v1.0.0 <endpoint> --did <your DID>`.',
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
      example: { tenant_id: stand_ins.tenant, period: month, group_by: ['protocol', 'agent'] },
      scene: something_used,
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
      scene: something_used,
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
        tenant_id: stand_ins.tenant,
        overrides: { tokens_per_million_usd: '2.50' },
        effective_from: stand_ins.tomorrow,
        authority: 'mace://sole-member',
      },
      example_by: 'operator',
      handle: setRate,
    }),

    admin: operation({
      summary:
        'Set tier and credit of an organization, and close or settle its periods; for the operator alone.',
      effect: 'write',
      level: 'L2',
      meters: ['seconds'],
      needs: ['audit_log', 'authority', 'engine', 'metering', 'requireAuthority', 'tenants'],
      input: AdminInput,
      output: AdminOutput,
      example: {
        action: 'grant_credit',
        tenant_id: stand_ins.tenant,
        amount_usd: '25.00',
        authority: 'mace://sole-member',
      },
      example_by: 'operator',
      handle: administer,
    }),
  },
})
