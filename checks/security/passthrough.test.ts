// T15: a caller's credentials end at the dispatch endpoint. A remote service gets the engine's own signature,
// and nothing of the caller's.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { verifyJws } from '@svc/contract/signing/jws'
import { type InProcessService, startInProcess } from '../engines/in-process.ts'
import { type Addresses, dispatch } from '../engines/running-engine.ts'
import { addPerson, signIn } from '../scenes/login-journey.ts'
import { type OutsideService, openOutsideService } from './outside-service.ts'

let outside: OutsideService
let target: InProcessService

before(async () => {
  outside = await openOutsideService()
  const { url } = outside
  const config = { node_urls: { OAS: url, Arsenal: url, Aegis: url } }
  target = await startInProcess({ config, caller: { capabilities: ['svc.*.*'] } })
})
after(async () => {
  await target.stop()
  await outside.close()
})

/** Calls every adapter with something its remote service must answer. */
async function askAll(caller: Addresses): Promise<void> {
  const requests: [string, string, object][] = [
    ['OAS', 'resolve', { did: caller.agent_did }],
    ['Arsenal', 'list', {}],
    ['Aegis', 'challenge', { subject_did: caller.agent_did, purpose: 'delegate' }],
  ]
  for (const [protocol, operation, input] of requests) {
    const answer = await dispatch(caller, { protocol, operation, input })
    assert.equal(answer.body.error?.code, 'adapter_error', `${protocol}: ${JSON.stringify(answer.body)}`)
  }
}

test('an API key and an access token reach no remote service; the engine signs for itself', async () => {
  await askAll(target)
  const person = await addPerson(target, 'ada')
  const { tokens } = await signIn(target, person.login)
  const { access_token } = tokens
  await askAll({ ...target, agent_did: person.did, api_key: access_token })
  assert.ok(outside.seen.length >= 6, `only ${outside.seen.length} requests were heard`)
  // The last part: it may contain the separator of the others.
  const secret = target.api_key.slice(-43)
  assert.ok(secret.length > 20)
  for (const { authorization, bytes } of outside.seen) {
    assert.equal(verifyJws(authorization.slice('DID '.length))?.did, target.operator.did)
    for (const proof of [target.api_key, secret, access_token, access_token.split('.')[2]!])
      assert.ok(!bytes.includes(proof), bytes)
  }
})
