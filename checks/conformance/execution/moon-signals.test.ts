// MOON over HTTP: each signal is taken by one gate, and one that no gate can take any more is refused to its sender.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type InProcessService, startInProcess } from '../../engines/in-process.ts'
import { dispatch } from '../../engines/running-engine.ts'
import { assertRefusal, assertSuccess } from '../dispatch/expectations.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into outputs of every shape
type Fields = Record<string, any>

let service: InProcessService
let names = 0
before(async () => {
  service = await startInProcess()
})
after(() => service.stop())

const ask = (operation: string, input: unknown, idempotency_key?: string) =>
  dispatch(service, { protocol: 'MOON', operation, input, ...(idempotency_key && { idempotency_key }) })
const run = async (input: Fields): Promise<Fields> =>
  assertSuccess(await ask('execute_workflow', input)).output
const gate = (name: string, signal: string, on_refusal = 'fail') => ({
  kind: 'Gate',
  name,
  await: { signal, on_refusal },
  condition: 'signal.ok',
  on_true: [],
  on_false: [],
})
const not_taken = { code: 'policy_denied', stage: 7, reason: 'signal not awaited' } as const

async function start(...steps: Fields[]) {
  const manifest = { name: `signals-${++names}`, version: '1.0.0', steps }
  const { manifest_ref } = assertSuccess(await ask('submit_manifest', { manifest })).output as Fields
  const { run_ref } = await run({ manifest_ref })
  await waitsAt(run_ref, steps[0]!.name)
  const send = (name: string, ok: boolean, key?: string) =>
    ask('execute_workflow', { action: 'signal', run_ref, signal: { name, payload: { ok } } }, key)
  return { run_ref, send }
}

async function waitsAt(run_ref: string, path: string): Promise<void> {
  for (let look = 0; look < 2000; look++) {
    const { awaiting } = await run({ action: 'status', run_ref })
    if (awaiting.some((one: Fields) => one.path === path)) return
  }
  throw new Error(`run ${run_ref} did not wait at ${path}`)
}

test('a signal for a gate that has decided is refused, and the run goes on as it was decided', async () => {
  const { run_ref, send } = await start(gate('first', 'approved'), gate('second', 'done'))
  assertSuccess(await send('approved', true, 'sent once'))
  await waitsAt(run_ref, 'second')
  const refused = await send('approved', false)
  assertRefusal(refused, not_taken)
  // A repeated call has its first answer, though its gate has decided meanwhile.
  assertSuccess(await send('approved', true, 'sent once'))
  assertSuccess(await send('done', true))
  assert.equal((await run({ action: 'status', run_ref, wait_ms: 20_000 })).state, 'succeeded')
})

test('of two signals at the same moment for one gate, one is refused', async () => {
  const { send } = await start(gate('only', 'approved', 'false'), gate('after', 'done'))
  const answers = await Promise.all([send('approved', true), send('approved', false)])
  const refused = answers.filter(({ body }) => (body as Fields).error)
  assert.equal(refused.length, 1)
  assertRefusal(refused[0]!, not_taken)
})

test('an early signal is kept for its gate, and a second one for the next gate of this name', async () => {
  const { run_ref, send } = await start(gate('hold', 'go'), gate('one', 'approved'), gate('two', 'approved'))
  assertSuccess(await send('approved', true))
  assertSuccess(await send('approved', true))
  assertRefusal(await send('approved', false), not_taken)
  assertSuccess(await send('go', true))
  assert.equal((await run({ action: 'status', run_ref, wait_ms: 20_000 })).state, 'succeeded')
})
