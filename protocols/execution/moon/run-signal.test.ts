// Signals: what a gate declares of them, who may send them, and what a bad one does (nothing).
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openKeystore } from '@svc/adapters/custody/keystore'
import { localAdmin } from '@svc/contract/identity/identity'
import type { RecipeStep } from '@svc/contract/recipe'
import { assertRefused } from '../../../checks/rehearsal/assert-refused.ts'
import { type Rehearsal, rehearse, root_keys } from '../../../checks/rehearsal/rehearse.ts'
import { call, open } from '../../../checks/rehearsal/stepped-run.ts'
import { workflowProtocol } from '../../../checks/scenes/workflow-protocol.ts'
import { moon } from './moon.ts'
import { type LoadedRun, readSignals } from './run-loading.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into outputs of every shape
type Fields = Record<string, any>

let stage: Rehearsal
let names = 0
before(async () => {
  const identity = {
    resolve: (did: string) => ({
      outcome: 'Resolved' as const,
      identity: { ...localAdmin(did), ...(did === own_agent && { creator_did: starter }) },
    }),
  }
  const others = [workflowProtocol({ log: [], failing: new Map() })]
  stage = await rehearse(moon, { others, ports: { identity } })
})
after(() => stage?.close())

const [starter, ann, bob, own_agent] = ['a', 'b', 'c', 'd'].map(
  (digit) => `did:oas:acme:agent:${digit.repeat(64)}`,
) as [string, string, string, string]
const gate = (waits: Fields, more: Fields = {}) => ({
  kind: 'Gate',
  condition: 'signal.approved',
  await: { signal: 'approved', ...waits },
  on_true: [],
  on_false: [],
  ...more,
})
const submit = (...steps: Fields[]): Promise<Fields> =>
  stage.run('submit_manifest', { manifest: { name: `signals-${++names}`, version: '1.0.0', steps } })
async function start(waits: Fields): Promise<string> {
  const { manifest_ref } = await submit(gate(waits))
  return (await stage.run('execute_workflow', { manifest_ref }, { did: starter })).run_ref
}
const send = (run_ref: string, signal: Fields, did: string, ...names: string[]): Promise<Fields> =>
  stage.run(
    'execute_workflow',
    { action: 'signal', run_ref, signal },
    { did, ...(names.length > 0 && { capabilities: names.map((name) => ({ name, caveats: [] })) }) },
  )
const approved = { name: 'approved', payload: { approved: true } }

test('a signal that no gate waits for is refused, with the names of those that one does', async () => {
  const refusal = await assertRefused(send(await start({}), { name: 'aproved' }, ann), 'invalid_payload')
  assert.match(refusal.message, /approved/)
})

test('a payload unlike the schema of its gate is refused', async () => {
  const properties = { approved: { type: 'boolean' } }
  const run_ref = await start({ schema: { type: 'object', properties, required: ['approved'] } })
  for (const payload of [undefined, null, { approved: 'yes' }]) {
    const refusal = await assertRefused(send(run_ref, { name: 'approved', payload }, ann), 'invalid_payload')
    assert.equal(refusal.details.reason, 'signal schema')
  }
  await send(run_ref, approved, ann)
})

test('only those who may send a signal do, and four eyes are not those of the starter', async () => {
  const for_ann = await start({ from: { agents: [ann] } })
  const refused = await assertRefused(send(for_ann, approved, bob), 'policy_denied')
  assert.deepEqual(
    [refused.details.reason, refused.message],
    ['sender', 'The signal approved is for 1 named identity; ask that identity to send it.'],
  )
  await send(for_ann, approved, ann)
  const for_others = await start({ from: { not_starter: true } })
  assert.equal(
    (await assertRefused(send(for_others, approved, starter), 'policy_denied')).details.reason,
    'four eyes',
  )
  await send(for_others, approved, bob)
  const for_role = await start({ from: { roles: ['approver'] } })
  assert.equal((await assertRefused(send(for_role, approved, ann), 'policy_denied')).details.reason, 'sender')
  const for_council = await start({ from: { council: true } })
  for (const verdict of [undefined, `mace://verdict/${'d'.repeat(64)}`])
    await assertRefused(
      send(for_council, { ...approved, ...(verdict && { verdict }) }, ann),
      'policy_denied',
      'charter quorum required',
    )
})

test('four eyes are not those of an identity with the same root, nor of a council of one', async () => {
  const run_ref = await start({ from: { not_starter: true, council: true } })
  for (const [did, verdict] of [
    [own_agent, undefined],
    [starter, 'mace://sole-member'],
  ] as const) {
    const refused = send(run_ref, { ...approved, ...(verdict && { verdict }) }, did)
    assert.equal((await assertRefused(refused, 'policy_denied')).details.reason, 'four eyes')
  }
})

test('a role counts only where the credential brings it', async () => {
  const run_ref = await start({ from: { roles: ['finance'] } })
  const bounded = send(run_ref, approved, ann, 'svc.moon.*')
  assert.equal((await assertRefused(bounded, 'policy_denied')).details.reason, 'sender')
  await send(run_ref, approved, ann, 'svc.moon.*', 'svc.role.finance')
})

test('a signal may have a mebibyte, and a turn reads only a few of that size', async () => {
  const rounds = { kind: 'Repeat', max: 10, until: 'false', steps: [gate({})] }
  const { manifest_ref } = await submit(rounds)
  const { run_ref } = await stage.run('execute_workflow', { manifest_ref }, { did: starter })
  const large = (chars: number) => ({
    name: 'approved',
    payload: { approved: true, text: 'x'.repeat(chars) },
  })
  const refusal = await assertRefused(send(run_ref, large(2 ** 20 + 1024), ann), 'invalid_payload')
  assert.equal(refusal.details.reason, 'signal size')
  for (let sent_so_far = 0; sent_so_far < 6; sent_so_far++) await send(run_ref, large(2 ** 20), ann)
  const vault = openKeystore(root_keys).vault('acme')
  const run = { run_id: run_ref.slice('moon://run/'.length) }
  const loaded = { run, awaited: new Set(['approved']), rows: new Map() } as unknown as LoadedRun
  const signals = await stage.as('acme', (db) => readSignals({ db, tenant_id: 'acme', vault }, loaded))
  assert.equal(signals.length, 3)
})

test('a signal that its gate cannot declare, or declares twice, is refused at submission', async () => {
  const schema = { type: 'object' }
  for (const steps of [
    [gate({ schema: { properties: { a: { pattern: '(' } } } })],
    [gate({ signal: 'outcome' })],
    [{ ...gate({}), condition: 'true', await: { after_ms: 10, schema } }],
    [gate({ schema }), gate({})],
  ]) {
    const refusal = await assertRefused(submit(...steps), 'invalid_payload')
    assert.equal(refusal.details.reason, 'signal')
  }
})

const stepped = (waits: Fields, on_true: RecipeStep[] = []) =>
  open({ steps: [{ ...gate(waits, { name: 'ask' }), on_true } as RecipeStep] })
const sent = (seq: number, payload: unknown) => ({ seq, name: 'approved', payload })

test('a signal that the condition cannot read is dropped, and the gate waits for the next', () => {
  const run = stepped({}, [call('pay')])
  run.turn()
  const { taken } = run.turn({}, [sent(1, { aproved: true })])
  run.turn()
  assert.deepEqual([run.run.state, [...taken.keys()]], ['waiting', [1]])
  assert.deepEqual(run.turn({}, [sent(2, {}), sent(3, { approved: true })]).begun, ['ask/pay'])
})

test('signals that cannot be read are dropped a few at a time, and none of them hides the one that can', () => {
  const run = stepped({}, [call('pay')])
  run.turn()
  let waiting = [...Array.from({ length: 30 }, (_, at) => sent(at, {})), sent(30, { approved: true })]
  for (let turns = 0; turns < 3; turns++) {
    const { more, taken } = run.turn({}, waiting)
    assert.deepEqual([more, taken.size], [true, 8])
    waiting = waiting.filter(({ seq }) => !taken.has(seq))
  }
  assert.deepEqual(run.turn({}, waiting).begun, ['ask/pay'])
})

test('a condition that needs a signal says that none came in time', () => {
  const run = stepped({ after_ms: 1000 })
  run.turn()
  run.now_ms += 1001
  run.turn()
  const { message } = run.rows.get('ask')!.error as { message: string }
  assert.match(message, /^No signal approved came in time, .*on_timeout/)
})

test('a gate says what no signal in time and a refusal mean', () => {
  for (const [on_timeout, state, decision] of [
    ['true', 'succeeded', true],
    ['false', 'succeeded', false],
    ['fail', 'failed', undefined],
  ] as const) {
    const run = stepped({ after_ms: 1000, on_timeout })
    run.turn()
    run.now_ms += 1001
    run.turn()
    assert.deepEqual([run.run.state, run.rows.get('ask')?.decision], [state, decision])
  }
  const run = stepped({ on_refusal: 'fail' })
  run.turn()
  run.turn({}, [sent(1, { approved: false })])
  assert.deepEqual([run.run.state, run.run.error_code], ['failed', 'policy_denied'])
})
