// More attacks: delegations of bounded keys and sessions, approvals, and hostile inputs. Each test states what must hold.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { issueKey, revokeKey } from '@svc/adapters/access/api-keys'
import { operation, protocol } from '@svc/contract/protocol'
import { AnyObject } from '@svc/contract/schema'
import { dispatch } from '../../engines/running-engine.ts'
import {
  askAegis,
  type DelegationScene,
  delegateTo,
  openDelegationScene,
} from '../../scenes/delegation-scene.ts'
import { dpopProof } from '../../scenes/dpop-proof.ts'
import { newKeyed, responseOf } from '../../scenes/test-descent.ts'

const open = protocol({
  id: 'OPEN',
  version: 'v1.0.0',
  plane: 'economic',
  estate: 'protocol',
  rate: 'infrastructure',
  category: 'svc-commerce',
  summary: 'Takes any object.',
  operations: {
    act: operation({
      level: 'L0',
      meters: ['seconds'],
      effect: 'write',
      summary: 'Act.',
      input: AnyObject,
      output: AnyObject,
      example: {},
      handle: () => ({}),
    }),
  },
})
let scene: DelegationScene
before(async () => {
  scene = await openDelegationScene({ more_protocols: [open] })
})
after(async () => await scene?.stop())
const show = (answer: { status: number; body: unknown }) =>
  JSON.stringify([answer.status, answer.body]).slice(0, 500)
const act = (input = {}) => ({ protocol: 'OPEN', operation: 'act', input })
const db = () => scene.service.service.store.engine

test('a bounded key delegates nothing beyond its bounds, by parent token neither', async () => {
  const root = await scene.newMember({ declares: ['svc.open.act'] })
  // The engine signs for it, so whoever has the key needs nothing else.
  const middle = await scene.newMember({ in_custody: true })
  const thief = await scene.newMember()
  const { token_id } = await delegateTo(root, {
    to: middle,
    capabilities: ['svc.open.act'],
    more: { max_redelegation_depth: 2 },
  })
  const { api_key } = await issueKey(db(), {
    tenant_id: 'dev',
    did: middle.agent_did,
    mode: 'live',
    made_by: middle.agent_did,
    usable_for: ['svc.aegis.delegate'],
  })
  const bounded = { ...middle, api_key }
  assert.equal((await dispatch(bounded, act())).status, 403)
  const wish = { to_did: thief.agent_did, capabilities: ['svc.open.act'], expires_at: '2026-11-20T00:00:00Z' }
  const direct = await askAegis(bounded, 'delegate', wish)
  assert.equal(direct.status, 422, show(direct))
  const answer = await askAegis(bounded, 'delegate', { ...wish, parent_token: token_id })
  assert.equal(answer.status, 422, show(answer))
  const used = await dispatch(thief, act())
  assert.notEqual(
    used.status,
    200,
    `a key for svc.aegis.delegate alone passed svc.open.act on: ${show(used)}`,
  )
})

test('a session under one delegation makes no key beyond it', async () => {
  const root = await scene.newMember({ declares: ['svc.macs.create_key'] })
  const agent = await scene.newMember({ declares: ['svc.open.act'] })
  const { token } = await delegateTo(root, { to: agent, capabilities: ['svc.macs.create_key'] })
  const macs = async (operation: string, input: object) =>
    dispatch(agent, { protocol: 'MACS', operation, input })
  const opened = await macs('auth_negotiation', { profile: 'DelegatedAuth', challenge_kind: 'Nonce' })
  const issued = await macs('generate_challenge', { session_id: opened.body.output.session_id })
  const proven = await macs(
    'verify_response',
    responseOf({ ...agent.key, did: agent.agent_did } as never, issued.body.output, { delegation: token }),
  )
  assert.equal(proven.status, 200, show(proven))
  const { session_token } = proven.body.output
  const url = `${agent.api_url}/v1/dispatch`
  const issued_s = Math.floor(scene.clock.now_ms() / 1000)
  const send = (request: object) =>
    dispatch(agent, request, {
      authorization: `DPoP ${session_token}`,
      dpop: dpopProof(agent.key, { url, token: session_token, issued_s }),
    })
  const refused = await send(act())
  assert.equal(refused.status, 403, show(refused))
  const made = await send({ protocol: 'MACS', operation: 'create_key', input: { label: 'wide' } })
  assert.deepEqual(made.body.output?.capabilities, ['svc.macs.create_key'], show(made))
  const used = await dispatch({ ...agent, api_key: made.body.output.api_key }, act())
  assert.notEqual(used.status, 200, show(used))
})

const waits = { name: 'svc.open.act', caveats: ['approval:role:finance'] }

test('consent ends with the role by which it was given', async () => {
  const caller = await scene.newMember({ carries: [waits] })
  const approver = await scene.newMember({ carries: ['svc.role.finance', 'svc.maxim.*'] })
  const waiting = await dispatch(caller, act())
  assert.equal(waiting.body.error.code, 'approval_required', show(waiting))
  const input = { approval_id: waiting.body.error.details.approval_id, decision: 'approve' }
  const decided = await dispatch(approver, { protocol: 'MAXIM', operation: 'approval_decide', input })
  assert.equal(decided.status, 200, show(decided))
  await revokeKey(db(), 'dev', approver.key_id)
  const used = await dispatch(caller, act())
  assert.notEqual(used.status, 200, show(used))
})

test('no name of an input field breaks the request for approval', async () => {
  const caller = await scene.newMember({ carries: [waits] })
  const waiting = await dispatch(caller, act({ [`${'a'.repeat(63)}😀`]: 1 }))
  assert.equal(waiting.body.error?.code, 'approval_required', show(waiting))
})

test('no token makes the exchange fail inside', async () => {
  const pod = newKeyed('pod', 'Agent')
  const url = `${scene.service.api_url}/oauth/token`
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  for (const claims of [
    { iss: 'https://a\u0000', sub: 'x' },
    { iss: '\ud800', sub: 'x' },
    { iss: 'x'.repeat(9000) },
    { aud: null },
    { iss: 'https://a.example', exp: 1e300 },
  ]) {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { dpop: dpopProof(pod, { url, issued_s: Math.floor(scene.clock.now_ms() / 1000) }) },
      body: new URLSearchParams({
        grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
        client_id: 'svc-workload',
        subject_token: `${part({ alg: 'RS256' })}.${part(claims)}.AAAA`,
        subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
      }),
    })
    const text = await answer.text()
    assert.ok(answer.status < 500, text)
  }
})
