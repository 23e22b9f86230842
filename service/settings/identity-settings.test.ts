import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newSubject } from '../../checks/scenes/test-identity.ts'
import { ConfigError } from './config-error.ts'
import { readAgentKey, readTrust } from './identity-settings.ts'
import { reader } from './reader.ts'

const engine = newSubject('Service', 'operator')
const seed = Buffer.from(engine.private_key.export({ format: 'jwk' }).d as string, 'base64url')
function read(env: Record<string, string>) {
  const settings = reader(env, 'serve')
  return { agent_key: readAgentKey(settings), ...readTrust(settings) }
}

test('an engine without settings has no key, no nodes, and requires signatures', () => {
  assert.deepEqual(read({}), {
    agent_key: undefined,
    node_urls: {},
    trusted_issuers: [],
    trusted_publishers: [],
    require_signatures: true,
  })
})

test("the engine's key is read in hex or base64", () => {
  for (const form of ['hex', 'base64', 'base64url'] as const) {
    const { agent_key } = read({ SVC_AGENT_DID: engine.did, SVC_AGENT_KEY: seed.toString(form) })
    assert.deepEqual([agent_key?.did, agent_key?.public_key], [engine.did, engine.public_key])
  }
})

test('nodes, issuers and publishers are read as written', () => {
  const [a, b] = [newSubject('Agent').did, newSubject('HumanRoot').did]
  const settings = read({
    SVC_OAS_URL: 'https://node.example/oas/',
    SVC_ARSENAL_URL: 'http://127.0.0.1:8091',
    SVC_TRUSTED_ISSUERS: ` ${a} , ${b},`,
    SVC_TRUSTED_PUBLISHERS: b,
    SVC_REQUIRE_SIGNATURES: 'false',
  })
  assert.deepEqual(settings.node_urls, { OAS: 'https://node.example/oas', Arsenal: 'http://127.0.0.1:8091' })
  assert.deepEqual([settings.trusted_issuers, settings.trusted_publishers], [[a, b], [b]])
  assert.equal(settings.require_signatures, false)
})

const wrong: [Record<string, string>, RegExp][] = [
  [
    { SVC_AGENT_DID: engine.did, SVC_AGENT_KEY: '00'.repeat(32) },
    /^SVC_AGENT_KEY is not the key of did:oas:operator/,
  ],
  [{ SVC_AGENT_DID: engine.did, SVC_AGENT_KEY: '00' }, /^SVC_AGENT_KEY must be 32 bytes/],
  [{ SVC_AGENT_KEY: seed.toString('hex') }, /^SVC_AGENT_KEY is the key of SVC_AGENT_DID/],
  [{ SVC_OAS_URL: 'node.example' }, /^SVC_OAS_URL must be an address/],
  [{ SVC_AEGIS_URL: 'ftp://node.example' }, /^SVC_AEGIS_URL/],
  [{ SVC_ARSENAL_URL: 'https://me:secret@node.example' }, /^SVC_ARSENAL_URL/],
  [{ SVC_OAS_URL: 'https://node.example/?a=1' }, /^SVC_OAS_URL/],
  [{ SVC_TRUSTED_ISSUERS: 'somebody' }, /^SVC_TRUSTED_ISSUERS names somebody/],
  [{ SVC_REQUIRE_SIGNATURES: 'maybe' }, /^SVC_REQUIRE_SIGNATURES is maybe/],
]

test('invalid values are reported in one sentence, without the secret', () => {
  for (const [env, sentence] of wrong) {
    const namesSetting = (error: Error) => {
      assert.ok(error instanceof ConfigError)
      assert.match(error.message, sentence)
      for (const secret of [env.SVC_AGENT_KEY, 'me:secret'].filter(
        (text) => text !== undefined && text.length > 2,
      ))
        assert.ok(!error.message.includes(secret!), error.message)
      return true
    }
    assert.throws(() => read(env), namesSetting)
  }
})
