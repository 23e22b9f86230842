// T4: a challenge is answered once, by its subject, for its audience, in time, in its tenant.
import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { type ResolvedAgentIdentity, unresolved } from '@svc/contract/identity/identity'
import { signText } from '@svc/contract/signing/signature'
import { Client } from 'pg'
import { assertRefusal, assertSuccess } from '../../conformance/dispatch/expectations.ts'
import { type InProcessService, startInProcess } from '../../engines/in-process.ts'
import type { Addresses, Answer } from '../../engines/running-engine.ts'
import { is_long } from '../../faults/scene/chance.ts'
import { type ManualClock, manualClock } from '../../rehearsal/manual-clock.ts'
import {
  askMacs,
  challengeFor,
  lineageThrough,
  newKeyed,
  outputOf,
  responseOf,
} from '../../scenes/test-descent.ts'
import { until } from '../../suite/eventually.ts'

const parallel = is_long ? 100 : 40
const not_judged = ['database busy', 'database unavailable']
const master_key = randomBytes(32)
const revoked = new Set<string>()
const identity = {
  resolve(did: string) {
    const resolved: ResolvedAgentIdentity = {
      ...unresolved(did),
      revoked: revoked.has(did),
      auth_method: 'did',
    }
    return { outcome: 'Resolved' as const, identity: resolved }
  },
}
let clock: ManualClock
let service: InProcessService
let replica: InProcessService
let owner: Client

before(async () => {
  clock = manualClock('2026-11-15T10:00:00.000Z')
  service = await startInProcess({ clock, identity, config: { master_key } })
  const config = { master_key, db_url: service.db_url, agent_did: service.operator.did }
  replica = await startInProcess({ clock, identity, config })
  owner = new Client({ connectionString: service.db_url })
  await owner.connect()
})
after(async () => {
  await owner.end()
  await replica.stop()
  await service.stop()
})

const verify = (caller: Addresses, input: unknown, more = {}) =>
  askMacs(caller, 'verify_response', input, more)
const elsewhere = (): Addresses => ({ ...service, api_url: replica.api_url })
const newAgent = () => newKeyed(service.tenant_id, 'HumanRoot')

/** Refused with this reason, with one alarm and one record of the refusal. */
async function assertAlarmed(answer: Answer, reason: string, asker = service, alarm = reason): Promise<void> {
  const code = reason === 'not_found' ? 'invalid_payload' : 'policy_denied'
  const { correlation_id } = assertRefusal(answer, { code, stage: 7, reason })
  await replica.service.audit_log.flush()
  const records = await service.records(asker.tenant_id, { correlation_ids: [correlation_id] })
  assert.deepEqual(
    records.map(({ event_type, meta, outcome }) => [event_type, meta.reason, outcome]).sort(),
    [
      ['Error', reason, 'refused'],
      ['SecurityViolation', alarm, 'refused'],
    ],
  )
}

/** A call without a connection was not judged, and is retried: a slow machine has fewer than a hundred. */
async function judged(...args: Parameters<typeof verify>): Promise<Answer> {
  return await until('the response is judged', async () => {
    const answer = await verify(...args)
    return !not_judged.includes(answer.body.error?.reason) && answer
  })
}

test(`of ${parallel} equal responses at once, over two replicas, exactly one is accepted`, async (t) => {
  for (const with_keys of [false, true]) {
    const agent = newAgent()
    const issued = await challengeFor(service, agent.did)
    const response = responseOf(agent, issued)
    const answers = await Promise.all(
      Array.from({ length: parallel }, (_, at) =>
        judged(at % 2 ? elsewhere() : service, response, with_keys ? { idempotency_key: randomUUID() } : {}),
      ),
    )
    assert.equal(answers.filter(({ status }) => status === 200).length, 1)
    for (const answer of answers.filter(({ status }) => status !== 200))
      assertRefusal(answer, { code: 'policy_denied', stage: 7, reason: 'challenge already used' })
    const { rows } = await owner.query('SELECT state FROM macs_sessions WHERE session_id = $1', [
      issued.session_id,
    ])
    assert.deepEqual(rows, [{ state: 'VERIFIED' }])
    t.diagnostic(
      `${parallel} responses, ${with_keys ? 'each with a key of its own' : 'without keys'}: 1 accepted`,
    )
  }
})

test('a response made for another subject, audience or purpose is refused, and the right one still passes', async () => {
  const [agent, other] = [newAgent(), newAgent()]
  const issued = await challengeFor(service, agent.did)
  const right = responseOf(agent, issued)
  const signed = (text: string) => ({ ...right, signature: signText(agent.private_key, text) })
  const elsewhere_for = await challengeFor(service, agent.did, { audience: 'another engine' })
  await assertAlarmed(await verify(service, responseOf(other, issued)), 'public key does not match DID')
  const claimed = { ...responseOf(other, issued), agent_did: agent.did }
  await assertAlarmed(await verify(service, claimed), 'public key does not match DID')
  const redirected = issued.signing_input.replace(service.operator.did, 'another engine')
  assert.notEqual(redirected, issued.signing_input)
  await assertAlarmed(await verify(service, signed(redirected)), 'signature invalid')
  await assertAlarmed(await verify(service, signed(elsewhere_for.signing_input)), 'signature invalid')
  const rival = await service.newCaller({ tenant_id: 'rival' })
  const foreign = await verify(rival, right)
  await assertAlarmed(foreign, 'not_found', { ...service, ...rival }, 'challenge unknown')
  assertSuccess(await verify(elsewhere(), right))
})

test('a late response is refused to the millisecond', async () => {
  const agent = newAgent()
  const [in_time, late] = [await challengeFor(service, agent.did), await challengeFor(service, agent.did)]
  clock.advance(119_999)
  assertSuccess(await verify(service, responseOf(agent, in_time)))
  clock.advance(1)
  await assertAlarmed(await verify(service, responseOf(agent, late)), 'challenge expired')
  await assertAlarmed(await verify(service, responseOf(agent, in_time)), 'challenge expired')
})

test('a timestamped nonce binds its time range', async () => {
  const agent = newAgent()
  const issued = await challengeFor(service, agent.did, { challenge_kind: 'TimestampedNonce' })
  assert.match(issued.signing_input, /"issued_at":"/)
  const stretched = issued.signing_input.replace(/"expires_at":"2026/, '"expires_at":"2027')
  const forged = { ...responseOf(agent, issued), signature: signText(agent.private_key, stretched) }
  await assertAlarmed(await verify(service, forged), 'signature invalid')
  assertSuccess(await verify(service, responseOf(agent, issued)))
})

test('the fifth failure invalidates the challenge, counted over both replicas', async () => {
  const agent = newAgent()
  const issued = await challengeFor(service, agent.did)
  const wrong = { ...responseOf(agent, issued), signature: 'A'.repeat(86) }
  const left: unknown[] = []
  for (const [at, caller] of [service, elsewhere(), service, elsewhere(), service].entries()) {
    const answer = await verify(
      caller,
      wrong,
      at % 2 ? { idempotency_key: `wrong ${issued.challenge_id}` } : {},
    )
    await assertAlarmed(answer, 'signature invalid')
    left.push(answer.body.error.details.attempts_left)
  }
  assert.deepEqual(left, [4, 3, 2, 1, 0])
  await assertAlarmed(await verify(service, responseOf(agent, issued)), 'challenge already used')
  const { rows } = await owner.query('SELECT state, bad_responses FROM macs_sessions WHERE session_id = $1', [
    issued.session_id,
  ])
  assert.deepEqual(rows, [{ state: 'FAILED', bad_responses: 5 }])
  const more = await askMacs(service, 'generate_challenge', { session_id: issued.session_id })
  const reason = 'session is FAILED; generate_challenge needs NEGOTIATED, CHALLENGED or VERIFIED'
  assertRefusal(more, { code: 'policy_denied', stage: 7, reason })
})

test('of concurrent wrong responses at most five are judged', async () => {
  const agent = newAgent()
  const issued = await challengeFor(service, agent.did)
  const wrong = { ...responseOf(agent, issued), signature: 'A'.repeat(86) }
  const answers = await Promise.all(Array.from({ length: 30 }, () => verify(service, wrong)))
  const reasons = answers.map(({ body }) => body.error.reason)
  assert.equal(reasons.filter((reason) => reason === 'signature invalid').length, 5)
  assert.equal(reasons.filter((reason) => reason === 'challenge already used').length, 25)
})

test('a revoked identity proves nothing, and its sessions end', async () => {
  const agent = newAgent()
  const [first, second] = [await challengeFor(service, agent.did), await challengeFor(service, agent.did)]
  assertSuccess(await verify(service, responseOf(agent, first)))
  revoked.add(agent.did)
  await assertAlarmed(await verify(service, responseOf(agent, second)), 'identity revoked')
  const { rows } = await owner.query('SELECT state FROM macs_sessions WHERE agent_did = $1', [agent.did])
  assert.deepEqual(rows, [{ state: 'REVOKED' }, { state: 'REVOKED' }])
})

test('a proof uses up all challenges of its session: a renewal answers one that came after it', async () => {
  const agent = newAgent()
  const issued = await challengeFor(service, agent.did)
  const more = outputOf(await askMacs(service, 'generate_challenge', { session_id: issued.session_id }))
  assertSuccess(await verify(service, responseOf(agent, issued)))
  const second = responseOf(agent, more as never)
  await assertAlarmed(await verify(service, second), 'challenge already used')
})

test('a DelegatedAuth session requires an active delegation', async () => {
  const agent = newAgent()
  const issued = await challengeFor(service, agent.did, { profile: 'DelegatedAuth' })
  await assertAlarmed(await verify(service, responseOf(agent, issued)), 'delegation required')
  const delegation = {
    from_did: newAgent().did,
    to_did: agent.did,
    capabilities: [{ name: 'svc.mind.*', caveats: [] }],
    max_redelegation_depth: 0,
    expires_at: '2027-01-01T00:00:00Z',
    signature: 'A'.repeat(86),
  }
  const invented = responseOf(agent, issued, { delegation })
  await assertAlarmed(await verify(service, invented), 'delegation not in force')
})

test('too many challenges are refused: five open in a session, thirty a minute for a DID, also concurrently', async () => {
  const agent = newAgent()
  clock.advance(60_000)
  const open = (session_id: string) => askMacs(service, 'generate_challenge', { session_id })
  const sessions = await Promise.all(
    Array.from({ length: 8 }, async () => {
      const request = { profile: 'DidAuth', challenge_kind: 'Nonce', agent_did: agent.did }
      return outputOf(await askMacs(service, 'auth_negotiation', request)).session_id
    }),
  )
  const first = await Promise.all(Array.from({ length: 8 }, () => open(sessions[0]!)))
  assert.equal(first.filter(({ status }) => status === 200).length, 5)
  const rest = await Promise.all(sessions.slice(1).flatMap((id) => Array.from({ length: 5 }, () => open(id))))
  assert.equal(rest.filter(({ status }) => status === 200).length, 25)
  const refused = rest.find(({ status }) => status !== 200)!
  assertRefusal(refused, { code: 'policy_denied', stage: 7, reason: 'too many open challenges' })
  clock.advance(120_000)
  assert.equal((await open(sessions[0]!)).status, 200)
})

test('a session belongs to its agent and its opener alone', async () => {
  const issued = await challengeFor(service, newAgent().did)
  const missing = { code: 'invalid_payload', stage: 7, reason: 'not_found' } as const
  for (const stranger of [await service.newCaller(), await service.newCaller({ tenant_id: 'rival' })]) {
    const answer = await askMacs(stranger, 'generate_challenge', { session_id: issued.session_id })
    assertRefusal(answer, missing)
  }
  const other_did = { session_id: issued.session_id, agent_did: newAgent().did }
  const answer = await askMacs(service, 'generate_challenge', other_did)
  assertRefusal(answer, { code: 'policy_denied', stage: 7, reason: 'session is of another DID' })
})

test('nonce and token are never stored in plain text, even if the caller sent a key', async () => {
  const [root, agent] = [newAgent(), newKeyed(service.tenant_id, 'Agent')]
  const request = { profile: 'DidAuth', challenge_kind: 'Nonce', agent_did: agent.did }
  const { session_id } = outputOf(await askMacs(service, 'auth_negotiation', request))
  const key = { idempotency_key: randomUUID() }
  const issued = outputOf(await askMacs(service, 'generate_challenge', { session_id }, key)) as never
  const { nonce } = issued as { nonce: string }
  const response = responseOf(agent, issued, { lineage: lineageThrough(root, agent) })
  const again = { idempotency_key: randomUUID() }
  const { session_token } = assertSuccess(await verify(service, response, again)).output
  const replayed = assertSuccess(await verify(service, response, again))
  assert.deepEqual([replayed.metadata.replayed, replayed.output.session_token], [true, session_token])
  await service.service.audit_log.flush()
  const { rows } = await owner.query("SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'")
  const by_code: Record<string, string[]> = {}
  for (const [what, secret] of Object.entries({ nonce, session_token, signature: response.signature })) {
    by_code[what] = []
    for (const { name } of rows) {
      const hit = await owner.query(`SELECT FROM ${name} t WHERE strpos(t::text, $1) > 0`, [secret])
      if (hit.rowCount) by_code[what].push(name)
    }
  }
  assert.deepEqual(by_code, { nonce: ['macs_challenges'], session_token: [], signature: [] })
})
