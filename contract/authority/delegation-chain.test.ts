import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type DelegationLink, forgeryIn } from './delegation-chain.ts'

test('a token that nobody can have signed is a forgery, not a fault of ours', () => {
  const did = `did:oas:acme:agent:${'0'.repeat(64)}`
  const link: DelegationLink = {
    token_id: `sha256:${'0'.repeat(64)}`,
    token: {
      from_did: did,
      to_did: did,
      capabilities: [{ name: 'svc.max.*', caveats: ['jurisdiction:\ud800'] }],
      max_redelegation_depth: 0,
      expires_at: '2026-11-15T10:00:00.000Z',
      signature: 'A'.repeat(86),
    },
    public_key: 'A'.repeat(43),
    state: 'ACTIVE',
    issued_at: '2026-11-15T10:00:00.000Z',
    challenged: false,
  }
  assert.equal(forgeryIn(link), 'the id is of another token')
})
