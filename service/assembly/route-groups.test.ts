import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Registration } from '@svc/adapters/external/registrations'
import { tryProtocol } from '../../checks/rehearsal/test-ports.ts'
import { groupByVersion } from './route-groups.ts'

const own_protocol = tryProtocol(() => ({}))
let last_id = 0
function registered(more: Partial<Registration> = {}): Registration {
  return {
    id: String(++last_id),
    name: 'TRY',
    version: 'v1.0.0',
    endpoint: `https://${last_id}.example`,
    timeout_ms: 1_000,
    operations: ['run'],
    did: 'x',
    answers: 'signed',
    treaty_id: null,
    weight: 1,
    enabled: true,
    created_at: new Date(0),
    ...more,
  }
}

test('services of one version form a group, in any letter case, with their longest timeout', () => {
  const rows = [
    registered(),
    registered({ name: 'try', timeout_ms: 9_000 }),
    registered({ version: 'v1.1.0' }),
  ]
  const settings = [{ name_key: 'TRY', balance: 'least-request', canary: [] }] as const
  const groups = groupByVersion(rows, settings, [own_protocol])
  assert.deepEqual(
    groups.map(({ declaration, registrations, balance }) => [
      declaration.id,
      declaration.version,
      registrations.length,
      balance,
      declaration.operations.run!.deadline_ms,
    ]),
    [
      ['TRY', 'v1.0.0', 2, 'least-request', 10_000],
      ['TRY', 'v1.1.0', 1, 'least-request', 2_000],
    ],
  )
})

test("disabled entries, adapters' entries and invalid entries are not routed", () => {
  const adapter = { ...own_protocol, id: 'OAS', estate: 'adapter' } as const
  const rows = [
    registered({ enabled: false }),
    registered({ name: 'oas' }),
    registered({ version: 'newest' }),
    registered({ name: 'OTHER' }),
  ]
  const groups = groupByVersion(rows, [], [own_protocol, adapter])
  assert.deepEqual(
    groups.map(({ declaration, balance }) => [declaration.id, balance]),
    [['OTHER', 'round-robin']],
  )
})
