// Memories over HTTP: what an agent keeps for itself, what it shares, and a policy that sees scope and namespace.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { addMember } from '@svc/adapters/access/charter'
import { localAdmin } from '@svc/contract/identity/identity'
import { type InProcessService, startInProcess } from '../../engines/in-process.ts'
import { type Addresses, dispatch } from '../../engines/running-engine.ts'
import { eventually } from '../../suite/eventually.ts'
import { assertRefusal, assertSuccess } from '../dispatch/expectations.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into outputs of every shape
type Fields = Record<string, any>

const rules = `
@reason("nothing about salaries is stored for everybody")
forbid(principal, action, resource == Svc::Operation::"MIND.store_memory")
when { context.input has namespace && context.input.namespace == "salaries" &&
  !(context.input has scope && context.input.scope == "shared") };`
let service: InProcessService
let ann: Addresses
let bob: Addresses
let head: Addresses

before(async () => {
  const identity = {
    resolve: (did: string) => ({
      outcome: 'Resolved' as const,
      identity: { ...localAdmin(did), capabilities: [] },
    }),
  }
  service = await startInProcess({ identity })
  const own = { tenant_id: 'shop' }
  const capabilities = ['svc.mind.*', 'svc.mame.*', 'svc.mantle.*']
  ann = await service.newCaller({ ...own, capabilities })
  bob = await service.newCaller({ ...own, capabilities })
  head = await service.newCaller({ ...own, capabilities: ['svc.maxim.*', 'svc.max.*'] })
  await addMember(service.service.store.engine, 'shop', head.agent_did, new Date())
})
after(() => service?.stop())

const ask = (who: Addresses, name: string, input: unknown) => {
  const [protocol, operation] = name.split('.') as [string, string]
  return dispatch(who, { protocol, operation, input })
}
const done = async (who: Addresses, name: string, input: unknown): Promise<Fields> =>
  assertSuccess(await ask(who, name, input)).output
const store = (text: string, more: Fields = {}) => ({ kind: 'episodic', payload: { text }, ...more })
const about = async (who: Addresses, text: string): Promise<string[]> => {
  const { memories } = await done(who, 'MIND.recall_memory', { predicate: { semantic: { text } } })
  return memories.map(({ payload }: Fields) => payload.text)
}

test('an agent cannot recall, edit, link or fuse what another keeps for itself', async () => {
  const plan = await done(ann, 'MIND.store_memory', store('Offer Hooli 40 000 at most.', { kind: 'working' }))
  const shared = store('Hooli wants an answer.', { scope: 'shared', shared_with: [bob.agent_did] })
  await done(ann, 'MIND.store_memory', shared)
  assert.equal((await about(ann, 'Hooli')).length, 2)
  assert.deepEqual(await about(bob, 'Hooli'), ['Hooli wants an answer.'])
  const mine = await done(bob, 'MIND.store_memory', store('Mine.'))
  const attempts: [string, Fields][] = [
    ['MAME.edit', { target: plan.ref, expected_version: 1, patch: { text: 'Pay.' }, reason: 'r' }],
    ['MAME.redact', { target: plan.ref, reason: 'other' }],
    ['MIND.associate_memories', { source: mine.ref, target: plan.ref, relation: 'near' }],
    ['MIND.fusion_request', { sources: [plan.ref, mine.ref] }],
  ]
  for (const [name, input] of attempts)
    assertRefusal(await ask(bob, name, input), { code: 'invalid_payload', stage: 7, reason: 'not_found' })
})

test('a policy sees scope and namespace of what is stored', async () => {
  const policy = { policy_id: 'salaries', version: '1.0.0', active_from: new Date().toISOString() }
  await done(head, 'MAXIM.author', { ...policy, policy_body: rules })
  const open = store('Ann earns much.', { namespace: 'salaries' })
  const reason = 'policy salaries@1.0.0 forbids: nothing about salaries is stored for everybody'
  await eventually(async () =>
    assertRefusal(await ask(ann, 'MIND.store_memory', open), { code: 'policy_denied', stage: 4, reason }),
  )
  const few = { ...open, scope: 'shared', shared_with: [bob.agent_did] }
  await done(ann, 'MIND.store_memory', few)
  await done(ann, 'MIND.store_memory', { ...open, namespace: 'weather' })
})
