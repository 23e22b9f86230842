import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ChangeNotifications } from '@svc/contract/needs/change-notifications'
import type { OperationContext } from '@svc/contract/operation-context'
import { createEngine } from '@svc/engine/dispatch'
import { askedOf, test_tenant, testNeeds, testPorts, tryProtocol } from '../../checks/rehearsal/test-ports.ts'
import { countingWaits } from './counting-waits.ts'

/** Looks take 3 ms each, and nothing ever arrives. */
async function poll(_: unknown, context: OperationContext<'change_notifications'>) {
  const listening = context.change_notifications.listen('mail')
  await listening.wait(900)
  await listening.heard(3)
  await listening.wait(20_000)
  await listening.heard(4)
  listening.close()
  return {}
}

function open() {
  const ports = testPorts([tryProtocol(poll as never, { effect: 'read' })], {
    needs: testNeeds({
      change_notifications: ({ context }) => countingWaits(changes, context.used),
    }),
  })
  const pass = async (ms: number) => {
    ports.clock.advance(ms)
    return false
  }
  const changes: ChangeNotifications = {
    tell() {},
    listen: () => ({ heard: pass, wait: pass, elapsed_ms: () => ports.clock.monotonic_ms(), close() {} }),
  }
  return ports
}

test('an empty long poll costs its work, and its waiting is recorded and answered apart', async () => {
  const ports = open()
  const outcome = await createEngine(ports).dispatch(askedOf())
  assert.ok(outcome.kind === 'success')
  const { seconds, waiting_seconds, amount_usd } = outcome.metadata.usage
  assert.deepEqual([seconds, waiting_seconds, amount_usd], [0.007, 20.9, '0.000126'])
  const { usage } = ports.audit_log.records(test_tenant).at(-1)!.meta as { usage: Record<string, number> }
  assert.deepEqual([usage.ms, usage.waited_ms], [7, 20_900])
})

test('a wait that fails counts too', async () => {
  let now_ms = 0
  const used: { waited_ms?: number } = {}
  const failing = async (ms: number) => {
    now_ms += ms
    throw new Error('gone')
  }
  const listening = { heard: failing, wait: failing, elapsed_ms: () => now_ms, close() {} }
  const { wait } = countingWaits({ tell() {}, listen: () => listening }, used).listen('mail')
  await assert.rejects(wait(30), /gone/)
  assert.equal(used.waited_ms, 30)
})
