// T22, stale authority: what one engine revokes, every engine is notified of and never grants again, long
// before a cached grant expires.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, test } from 'node:test'
import { createUser } from '@svc/adapters/accounts/users'
import { system_clock } from '@svc/adapters/clock/system'
import { ask } from '../../conformance/dispatch/expectations.ts'
import { trialProtocol } from '../../conformance/execution/trial-protocol.ts'
import { type InProcessService, startInProcess } from '../../engines/in-process.ts'
import { is_long, quantile, report } from '../../faults/scene/chance.ts'
import { manualClock } from '../../rehearsal/manual-clock.ts'
import {
  askAegis,
  type DelegationScene,
  delegateTo,
  type Member,
  openDelegationScene,
} from '../../scenes/delegation-scene.ts'
import { password, signIn } from '../../scenes/login-journey.ts'
import { eventually } from '../../suite/eventually.ts'
import { stopwatch } from '../../suite/real-time.ts'

const revocations = is_long ? 200 : 4
/** A cached grant lives up to a minute; a stale one shows at once, so a few looks are enough. */
const looks_after = 5

let scene: DelegationScene
let replica: InProcessService

before(async () => {
  const trial = trialProtocol()
  const clock = manualClock(new Date(system_clock.now_ms()).toISOString())
  const master_key = randomBytes(32)
  scene = await openDelegationScene({ clock, config: { master_key }, more_protocols: [trial.protocol] })
  const identity = {
    resolve(did: string) {
      const registered = scene.known.get(did)
      return registered
        ? ({ outcome: 'Resolved', identity: registered } as const)
        : ({ outcome: 'Failed', reason: 'not in the test' } as const)
    },
  }
  // The same tenants, keys, audit log and node; another process would differ only in its address space.
  const config = { db_url: scene.service.db_url, master_key }
  replica = await startInProcess({
    clock,
    config,
    identity,
    with_nodes: true,
    more_protocols: [trial.protocol],
  })
})
after(async () => {
  await replica.stop()
  await scene.stop()
})

const atReplica = (member: Member): Member => ({
  ...member,
  api_url: `http://127.0.0.1:${replica.service.port}`,
})
const inAnHour = () => new Date(system_clock.now_ms() + 3_600_000).toISOString()

/** The clock stands still, so no cached grant expires: only a notification ends it. */
async function untilDenied(callers: readonly Member[]): Promise<number[]> {
  const elapsed_ms = stopwatch()
  return Promise.all(
    callers.map(async (caller) => {
      await eventually(async () => assert.equal((await ask(caller, 'echo')).status, 403))
      return elapsed_ms()
    }),
  )
}

test('a revoked delegation is denied on both engines before any cache expires, with all its redelegations', async (t) => {
  t.diagnostic(`N=${revocations}`)
  const waits: number[] = []
  for (let round = 0; round < revocations; round++) {
    const a = await scene.newMember({ declares: ['svc.trial.*'] })
    const [b, c] = [await scene.newMember(), await scene.newMember()]
    const expires_at = inAnHour()
    const more = { max_redelegation_depth: 1, expires_at }
    const { token_id } = await delegateTo(a, { to: b, capabilities: ['svc.trial.echo'], more })
    const on = { expires_at, parent_token: token_id }
    await delegateTo(atReplica(b), { to: c, capabilities: ['svc.trial.echo'], more: on })
    const callers = [b, c, atReplica(b), atReplica(c)]
    await eventually(async () => {
      for (const caller of callers) assert.equal((await ask(caller, 'echo')).status, 200)
    })
    // Once from each side: the other engine must learn of it from the database.
    const by = round % 2 ? a : atReplica(a)
    const revoked = await askAegis(by, 'policy', { action: 'revoke', token_id, reason: 'test' })
    assert.equal(revoked.status, 200, JSON.stringify(revoked.body))
    waits.push(...(await untilDenied(callers)))
    for (let look = 0; look < looks_after; look++)
      for (const caller of callers) assert.equal((await ask(caller, 'echo')).status, 403)
  }
  report(t, { revocations, p50_ms: quantile(waits, 0.5), max_ms: Math.max(...waits) })
})

test('an API key with delegated capabilities is revoked: they are gone on both engines before any cache expires', async () => {
  const a = await scene.newMember({ carries: ['svc.trial.*'] })
  const b = await scene.newMember()
  await delegateTo(a, { to: b, capabilities: ['svc.trial.echo'], more: { expires_at: inAnHour() } })
  const callers = [b, atReplica(b)]
  await eventually(async () => {
    for (const caller of callers) assert.equal((await ask(caller, 'echo')).status, 200)
  })
  const { store } = scene.service.service
  await store.engine_pool.query('UPDATE api_keys SET revoked_at = now() WHERE key_id = $1', [a.key_id])
  await untilDenied(callers)
})

test('two engines cannot redelegate past a revocation: nothing below it stays active', async (t) => {
  const rounds = is_long ? 100 : 3
  t.diagnostic(`N=${rounds}`)
  for (let round = 0; round < rounds; round++) {
    const a = await scene.newMember({ declares: ['svc.trial.*'] })
    const b = await scene.newMember()
    const expires_at = inAnHour()
    const delegated = await delegateTo(a, {
      to: b,
      capabilities: ['svc.trial.echo'],
      more: { max_redelegation_depth: 1, expires_at },
    })
    const others = await Promise.all(Array.from({ length: 4 }, () => scene.newMember()))
    const on = { expires_at, parent_token: delegated.token_id }
    const delegation = others.map((to, i) =>
      delegateTo(i % 2 ? b : atReplica(b), { to, capabilities: ['svc.trial.echo'], more: on }).then(
        () => 1,
        () => 0,
      ),
    )
    const by = round % 2 ? a : atReplica(a)
    const revoking = askAegis(by, 'policy', {
      action: 'revoke',
      token_id: delegated.token_id,
      reason: 'test',
    })
    const [revoked, ...statuses] = await Promise.all([revoking, ...delegation])
    assert.equal(revoked.status, 200)
    const { rows } = await scene.service.service.store.engine_pool.query(
      'SELECT state, count(*)::int AS n FROM delegations WHERE root_id = $1 GROUP BY state',
      [delegated.token_id],
    )
    const count = (state: string) => rows.find((row) => row.state === state)?.n ?? 0
    assert.deepEqual([count('ACTIVE'), count('REVOKED')], [0, 1])
    assert.equal(
      count('PARENT_REVOKED'),
      statuses.reduce((sum, one) => sum + one, 0),
    )
    assert.equal(revoked.body.output.revoked.length, 1 + count('PARENT_REVOKED'))
  }
})

test("a person's delegation is not copied into a key, where it would outlive its revocation", async () => {
  const delegator = await scene.newMember({ declares: ['svc.trial.*'] })
  const person = await scene.newMember({ declares: ['svc.mind.recall_memory'] })
  const { engine } = scene.service.service.store
  await createUser(engine, system_clock, {
    tenant_id: 'dev',
    login: 'borrower',
    password,
    did: person.agent_did,
  })
  await delegateTo(delegator, {
    to: person,
    capabilities: ['svc.trial.echo'],
    more: { expires_at: inAnHour() },
  })
  assert.equal((await ask(person, 'echo')).status, 200)
  const { tokens } = await signIn(scene.service, 'borrower')
  const makeKey = async (name: string) => {
    const headers = {
      authorization: `Bearer ${tokens.access_token}`,
      'content-type': 'application/json',
    }
    const body = JSON.stringify({ capabilities: [name] })
    const answer = await fetch(`${scene.service.api_url}/v1/keys`, { method: 'POST', headers, body })
    return answer.status
  }
  assert.deepEqual([await makeKey('svc.mind.recall_memory'), await makeKey('svc.trial.echo')], [201, 403])
})
