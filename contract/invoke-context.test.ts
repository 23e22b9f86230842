import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Check } from 'typebox/value'
import { localAdmin } from './identity/identity.ts'
import {
  callerEntityKind,
  callerHumanRoot,
  callerLineageVerified,
  InvokeContext,
  identity,
  pluginConfig,
} from './invoke-context.ts'

const did = `did:oas:acme:agent:${'1'.repeat(64)}`
const root = `did:oas:acme:human-root:${'2'.repeat(64)}`
const minimal: InvokeContext = {
  correlation_id: '00000000-0000-4000-8000-000000000001',
  tenant_id: 'acme',
  agent_did: did,
  timestamp: '2026-11-15T10:00:00.000Z',
  metadata: {},
}

test('without a resolved identity the caller is its DID and nothing more', () => {
  assert.ok(Check(InvokeContext, minimal))
  assert.equal(identity(minimal).auth_method, 'unresolved')
  assert.equal(callerEntityKind(minimal), 'Agent')
  assert.equal(callerHumanRoot(minimal), undefined)
  assert.equal(callerLineageVerified(minimal), false)
})

test('with a resolved identity the helpers use it', () => {
  const resolved = { ...minimal, resolved_identity: { ...localAdmin(did), human_root_did: root } }
  assert.ok(Check(InvokeContext, resolved))
  assert.equal(identity(resolved).name, 'local admin')
  assert.equal(callerHumanRoot(resolved), root)
  assert.equal(callerLineageVerified(resolved), true)
})

test('a plugin reads its configuration from the metadata, and always gets an object', () => {
  assert.deepEqual(pluginConfig({ ...minimal, metadata: { plugin_config: { model: 'm' } } }), { model: 'm' })
  for (const plugin_config of [undefined, null, 'text', 3]) {
    assert.deepEqual(pluginConfig({ ...minimal, metadata: { plugin_config } }), {})
  }
})
