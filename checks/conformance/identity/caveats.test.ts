// Caveats of every kind, on every surface: judged for the call at hand, and named where they do not hold.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, test } from 'node:test'
import { key_only_resolver } from '@svc/adapters/identity/key-only'
import { surfaces } from '../../clients/surfaces.ts'
import { type InProcessService, startInProcess } from '../../engines/in-process.ts'
import type { Addresses } from '../../engines/running-engine.ts'
import { manualClock } from '../../rehearsal/manual-clock.ts'
import { ask, assertRefusal } from '../dispatch/expectations.ts'
import { trialProtocol } from '../execution/trial-protocol.ts'
import { askThrough, type GatewayScene, newSigner, openGateway } from '../gateway/gateway-scene.ts'

const signer = newSigner()
let engine: InProcessService
let gateway: GatewayScene

before(async () => {
  engine = await startInProcess({
    more_protocols: [trialProtocol().protocol],
    identity: key_only_resolver,
    config: { trusted_gateways: [signer.did], master_key: randomBytes(32), mcp_port: 0 },
  })
  const behind = { db_url: engine.db_url, api_url: engine.api_url, engine_did: engine.operator.did }
  gateway = await openGateway(behind, { signer, proxy_hops: 1 })
})
after(async () => {
  await gateway?.stop()
  await engine?.stop()
})

const callerUnder = (caveat: string): Promise<Addresses> =>
  engine.newCaller({ capabilities: [{ name: 'svc.trial.*', caveats: [caveat] }] })

/** The sentence of the refusal, which must name the caveat; undefined where the call was admitted. */
async function whyRefused(caveat: string, input: object = {}, caller?: Addresses) {
  const answer = await ask(caller ?? (await callerUnder(caveat)), 'echo', input)
  if (answer.status === 200) return undefined
  const expected = { code: 'capability_denied', stage: 4, reason: 'caveat not satisfied' } as const
  const { details, message } = assertRefusal(answer, expected)
  assert.equal(details.caveat, caveat)
  return message
}

test('a window of time in a zone', async () => {
  // A Wednesday.
  const clock = manualClock('2026-11-18T15:30:00.000Z')
  const another = await startInProcess({
    more_protocols: [trialProtocol().protocol],
    identity: key_only_resolver,
    clock,
  })
  try {
    const refused = async (caveat: string) =>
      whyRefused(
        caveat,
        {},
        await another.newCaller({ capabilities: [{ name: 'svc.trial.*', caveats: [caveat] }] }),
      )
    assert.equal(await refused('time:mon-fri 16-17@Europe/Berlin'), undefined)
    const message = await refused('time:mon-fri 15-16@Europe/Berlin')
    assert.match(
      message!,
      /only under the caveat time:mon-fri 15-16@\S+, and it is wed 16:30 in Europe\/Berlin;/,
    )
  } finally {
    await another.stop()
  }
})

test('a condition on the input', async () => {
  const caveat = 'input:has(input.say) && input.say.startsWith("please")'
  assert.equal(await whyRefused(caveat, { say: 'please do' }), undefined)
  assert.match((await whyRefused(caveat, { say: 'do' }))!, /and that is not true of the input of this call;/)
  assert.match((await whyRefused(caveat))!, /and that is not true of the input of this call;/)
})

test('the called tenant and the calling agent', async () => {
  assert.equal(await whyRefused('tenant:dev,acme'), undefined)
  assert.match((await whyRefused('tenant:acme'))!, /and the called tenant is another;/)
  assert.match((await whyRefused(`agent:${'0'.repeat(16)}`))!, /and the agent that calls is another;/)
})

test('the network a call comes from, on every surface', async () => {
  const [here, elsewhere] = [
    await callerUnder('network:127.0.0.0/8'),
    await callerUnder('network:10.0.0.0/8'),
  ]
  for (const way of surfaces)
    for (const [caller, code] of [
      [here, undefined],
      [elsewhere, 'capability_denied'],
    ] as const) {
      const surface = await way.connect(caller, engine)
      const { error } = await surface.call('TRIAL', 'echo', {})
      assert.equal(error?.code, code, `${way.name}: ${error?.message}`)
      await surface.close()
    }
})

test('behind a gateway it is the address the gateway saw, which nobody else can set', async () => {
  const forwarded = { 'x-forwarded-for': '192.0.2.1, 10.1.2.3' }
  const through = async (caveat: string, headers: Record<string, string>) =>
    (await askThrough(gateway, await callerUnder(caveat), 'echo', {}, headers)).status
  assert.deepEqual(
    [
      await through('network:10.0.0.0/8', forwarded),
      await through('network:192.0.2.0/24', forwarded),
      await through('network:10.0.0.0/8', {}),
      await through('network:127.0.0.0/8', {}),
    ],
    [200, 403, 403, 200],
  )
  const direct = await ask(await callerUnder('network:10.0.0.0/8'), 'echo', {}, forwarded)
  assert.equal(direct.status, 403, 'the engine itself has no proxy in front')
})
