// A caveat that no call could satisfy is refused by every operation that writes one, and not when a call first fails.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { system_clock } from '@svc/adapters/clock/system'
import { catalogue } from '@svc/catalogue/catalogue'
import { dispatch, type RunningEngine, startEngine } from '../../engines/running-engine.ts'
import { type TestDatabase, testDatabase } from '../../rehearsal/test-database.ts'
import { deriveOwnKeyed } from '../../scenes/own-keyed-agent.ts'

const data_dir = mkdtempSync(join(tmpdir(), 'svc-written-caveats-'))
let database: TestDatabase
let engine: RunningEngine
before(async () => {
  database = await testDatabase()
  engine = await startEngine({ data_dir, env: { SVC_DB_URL: database.url } })
})
after(async () => {
  await engine?.stop()
  await database.close()
  rmSync(data_dir, { recursive: true, force: true })
})

const caveats_of_nobody = [
  'time:25-99',
  'phase:moon',
  'weekly_budget:-1',
  'network:10.0.0.0/40',
  'tenant:acme,',
]

test('every operation that takes caveats refuses those that no call could satisfy', async () => {
  const { did } = await deriveOwnKeyed(engine)
  const expires_at = new Date(system_clock.now_ms() + 3_600_000).toISOString()
  const bounded = (caveat: string) => [{ name: 'svc.mars.query_registry', caveats: [caveat] }]
  const inputs: Readonly<Record<string, (caveat: string) => object>> = {
    'MACS.derive': (caveat) => ({ entity_kind: 'Agent', label: 'bounded', capabilities: bounded(caveat) }),
    'MACS.update_identity': (caveat) => ({ agent_did: did, capabilities: bounded(caveat) }),
    'Aegis.delegate': (caveat) => ({ to_did: did, capabilities: bounded(caveat), expires_at }),
    'Aegis.policy': (caveat) => ({
      action: 'evaluate',
      from_did: engine.agent_did,
      to_did: did,
      capabilities: bounded(caveat),
      expires_at,
    }),
  }
  const takers = catalogue.flatMap(({ id, operations }) =>
    Object.entries(operations).flatMap(([name, { input }]) =>
      JSON.stringify(input).includes('"caveats":') ? [`${id}.${name}`] : [],
    ),
  )
  // A token that was signed before is only shown to verify_response; treaties have the same in moat.test.ts.
  const others = ['MACS.verify_response', 'MOAT.propose', 'MOAT.propose_amendment']
  assert.deepEqual(takers.sort(), [...Object.keys(inputs), ...others].sort())
  for (const [taker, inputWith] of Object.entries(inputs))
    for (const caveat of caveats_of_nobody) {
      const [protocol, operation] = taker.split('.')
      const { body } = await dispatch(engine, { protocol, operation, input: inputWith(caveat) })
      assert.equal(body.error?.reason, 'unknown caveat', `${taker} with ${caveat}: ${JSON.stringify(body)}`)
      assert.ok(body.error.message.startsWith(`The caveat ${caveat} is not of a known form`))
    }
})
