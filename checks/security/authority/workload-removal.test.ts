// Removing the mapping of a workload ends what its sessions began, also long after these expired and were swept.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sweepSessionKeys } from '@svc/adapters/access/agent-keys'
import { issueKey } from '@svc/adapters/access/api-keys'
import { keyRing } from '@svc/adapters/access/key-ring'
import { ensureTenant } from '@svc/adapters/access/tenants'
import { addWorkload, madeBy, removeWorkload, useWorkload } from '@svc/adapters/access/workloads'
import { system_clock } from '@svc/adapters/clock/system'
import { type InProcessService, startInProcess } from '../../engines/in-process.ts'
import { isStepCalled, runOf } from '../../scenes/run-step.ts'
import { newKeyed } from '../../scenes/test-descent.ts'

const day_ms = 24 * 3_600_000
const silent = { warn() {}, error() {}, info() {}, debug() {} }
const agent = newKeyed('acme', 'Agent')
let engine: InProcessService
before(async () => {
  engine = await startInProcess({})
  await ensureTenant(engine.service.store.engine, 'acme', 'acme', 'charter')
})
after(async () => await engine?.stop())

/** What a run keeps of the session of a workload, which has expired. */
async function beginRun(workload_id: string) {
  const { engine: db } = engine.service.store
  const issuer = 'https://issuer.example'
  const tenant = { tenant_id: 'acme', did: agent.did }
  const rules = { audience: 'svc', claims: { sub: ['x'] }, jwks: null, named_only: false }
  await addWorkload(db, { workload_id, ...tenant, issuer, ...rules })
  const session = await issueKey(db, {
    ...tenant,
    mode: 'live',
    made_by: madeBy(workload_id),
    proof_key: agent.public_key,
    expires_at: new Date(system_clock.now_ms() - 1).toISOString(),
  })
  const acting = await runOf(engine, session.key_id)
  assert.equal(acting.workload_id, workload_id)
  return acting
}

test('a run goes on after its session was swept, and ends with the mapping', async () => {
  const { engine: db } = engine.service.store
  const [one, other] = [await beginRun('00000000aa'), await beginRun('00000000bb')]
  const areCalled = () => Promise.all([one, other].map((acting) => isStepCalled(engine, acting)))
  await removeWorkload(db, 'acme', '00000000bb')
  assert.deepEqual(await areCalled(), [true, false])
  await sweepSessionKeys(db, system_clock.now_ms() + 2 * day_ms)
  const ring = keyRing(db, system_clock, silent)
  assert.equal(await ring.find(one.key_id), undefined, 'swept')
  assert.equal((await ring.find(other.key_id))?.revoked, true, 'what was revoked stays')
  assert.deepEqual(await areCalled(), [true, false])
  await removeWorkload(db, 'acme', '00000000aa')
  assert.equal(await isStepCalled(engine, one), false)
})

test('no session is left of a mapping that is removed while it is used', async () => {
  const { engine: db } = engine.service.store
  await beginRun('00000000cc')
  const using = Promise.withResolvers<void>()
  const locked = Promise.withResolvers<void>()
  const used = db.transaction(async (trx) => {
    assert.equal(await useWorkload(trx, '00000000cc', new Date()), true)
    locked.resolve()
    await using.promise
    const expires_at = new Date(system_clock.now_ms() + day_ms).toISOString()
    const session = {
      tenant_id: 'acme',
      did: agent.did,
      mode: 'live',
      proof_key: agent.public_key,
      made_by: madeBy('00000000cc'),
      expires_at,
    } as const
    return await issueKey(trx, session)
  })
  await locked.promise
  const removing = db.transaction((trx) => removeWorkload(trx, 'acme', '00000000cc'))
  using.resolve()
  const [{ key_id }] = await Promise.all([used, removing])
  assert.equal((await keyRing(db, system_clock, silent).find(key_id))?.revoked, true)
  assert.equal(await useWorkload(db, '00000000cc', new Date()), false)
})
