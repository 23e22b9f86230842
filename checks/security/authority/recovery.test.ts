// What a thief of a key still has after its identity was recovered, and who can recover it.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { issueKey } from '@svc/adapters/access/api-keys'
import { listWorkloads } from '@svc/adapters/access/workloads'
import { system_clock } from '@svc/adapters/clock/system'
import { keyHash } from '@svc/contract/identity/key-events'
import { signText } from '@svc/contract/signing/signature'
import { type InProcessService, startInProcess } from '../../engines/in-process.ts'
import { type Addresses, dispatch } from '../../engines/running-engine.ts'
import {
  asAgent,
  changeKey,
  childOf,
  commitNext,
  family,
  inSession,
  reasonOf,
  recover,
  withKey,
} from '../../scenes/key-owner.ts'
import { whileLocked } from '../../scenes/locked-row.ts'
import { proveItself } from '../../scenes/own-keyed-agent.ts'
import { isStepCalled, runOf } from '../../scenes/run-step.ts'
import { outputOf, type TestIdentity } from '../../scenes/test-descent.ts'

let engine: InProcessService
before(async () => {
  engine = await startInProcess({ with_nodes: true, identity: (others) => others })
})
after(async () => await engine?.stop())

async function recovered(home: Addresses, by: TestIdentity, subject: TestIdentity): Promise<void> {
  assert.equal(outputOf(await recover(home, by, subject)).state, 'recovered')
}

test('recovery ends the workloads that a thief mapped to the identity', async () => {
  const { home, parent, child } = await family(engine, 'mapped')
  await commitNext(home, child)
  const issuer = 'https://issuer.of.the.thief.example'
  const mapping = { agent_did: child.did, issuer, audience: 'svc', claims: { sub: ['thief'] } }
  outputOf(await asAgent(home, child, 'add_workload', mapping))
  const mapped = () => listWorkloads(engine.service.store.engine, 'mapped')
  assert.equal((await mapped()).length, 1)
  await recovered(home, parent, child)
  assert.equal((await mapped()).length, 0, 'tokens of the thief’s issuer open no session')
})

test('a key that was being made when the identity was recovered does not survive it', async () => {
  const { home, parent, child } = await family(engine, 'making')
  await commitNext(home, child)
  const { session_token } = await proveItself(home, child)
  const request = { protocol: 'MACS', operation: 'create_key', input: { label: 'of the thief' } }
  // Calls that make keys of one agent wait for each other: of many that a thief sends, some are under way.
  const lock = `SELECT pg_advisory_xact_lock(hashtextextended('keys|making|${child.did}', 0))`
  const made = await whileLocked(engine, lock, {
    waiting: () => inSession(home, child, session_token, request),
    meanwhile: () => recovered(home, parent, child),
  })
  assert.equal(reasonOf(made), 'key revoked')
})

test('recovery ends runs that a session of the thief began, even if that session is over', async () => {
  const { home, parent, child } = await family(engine, 'runs')
  await commitNext(home, child)
  const { key_id } = await issueKey(engine.service.store.engine, {
    tenant_id: 'runs',
    did: child.did,
    mode: 'live',
    label: 'a session',
    made_by: child.did,
    proof_key: child.public_key,
    expires_at: new Date(system_clock.now_ms() - 3_600_000).toISOString(),
  })
  const acting = await runOf(engine, key_id)
  assert.equal(await isStepCalled(engine, acting), true)
  await recovered(home, parent, child)
  assert.equal(await isStepCalled(engine, acting), false)
})

test('a key with a budget takes over no descendant by recovering it', async () => {
  const { home, parent, child } = await family(engine, 'budget')
  await commitNext(home, child)
  const made = await asAgent(home, parent, 'create_key', { label: 'small', weekly_budget_usd: '1' })
  const { api_key } = made.body.output
  const { public_key } = withKey(child)
  const input = { agent_did: child.did, public_key, next_key_hash: keyHash(withKey(child).public_key) }
  const answer = await dispatch(
    { ...home, agent_did: parent.did, api_key },
    { protocol: 'MACS', operation: 'recover_key', input },
  )
  assert.equal(reasonOf(answer), 'key with a budget')
})

test('one of those who may recover does not keep the others from it', async () => {
  const { home, parent, child } = await family(engine, 'flooded')
  const [flooder, honest, third] = [
    await childOf(home, parent),
    await childOf(home, parent),
    await childOf(home, parent),
  ]
  const recovery = { dids: [flooder.did, honest.did, third.did], threshold: 2 }
  await commitNext(home, child, { recovery })
  const propose = (by: TestIdentity) => {
    const { public_key } = withKey(child)
    return asAgent(home, by, 'recover_key', {
      agent_did: child.did,
      public_key,
      next_key_hash: 'a'.repeat(64),
    })
  }
  for (let n = 0; n < 9; n++) await propose(flooder)
  assert.equal(outputOf(await propose(honest)).state, 'pending')
})

test('a signature for a recovery counts only while its key does', async () => {
  const { home, parent, child } = await family(engine, 'signed')
  const [robbed, other] = [await childOf(home, parent), await childOf(home, parent)]
  await commitNext(home, child, { recovery: { dids: [robbed.did, other.did], threshold: 2 } })
  const to = withKey(child)
  const pending = outputOf(await recover(home, robbed, child, to)) as Record<string, never>
  assert.deepEqual(pending.missing, ['recoverers'])
  await changeKey(home, robbed)
  const answer = await asAgent(home, other, 'recover_key', {
    agent_did: child.did,
    public_key: to.public_key,
    own_signature: signText(other.private_key, pending.signing_input!),
    own_public_key: other.public_key,
  })
  const { state, signed_by } = outputOf(answer) as Record<string, unknown>
  assert.deepEqual([state, signed_by], ['pending', [other.did]])
})
