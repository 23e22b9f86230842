// The next step of a workflow run, for tests of what its credential is still worth.
import assert from 'node:assert/strict'
import { keyRing } from '@svc/adapters/access/key-ring'
import { system_clock } from '@svc/adapters/clock/system'
import type { StandIn } from '@svc/contract/needs/stand-in'
import { perform } from '@svc/service/background/workflows'
import type { InProcessService } from '../engines/in-process.ts'

const silent = { warn() {}, error() {}, info() {}, debug() {} } as never

/** What a run carries that was begun with this key. */
export async function runOf({ service }: InProcessService, key_id: string): Promise<StandIn> {
  const key = await keyRing(service.store.engine, system_clock, silent).find(key_id)
  const { secret_hash: _s, expires_at_ms: _e, revoked: _r, ...credential } = key!
  return { ...credential, correlation_id: system_clock.uuid(), depth: 0 }
}

/** Whether its next step is called, by an engine that has just started. */
export async function isStepCalled({ service }: InProcessService, acting: StandIn): Promise<boolean> {
  const { store, registry, audit_log } = service
  let is_called = false
  const dispatch = async () => {
    is_called = true
    return { kind: 'success', output_text: '{}', record_id: null }
  }
  const keys = keyRing(store.engine, system_clock, silent)
  const parts = { audit_log, engine: { dispatch }, registry, keys, clock: system_clock, store }
  const { tenant_id } = acting
  const call = { protocol: 'MARS', operation: 'query_registry', input: {}, tenant_id }
  const effect = { ...call, acting, workflow: {}, timeout_ms: 1000 }
  const outcome = await perform(parts as never, effect as never, new AbortController().signal)
  if (outcome.kind === 'refused') assert.equal(outcome.details.reason, 'key revoked')
  return is_called
}
