// The caveat `once:<id>`: one call is done under it, for ever, on all engines; a call that is refused has not used it.
import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { operation, protocol } from '@svc/contract/protocol'
import { refuse } from '@svc/contract/refusal'
import { AnyObject, Closed, OneOf } from '@svc/contract/schema'
import { type Answer, dispatch } from '../../engines/running-engine.ts'
import {
  type DelegationScene,
  delegateTo,
  type Member,
  openDelegationScene,
} from '../../scenes/delegation-scene.ts'
import { ask, assertRefusal, assertSuccess } from '../dispatch/expectations.ts'
import { trialProtocol } from '../execution/trial-protocol.ts'

const master_key = randomBytes(32)
const trial = trialProtocol()
let fetched = 0
const outside = protocol({
  id: 'OUTSIDE',
  version: 'v1.0.0',
  plane: 'awareness',
  estate: 'protocol',
  rate: 'standard',
  category: 'svc-infrastructure',
  summary: 'Has an effect that no transaction undoes.',
  operations: {
    act: operation({
      summary: 'Act, refuse or fail.',
      effect: 'write',
      level: 'L0',
      meters: ['seconds'],
      acts_outside: true,
      input: Closed({ how: OneOf('done', 'refused', 'failed') }),
      output: AnyObject,
      example: { how: 'done' },
      handle({ how }) {
        if (how === 'refused') throw refuse('policy_denied', 'It may not be done.', { reason: 'test' })
        if (how === 'failed') throw refuse('adapter_error', 'It broke off.', { reason: 'test' })
        return { acted: ++fetched }
      },
    }),
    nest: operation({
      summary: 'Call another operation.',
      effect: 'write',
      level: 'L0',
      meters: ['seconds'],
      input: Closed({}),
      output: AnyObject,
      example: {},
      handle: async (_input, context) => ({
        answer: await context.call('OUTSIDE', 'act', { how: 'done' }),
      }),
    }),
  },
})
const more_protocols = [trial.protocol, outside]
let scene: DelegationScene
let another: DelegationScene

before(async () => {
  scene = await openDelegationScene({ config: { master_key }, more_protocols })
  another = await startAnother()
})
after(async () => {
  await another?.stop()
  await scene.stop()
})

function startAnother(): Promise<DelegationScene> {
  const identity = {
    resolve(did: string) {
      const registered = scene.known.get(did)
      if (!registered) return { outcome: 'Failed', reason: 'not in the test' } as const
      return { outcome: 'Resolved', identity: registered } as const
    },
  }
  const config = { master_key, db_url: scene.service.db_url }
  return openDelegationScene({ config, clock: scene.clock, identity, more_protocols })
}

const at = (engine: DelegationScene, member: Member): Member => ({
  ...member,
  api_url: engine.service.api_url,
})

let scenes = 0
/** Delegates of one delegator, each with its own token of one id. */
async function newDelegates(count: number, names = ['svc.trial.*']): Promise<Member[]> {
  const caveat = `once:use-${++scenes}`
  const owner = await scene.newMember({ declares: names })
  const members: Member[] = []
  for (let made = 0; made < count; made++) {
    const to = await scene.newMember()
    await delegateTo(owner, { to, capabilities: names.map((name) => ({ name, caveats: [caveat] })) })
    members.push(to)
  }
  return members
}

function assertUsed(answer: Answer): void {
  const { error } = answer.body
  assert.deepEqual(
    [answer.status, error.code, error.reason],
    [403, 'capability_denied', 'caveat not satisfied'],
  )
  assert.match(error.details.caveat, /^once:use-\d+$/)
  assert.match(error.message, /and (it was used before|another call is using it now); ask whoever granted it/)
}

const act = (member: Member, how: string, idempotency_key?: string) =>
  dispatch(member, { protocol: 'OUTSIDE', operation: 'act', input: { how }, idempotency_key })

test('of many calls at once, by several delegates on two engines, one is done', async () => {
  const delegates = await newDelegates(3)
  const before_all = trial.effects.length
  const calls = Array.from({ length: 24 }, (_, place) =>
    ask(at(place % 2 ? scene : another, delegates[place % 3]!), 'note', { text: `${place}` }),
  )
  const answers = await Promise.all(calls)
  assert.equal(answers.filter(({ status }) => status === 200).length, 1)
  for (const answer of answers.filter(({ status }) => status !== 200)) assertUsed(answer)
  assert.equal(trial.effects.length - before_all, 1)
  for (const engine of [scene, another])
    for (const member of delegates) assertUsed(await ask(at(engine, member), 'note', { text: 'x' }))
})

test('a call that is refused has not used it', async () => {
  const [member] = await newDelegates(1)
  const refused = { code: 'invalid_payload', stage: 7 } as const
  assertRefusal(await ask(member!, 'note', { text: 5 }), refused)
  assert.equal((await ask(member!, 'fail', { how: 'policy_denied' })).body.error.code, 'policy_denied')
  assert.equal((await ask(member!, 'fail', { how: 'bug' })).body.error.code, 'internal')
  assert.equal((await ask(member!, 'late')).body.error.code, 'timeout')
  assert.equal((await ask(member!, 'echo', {}, { 'x-svc-dry-run': 'true' })).status, 200)
  assertSuccess(await ask(member!, 'note', { text: 'x' }))
  assertUsed(await ask(member!, 'echo'))
})

test('a retry with the same key gets the answer, and nothing more', async () => {
  const [member] = await newDelegates(1)
  const key = randomUUID()
  const note = (idempotency_key: string, text = 'x') =>
    ask(member!, 'note', { text }, {}, { idempotency_key })
  const first = assertSuccess(await note(key))
  const again = assertSuccess(await note(key))
  assert.deepEqual([again.output, again.metadata.replayed], [first.output, true])
  assert.equal((await note(key, 'other')).body.error.code, 'idempotency_key_reused')
  assertUsed(await note(randomUUID()))
  scene.clock.advance(25 * 3_600_000)
  assertUsed(await note(key))
  scene.clock.advance(-25 * 3_600_000)
})

test('an effect outside uses it up unless it certainly did not happen', async () => {
  const names = ['svc.outside.*']
  const [released] = await newDelegates(1, names)
  assert.equal((await act(released!, 'refused')).body.error.code, 'policy_denied')
  assertSuccess(await act(released!, 'done'))
  assertUsed(await act(released!, 'done'))
  const [in_doubt] = await newDelegates(1, names)
  const key = randomUUID()
  assert.equal((await act(in_doubt!, 'failed', key)).body.error.code, 'adapter_error')
  assertUsed(await act(in_doubt!, 'done'))
  assert.equal(
    (await act(in_doubt!, 'failed', key)).body.error.code,
    'adapter_error',
    'the same call may try again',
  )
  const [keyed] = await newDelegates(1, names)
  assertSuccess(await act(keyed!, 'done', key.replace(/^./, 'x')))
  assertUsed(await act(keyed!, 'done', randomUUID()))
})

test('it covers one call, not those that the operation makes', async () => {
  const [member] = await newDelegates(1, ['svc.outside.*'])
  const nest = () => dispatch(member!, { protocol: 'OUTSIDE', operation: 'nest', input: {} })
  const before_all = fetched
  assertUsed(await nest())
  assert.equal(fetched, before_all)
  assertSuccess(await act(member!, 'done'))
})

test('the same id of another delegator is another right, and a redelegation is none', async () => {
  const capabilities = [{ name: 'svc.trial.*', caveats: ['once:common'] }]
  const owners = [
    await scene.newMember({ declares: ['svc.trial.*'] }),
    await scene.newMember({ declares: ['svc.trial.*'] }),
  ]
  const delegates = [await scene.newMember(), await scene.newMember()]
  const more = { max_redelegation_depth: 1 }
  const first = await delegateTo(owners[0]!, { to: delegates[0]!, capabilities, more })
  await delegateTo(owners[1]!, { to: delegates[1]!, capabilities, more })
  const below = await scene.newMember()
  const redelegated = { max_redelegation_depth: 0, parent_token: first.token_id }
  await delegateTo(delegates[0]!, { to: below, capabilities: ['svc.trial.echo'], more: redelegated })
  assertSuccess(await ask(below, 'echo'))
  const { error } = (await ask(delegates[0]!, 'echo')).body
  assert.equal(error.details.caveat, 'once:common')
  assertSuccess(await ask(delegates[1]!, 'echo'))
})

test('another grant that is enough is used first', async () => {
  const [member] = await newDelegates(1)
  const owner = await scene.newMember({ declares: ['svc.trial.*'] })
  const capability = { name: 'svc.trial.*', caveats: ['input:!has(input.say)'] }
  await delegateTo(owner, { to: member!, capabilities: [capability] })
  for (let calls = 0; calls < 3; calls++) assertSuccess(await ask(member!, 'echo'))
  assertSuccess(await ask(member!, 'echo', { say: 'x' }))
  const { error } = (await ask(member!, 'echo', { say: 'x' })).body
  assert.equal(error.reason, 'caveat not satisfied')
  assertSuccess(await ask(member!, 'echo'))
})
