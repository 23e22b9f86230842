import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CachedKeyRing } from '@svc/adapters/access/key-ring'
import { nativeEndpoint } from '@svc/adapters/endpoint/native'
import type { PostgresStore } from '@svc/adapters/store/postgres'
import type { AuditLog } from '@svc/audit/audit-log'
import type { Database } from '@svc/contract/database'
import { type Refusal, refuse, unavailable } from '@svc/contract/refusal'
import type { Engine, Outcome } from '@svc/engine/dispatch'
import { openRegistry } from '@svc/engine/routing/registry'
import type { ExternalEffect } from '@svc/protocols/execution/moon/api'
import { manualClock } from '../../checks/rehearsal/manual-clock.ts'
import { MemoryAuditLog } from '../../checks/rehearsal/memory-audit-log.ts'
import { steps_protocol } from '../../checks/simulation/workflow/steps-protocol.ts'
import { perform } from './workflows.ts'

const registry = openRegistry()
registry.register(steps_protocol, [nativeEndpoint(steps_protocol)])
const person = { key_id: 'session:one', did: 'did:oas:acme:agent:one', tenant_id: 'acme' }

type Fence = NonNullable<ExternalEffect['fence']>

interface StepChoices {
  readonly is_late?: boolean
  readonly fence?: Fence
  readonly signals?: (AbortSignal | undefined)[]
}

/** A step whose call is refused, at once or only once it is stopped for being late. */
function performRefused(
  refusal: Refusal,
  stage: number,
  { is_late = false, fence, signals = [] }: StepChoices = {},
) {
  const common = { correlation_id: 'c', tenant_id: 'acme', record_id: null, audit_head: null }
  const outcome = { kind: 'refused', refusal, stage, ...common } as unknown as Outcome
  const dispatch: Engine['dispatch'] = async ({ signal, fence: asked_fence }) => {
    signals.push(signal)
    await asked_fence?.({} as Database)
    if (is_late) await new Promise((resolve) => signal?.addEventListener('abort', resolve))
    return outcome
  }
  const step: ExternalEffect = {
    ...{ tenant_id: 'acme', protocol: 'STEPS', operation: 'act', input: {}, idempotency_key: 'key' },
    ...{ timeout_ms: is_late ? 1 : 60_000, workflow: { run: 'moon://run/r', path: 'act' } },
    acting: { ...person, tier: 'charter', capabilities: [], correlation_id: 'c', depth: 0 },
    ...(fence && { fence }),
  }
  const parts = {
    registry,
    engine: { dispatch } as Engine,
    keys: {} as CachedKeyRing,
    store: {} as PostgresStore,
    audit_log: new MemoryAuditLog() as unknown as AuditLog,
    clock: manualClock('2026-11-15T10:00:00Z'),
  }
  return perform(parts, step, new AbortController().signal)
}

test('a late step whose commit was not confirmed may be done; any other late step is not', async () => {
  const lost = unavailable('database', new Error('cut'), 'unknown')
  const unconfirmed = await performRefused(lost, 7, { is_late: true })
  assert.equal(unconfirmed.kind === 'refused' && unconfirmed.details.outcome, 'unknown')
  const stopped = await performRefused(refuse('adapter_error', 'No answer; try again.', {}), 7, {
    is_late: true,
  })
  assert.equal(stopped.kind === 'refused' && stopped.code, 'timeout')
})

test('only a refusal by the step itself shows that its key was free', async () => {
  const busy = refuse('rate_limited', 'Too many calls; wait.', {})
  const claimed = async (refusal: Refusal, stage: number) => {
    const performed = await performRefused(refusal, stage)
    return performed.kind === 'refused' && performed.has_claimed
  }
  assert.equal(await claimed(busy, 7), true)
  assert.equal(await claimed(busy, 3), false)
  assert.equal(await claimed(unavailable('database', new Error('cut')), 7), false)
  assert.equal(await claimed(refuse('no_endpoint_available', 'The database is busy; wait.', {}), 7), false)
})

test('a late step says whether its key was free, and that an earlier attempt still has it', async () => {
  const late = async (refusal: Refusal) => {
    const performed = await performRefused(refusal, 7, { is_late: true })
    return performed.kind === 'refused' && [performed.code, performed.has_claimed]
  }
  assert.deepEqual(await late(refuse('adapter_error', 'No answer; try again.', {})), ['timeout', true])
  const busy = refuse('no_endpoint_available', 'The database is busy; wait.', {})
  assert.deepEqual(await late(busy), ['timeout', false])
  const in_flight = refuse('idempotency_in_flight', 'It is still running; wait.', {})
  assert.deepEqual(await late(in_flight), ['idempotency_in_flight', false])
})

test('the call of a step is fenced by its run', async () => {
  let fenced = 0
  const fence = async () => void fenced++
  await performRefused(refuse('rate_limited', 'Too many calls; wait.', {}), 7, { fence })
  assert.equal(fenced, 1)
})

test('nothing listens any more for the end of a call that is over', async () => {
  const signals: (AbortSignal | undefined)[] = []
  await performRefused(refuse('rate_limited', 'Too many calls; wait.', {}), 7, { signals })
  assert.deepEqual(
    signals.map((signal) => signal?.aborted),
    [true],
  )
})
