import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operation, protocol } from '@svc/contract/protocol'
import { Closed } from '@svc/contract/schema'
import { describeProtocol, listProtocols, search } from './directory.ts'

function say(summary: string) {
  return operation({
    summary,
    effect: 'read',
    level: 'L0',
    meters: ['seconds'],
    input: Closed({}),
    output: Closed({}),
    example: {},
    handle: () => ({}),
  })
}

const facts = {
  version: 'v1.0.0',
  plane: 'awareness',
  estate: 'protocol',
  rate: 'standard',
  category: 'svc-infrastructure',
} as const
const sample = [
  protocol({
    ...facts,
    id: 'MIM',
    summary: 'Mailboxes between agents.',
    operations: {
      message_send: say('Send a message.'),
      message_receive: say('Take messages out of a mailbox.'),
    },
  }),
  protocol({
    ...facts,
    id: 'MAX',
    summary: 'The audit record.',
    operations: {
      audit_query: say('Find records of a tenant.'),
      compliance_report: say('Attest the audit head to an auditor.'),
    },
  }),
]
const namesFor = (query: string, limit = 20) =>
  search(sample, query, limit).map((hit) => [hit.protocol, hit.operation].filter(Boolean).join('.'))

test('the list names every protocol and its operations, sorted', () => {
  const { protocols } = listProtocols(sample)
  assert.deepEqual(
    protocols.map(({ id }) => id),
    ['MAX', 'MIM'],
  )
  assert.deepEqual(protocols[1]?.operations, ['message_receive', 'message_send'])
  assert.equal(protocols[0]?.url, '/v1/protocols/MAX')
})

test('a protocol is described with what a caller needs to use it', () => {
  const [query] = describeProtocol(sample[1]!, 'https://api.example').operations
  assert.equal(query?.capability, 'svc.max.audit_query')
  assert.equal(query?.mcp_tool, 'svc.max.audit_query')
  assert.equal(
    query?.request_schema,
    'https://api.example/schemas/max/v1/operations.max.audit_query.request.json',
  )
  assert.deepEqual([query?.multipliers, query?.rate_cost, query?.exempt], [[1, 1, 1], 1, false])
})

test('an id finds the protocol first and its operations after it', () => {
  assert.deepEqual(namesFor('max'), ['MAX', 'MAX.audit_query', 'MAX.compliance_report'])
})

test('a name beats a summary, and a whole word beats a prefix', () => {
  assert.equal(namesFor('audit')[0], 'MAX.audit_query')
  assert.equal(namesFor('message')[0], 'MIM.message_receive')
  assert.equal(namesFor('send a message')[0], 'MIM.message_send')
  assert.equal(namesFor('MIM message send')[0], 'MIM.message_send')
  assert.deepEqual(namesFor('compli'), ['MAX.compliance_report'])
})

test('unknown words find nothing, and limits apply', () => {
  assert.deepEqual(namesFor('zebra'), [])
  assert.deepEqual(namesFor(''), [])
  assert.deepEqual(namesFor('...'), [])
  assert.equal(namesFor('a', 1).length, 1)
  assert.deepEqual(namesFor(`${'x '.repeat(100_000)}audit`), [])
})
