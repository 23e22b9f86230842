// What the examples of MAX begin with: a request that is in the audit log.
import { type SceneStep, stand_ins } from '@svc/contract/scene'

export const correlation_id = '5f0c1d6e-8a52-4b8f-9d5e-0d9c1d1f7a10'
export const remembered: readonly SceneStep[] = [
  {
    call: 'MIND.store_memory',
    input: { kind: 'semantic', payload: { text: 'Gate 4 is locked at night.' } },
  },
]
export const one_request: readonly SceneStep[] = [
  ...remembered,
  {
    call: 'MAX.audit_query',
    input: { protocol: 'MIND', operation: 'store_memory', limit: 1 },
    answer: { records: [{ correlation_id }] },
  },
]

export const report_id = `sha256:${'d4'.repeat(32)}`
export const reported: readonly SceneStep[] = [
  ...remembered,
  {
    call: 'MAX.compliance_report',
    input: { period: { from: stand_ins.a_month_ago, to: stand_ins.in_an_hour } },
    answer: { report_id },
  },
]

export const example_webhook = {
  name: 'approvals',
  address: 'https://hooks.example/svc',
  event_types: ['ApprovalRequested', 'ApprovalGiven', 'ApprovalRefused', 'ApprovalExpired'],
}
export const webhook_set: readonly SceneStep[] = [{ call: 'MAX.set_webhook', input: example_webhook }]
