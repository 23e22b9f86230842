// What the examples of MAX begin with: a request that is in the audit log.
import type { SceneStep } from '@svc/contract/scene'

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
