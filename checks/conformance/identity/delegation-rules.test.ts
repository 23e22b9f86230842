// A delegator's own rules, step-up challenges, and who may end a delegation.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { addMember } from '@svc/adapters/access/charter'
import { signText } from '@svc/contract/signing/signature'
import {
  askAegis,
  askDelegation,
  type DelegationScene,
  delegateTo,
  type Member,
  openDelegationScene,
  revokeDelegation,
  scene_start,
} from '../../scenes/delegation-scene.ts'
import { ask, assertRefusal, assertSuccess } from '../dispatch/expectations.ts'
import { trialProtocol } from '../execution/trial-protocol.ts'

const trial = trialProtocol()
let scene: DelegationScene
before(async () => {
  scene = await openDelegationScene({ more_protocols: [trial.protocol] })
})
after(() => scene.stop())

const policy = (reason: string) => ({ code: 'policy_denied', stage: 7, reason }) as const
const unfit = (reason: string) => ({ code: 'invalid_payload', stage: 7, reason }) as const
const denied = { code: 'capability_denied', stage: 4, reason: 'no matching capability' } as const
const echo = ['svc.trial.echo']

const set = (by: Member, rules: object, more = {}) =>
  askAegis(by, 'policy', { action: 'set', rules, ...more })
const delegator = () => scene.newMember({ declares: ['svc.trial.*'] })

/** A requested and answered challenge, as fields of a call. */
async function stepUp(by: Member, purpose: string, more = {}, signer = by): Promise<Record<string, string>> {
  const request = { subject_did: signer.agent_did, purpose, ...more }
  const { output } = assertSuccess(await askAegis(by, 'challenge', request))
  return {
    challenge_id: String(output.challenge_id),
    challenge_signature: signText(signer.key.private_key, String(output.signing_input)),
    public_key: by.key.public_key,
  }
}

test('rules are versioned: none at first, then one per change, in force from when it was set', async () => {
  const a = await delegator()
  const none = assertSuccess(await askAegis(a, 'policy', { action: 'get' }))
  assert.deepEqual(none.output, { rules: {}, version: 0, delegations: [] })
  const first = assertSuccess(await set(a, { max_depth: 2 }))
  assert.deepEqual(first.output, { rules: { max_depth: 2 }, version: 1, in_force_from: scene_start })
  assert.equal(
    assertSuccess(await set(a, { max_depth: 2 })).output.version,
    1,
    'the same again changes nothing',
  )
  assert.equal(assertSuccess(await set(a, { max_depth: 1 })).output.version, 2)
  const several = await Promise.all([3, 4, 5, 6].map((max_depth) => set(a, { max_depth })))
  assert.deepEqual(several.map((answer) => assertSuccess(answer).output.version).sort(), [3, 4, 5, 6])
})

test('rules apply to new delegations and to earlier ones', async () => {
  const breaches: [rules: object, delegation: Record<string, unknown>, reason: string][] = [
    [{ never: ['svc.trial.*'] }, {}, 'delegation policy forbids svc.trial.echo'],
    [{ never: ['svc.trial.echo'] }, {}, 'delegation policy forbids svc.trial.echo'],
    [{ max_depth: 0 }, { max_redelegation_depth: 1 }, 'redelegation depth exhausted'],
    [{ max_ttl_seconds: 60 }, {}, 'delegation policy forbids more than 60 seconds'],
    [{ allow_kinds: ['Tool', 'Service'] }, {}, 'delegation policy forbids Agent'],
    [{ require_challenge: ['svc.trial.*'] }, {}, 'step-up challenge required'],
  ]
  for (const [rules, more, reason] of breaches) {
    const [a, b, c] = [await delegator(), await scene.newMember(), await scene.newMember()]
    const { token_id } = await delegateTo(a, {
      to: b,
      capabilities: echo,
      more: { max_redelegation_depth: 1 },
    })
    await delegateTo(b, { to: c, capabilities: echo, more: { parent_token: token_id } })
    assertSuccess(await ask(c, 'echo'))
    assertSuccess(await set(a, rules))
    scene.clock.advance(61_000)
    const what = JSON.stringify(rules)
    assert.equal((await ask(c, 'echo')).status, 403, `redelegated before ${what}`)
    // Depth zero still allows the first delegation.
    assert.equal((await ask(b, 'echo')).status, 'max_depth' in rules ? 200 : 403, `delegated before ${what}`)
    const again = await askDelegation(a, { to: c, capabilities: echo, more })
    assertRefusal(again, policy(reason))
  }
})

test('a step-up is a new signature of the delegator, valid once and for one purpose', async () => {
  const [a, b, c] = [await delegator(), await scene.newMember(), await scene.newMember()]
  assertSuccess(await set(a, { require_challenge: ['svc.trial.echo'] }))
  const delegation = { to: b, capabilities: echo }
  assertRefusal(await askDelegation(a, delegation), policy('step-up challenge required'))
  const for_other = await stepUp(a, 'delegate', { capabilities: ['svc.trial.note'] })
  assertRefusal(
    await askDelegation(a, { ...delegation, more: for_other }),
    policy('challenge is for something else'),
  )
  const for_revoking = await stepUp(a, 'revoke')
  assertRefusal(
    await askDelegation(a, { ...delegation, more: for_revoking }),
    policy('challenge is for something else'),
  )
  const proof = await stepUp(a, 'delegate', { capabilities: ['svc.trial.*'] })
  const forged = { ...proof, challenge_signature: signText(b.key.private_key, 'x') }
  assertRefusal(await askDelegation(a, { ...delegation, more: forged }), policy('signature invalid'))
  const { challenge_signature: _, ...half } = proof
  assertRefusal(await askDelegation(a, { ...delegation, more: half }), unfit('challenge incomplete'))
  await delegateTo(a, { ...delegation, more: proof })
  assertSuccess(await ask(b, 'echo'))
  assertRefusal(
    await askDelegation(a, { to: c, capabilities: echo, more: proof }),
    policy('challenge already used'),
  )
  const late = await stepUp(a, 'delegate')
  scene.clock.advance(300_000)
  assertRefusal(
    await askDelegation(a, { to: c, capabilities: echo, more: late }),
    policy('challenge expired'),
  )
})

test("the delegate's consent does not count as the delegator's step-up", async () => {
  const [a, b] = [await delegator(), await scene.newMember({ in_custody: true })]
  assertSuccess(await set(a, { require_challenge: ['svc.trial.note'] }))
  const delegateAccepted = async (capabilities: string[]) => {
    const { public_key: _, ...more } = await stepUp(b, 'accept')
    return askDelegation(a, { to: b, capabilities, more })
  }
  assertRefusal(await delegateAccepted(['svc.trial.note']), policy('step-up challenge required'))
  assertSuccess(await delegateAccepted(echo))
  const unknown = await scene.newMember()
  const { public_key: _, ...more } = await stepUp(unknown, 'accept')
  const refused = await askDelegation(a, { to: unknown, capabilities: echo, more })
  assertRefusal(refused, unfit('public key required'))
})

test('a holder of only the API key cannot remove a guard', async () => {
  const a = await delegator()
  const guarded = { require_challenge: ['svc.trial.*'], max_depth: 3 }
  assertSuccess(await set(a, guarded))
  for (const looser of [
    {},
    { require_challenge: ['svc.trial.echo'], max_depth: 3 },
    { ...guarded, max_depth: 4 },
  ])
    assertRefusal(await set(a, looser), policy('step-up challenge required'))
  assertSuccess(await set(a, { ...guarded, max_depth: 2 }))
  assertSuccess(await set(a, {}, await stepUp(a, 'delegate')))
  const member = await scene.newMember({ declares: ['svc.trial.*'], in_custody: true })
  assertRefusal(await set(member, guarded), policy('key in engine custody'))
})

test("a challenge can be requested by its subject or the subject's creator", async () => {
  const [a, b] = [await delegator(), await scene.newMember()]
  const child = await scene.newMember({ more: { creator_did: a.agent_did } })
  const ask_for = (by: Member, subject: Member) =>
    askAegis(by, 'challenge', { subject_did: subject.agent_did, purpose: 'delegate' })
  assertSuccess(await ask_for(a, child))
  assertRefusal(await ask_for(b, child), policy('not the subject or its parent'))
  const foreign = await scene.newMember({ tenant_id: 'globex' })
  assertRefusal(await ask_for(a, foreign), unfit('not_found'))
  const answers = await Promise.all(Array.from({ length: 20 }, () => ask_for(b, b)))
  assert.equal(answers.filter(({ status }) => status === 200).length, 16)
  const refused = answers.find(({ status }) => status !== 200)!
  assertRefusal(refused, policy('too many open challenges'))
})

test('evaluate gives the same result as delegate, with every reason', async () => {
  const [a, b] = [await delegator(), await scene.newMember()]
  assertSuccess(await set(a, { never: ['svc.trial.note'] }))
  const evaluate = async (by: Member, capabilities: string[], more = {}) => {
    const delegation = {
      from_did: a.agent_did,
      to_did: b.agent_did,
      capabilities,
      expires_at: '2026-11-20T00:00:00Z',
    }
    return askAegis(by, 'policy', { action: 'evaluate', ...delegation, ...more })
  }
  assert.deepEqual(assertSuccess(await evaluate(a, echo)).output, { allowed: true, reasons: [] })
  assert.deepEqual(assertSuccess(await evaluate(b, echo)).output, { allowed: true, reasons: [] })
  assert.deepEqual(
    assertSuccess(await evaluate(a, ['svc.trial.note', 'svc.other.x'], { to_did: a.agent_did })).output,
    {
      allowed: false,
      reasons: [
        'delegation to oneself',
        'capability amplification: svc.other.x',
        'delegation policy forbids svc.trial.note',
      ],
    },
  )
  assertRefusal(
    await evaluate(a, echo, { from_did: b.agent_did.replace(':dev:', ':globex:') }),
    unfit('not_found'),
  )
})

test('revoked by its delegator, an ancestor or a charter member; idempotent; ended delegations stay ended', async () => {
  const [a, b, c, d] = [
    await delegator(),
    await scene.newMember(),
    await scene.newMember(),
    await scene.newMember(),
  ]
  const delegateChain = async () => {
    // The same delegation at the same time would be the same token.
    scene.clock.advance(1_000)
    const more = {
      max_redelegation_depth: 2,
      expires_at: new Date(scene.clock.now_ms() + 3_600_000).toISOString(),
    }
    const first = await delegateTo(a, { to: b, capabilities: echo, more })
    const on = { ...more, max_redelegation_depth: 1, parent_token: first.token_id }
    return [first.token_id, (await delegateTo(b, { to: c, capabilities: echo, more: on })).token_id] as const
  }
  const [first, second] = await delegateChain()
  for (const stranger of [c, d])
    assertRefusal(await revokeDelegation(stranger, second), policy('not yours to revoke'))
  const globex = await scene.newMember({ tenant_id: 'globex' })
  assertRefusal(await revokeDelegation(globex, first), unfit('not_found'))
  const { output, metadata } = assertSuccess(await revokeDelegation(a, second))
  assert.deepEqual(output.revoked, [second])
  const [event] = (await scene.service.records('dev', { correlation_ids: [metadata.correlation_id] })).filter(
    ({ event_type }) => event_type === 'DelegationRevoked',
  )
  assert.deepEqual([event?.meta.token_id, event?.meta.revoked, event?.meta.by], [second, [second], 'lender'])
  assertRefusal(await ask(c, 'echo'), denied)
  assertSuccess(await ask(b, 'echo'))
  scene.clock.advance(1_000)
  assert.deepEqual(
    assertSuccess(await revokeDelegation(a, second)).output,
    output,
    'told again, it happened once',
  )
  await addMember(scene.service.service.store.engine, 'dev', d.agent_did, new Date(scene_start))
  assert.deepEqual(assertSuccess(await revokeDelegation(d, first)).output.revoked, [first])
  const [third, fourth] = await delegateChain()
  assertSuccess(await revokeDelegation(a, third))
  const dead = policy('delegation is PARENT_REVOKED; revoke needs ACTIVE')
  assertRefusal(await revokeDelegation(a, fourth), dead)
  const [fifth] = await delegateChain()
  scene.clock.advance(3_600_000)
  assertRefusal(await revokeDelegation(a, fifth), policy('delegation is EXPIRED; revoke needs ACTIVE'))
  await listsStates(a)
})

async function listsStates(a: Member): Promise<void> {
  const states: string[] = []
  let cursor: string | undefined
  for (let page = 0; page < 5; page++) {
    const request = { action: 'get', limit: 2, ...(cursor ? { cursor } : {}) }
    const { output } = assertSuccess(await askAegis(a, 'policy', request))
    states.push(...(output.delegations as { state: string }[]).map(({ state }) => state))
    cursor = output.next_cursor as string | undefined
    if (!cursor) break
  }
  assert.deepEqual(states, ['EXPIRED', 'REVOKED', 'REVOKED'], 'newest first, over two pages')
  assertRefusal(await askAegis(a, 'policy', { action: 'get', cursor: 'x' }), unfit('cursor'))
}

test('each action accepts only its own fields', async () => {
  const a = await delegator()
  for (const input of [
    { action: 'set' },
    { action: 'get', token_id: `sha256:${'0'.repeat(64)}` },
    { action: 'revoke', token_id: `sha256:${'0'.repeat(64)}` },
    { action: 'evaluate', from_did: a.agent_did },
  ]) {
    const error = assertRefusal(await askAegis(a, 'policy', input), unfit('schema'))
    assert.ok((error.details.faults as object[]).length > 0)
  }
})
