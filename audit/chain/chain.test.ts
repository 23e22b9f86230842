import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bodyText, genesis_hash, recordHash } from '@svc/contract/audit/audit-record'
import { leafHash, rootAtSize, rootOf, type StoredNode } from '../tree/merkle.ts'
import { type Chain, emptyChain, extendChain, type PendingEntry, redirectSealed } from './chain.ts'
import { acceptEntry } from './entry.ts'

function pendingOf(tenant_id: string, event_type = 'ProtocolInvocation'): PendingEntry {
  return acceptEntry({
    id: '00000000-0000-4000-8000-000000000001',
    event_type,
    correlation_id: '00000000-0000-4000-8000-000000000002',
    timestamp: '2026-11-15T10:00:00.000Z',
    tenant_id,
    caller_did: 'did',
    outcome: 'success',
    latency_ms: 1,
    meta: {},
  })
}

const ignore = () => {}

test('a new chain is empty and open', () => {
  assert.deepEqual(emptyChain(), { seq: 0, head_hash: genesis_hash, frontier: [], sealed: false })
})

test('each record has the next seq, the hash before it, its own hash, and its leaf in the tree', () => {
  const chain = emptyChain()
  const nodes: StoredNode[] = []
  const leaves: Buffer[] = []
  let head = genesis_hash
  for (let seq = 1; seq <= 256; seq++) {
    const pending = pendingOf('acme')
    const record = extendChain(chain, pending, (node) => nodes.push(node))
    const body = bodyText(pending.text, seq)
    const record_hash = recordHash(head, body)
    assert.deepEqual(record, {
      tenant_id: 'acme',
      seq,
      body,
      fields: { ...pending.entry, seq },
      previous_hash: head,
      record_hash,
    })
    head = record_hash
    leaves.push(leafHash(Buffer.from(record_hash, 'hex')))
    assert.deepEqual([chain.seq, chain.head_hash, chain.sealed], [seq, head, false])
    const leafAt = (level: number, index: number) => (level === 0 ? leaves[index]! : nodes[0]!.hash)
    assert.deepEqual(rootOf(chain.frontier), rootAtSize(seq, leafAt))
  }
  assert.deepEqual(nodes, [{ level: 8, index: 0, hash: chain.frontier[0] }])
})

test('a sealed chain takes no record, and stays as it was', () => {
  const chain: Chain = emptyChain()
  extendChain(chain, pendingOf('acme', 'ChainSealed'), ignore)
  assert.equal(chain.sealed, true)
  const before = structuredClone(chain)
  assert.throws(() => extendChain(chain, pendingOf('acme'), ignore), /the chain of acme is sealed/)
  assert.deepEqual(structuredClone(chain), before)
})

test('records after a seal go elsewhere, in the batch of the seal and in later ones', () => {
  const rewrite = () => pendingOf('operator')
  const tenants = (batch: readonly PendingEntry[], sealed: string[]) =>
    redirectSealed(batch, new Set(sealed), rewrite).map(({ entry }) => entry.tenant_id)
  const batch = [
    pendingOf('acme'),
    pendingOf('acme', 'ChainSealed'),
    pendingOf('acme'),
    pendingOf('other'),
    pendingOf('acme', 'ChainSealed'),
  ]
  assert.deepEqual(tenants(batch, []), ['acme', 'acme', 'operator', 'other', 'operator'])
  assert.deepEqual(tenants(batch, ['acme']), ['operator', 'operator', 'operator', 'other', 'operator'])
  const sealed_tenants = new Set<string>()
  redirectSealed(batch, sealed_tenants, rewrite)
  assert.equal(sealed_tenants.size, 0)
})
