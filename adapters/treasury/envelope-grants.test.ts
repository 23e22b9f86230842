import assert from 'node:assert/strict'
import { test } from 'node:test'
import { unresolved } from '@svc/contract/identity/identity'
import { type Books, type Envelope, empty_books } from '@svc/contract/money/books'
import type { Grants } from '../capabilities/effective.ts'
import { envelopeGrants } from './envelope-grants.ts'

const did = (tenant_id: string, letter: string) => `did:oas:${tenant_id}:agent:${letter.repeat(64)}`
const [ann, bob, eve] = [did('acme', 'a'), did('acme', 'b'), did('evil', 'e')]

function envelope(envelope_id: string, members: string[], granted: string[]): Envelope {
  const limits = { day_limit_micro_usd: 1n, month_limit_micro_usd: 1n, created_ms: 0, throttles: [] }
  return { envelope_id, department: envelope_id, members: new Set(members), granted, ...limits }
}

test('only members of an envelope have its capabilities, with its name as the source', async () => {
  let books: Books = {
    ...empty_books,
    envelopes: [envelope('research', [ann, eve], ['svc.marc.*']), envelope('sales', [ann], ['svc.mim.send'])],
  }
  const source = envelopeGrants({ of: () => books })
  const heldBy = (who: string) =>
    (source.grantsTo(unresolved(who), 'acme') as Grants).held.map(({ name, source_ref }) => [
      name,
      source_ref,
    ])
  const both = [
    ['svc.marc.*', 'research'],
    ['svc.mim.send', 'sales'],
  ]
  assert.deepEqual(heldBy(ann), both)
  assert.deepEqual(heldBy(ann), both)
  assert.deepEqual(heldBy(bob), [])
  assert.deepEqual(heldBy(eve), [], 'another organization is reached only by treaties')
  books = { ...books, envelopes: books.envelopes.slice(1) }
  assert.deepEqual(heldBy(ann), [['svc.mim.send', 'sales']])
  const later = envelopeGrants({ of: async () => books })
  const { held } = await later.grantsTo(unresolved(ann), 'acme')
  assert.deepEqual(held, [{ name: 'svc.mim.send', caveats: [], source: 'envelope', source_ref: 'sales' }])
})
