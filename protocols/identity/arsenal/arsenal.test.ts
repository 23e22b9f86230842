import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Need } from '@svc/contract/needs/needs'
import type { PublisherTrust } from '@svc/contract/needs/remote'
import { Refusal, refuse } from '@svc/contract/refusal'
import { type TestTool, toolOf } from '../../../checks/neighbours/test-tool.ts'
import { testContext } from '../../../checks/rehearsal/test-context.ts'
import { newSubject } from '../../../checks/scenes/test-identity.ts'
import { arsenal } from './arsenal.ts'

const publisher = newSubject('EntityNameRecord')
const trusting: PublisherTrust = { require_signatures: true, trusted: [publisher.did] }

/** A catalogue that returns what the test sets. */
function scene(answer: (operation: string, payload: unknown) => unknown, publishers?: PublisherTrust) {
  const alarms: unknown[][] = []
  const requests: unknown[] = []
  const context = testContext<Need>({
    alarm: (...alarm: unknown[]) => void alarms.push(alarm),
    remote: {
      publishers,
      async invoke(operation: string, payload: unknown) {
        requests.push([operation, payload])
        return answer(operation, payload)
      },
    },
  })
  const call = async (operation: 'list' | 'fetch', input: object) =>
    (await arsenal.operations[operation].handle(input as never, context)) as Record<string, never>
  return { call, alarms, asked: requests, context }
}
const says = (tool: unknown, publishers = trusting) => scene(() => ({ tool }), publishers)

async function refusalOf(asking: Promise<unknown>): Promise<[string, unknown]> {
  const thrown = await asking.then((value) => assert.fail(`answered ${JSON.stringify(value)}`), (error) => error) // biome-ignore format: one thought
  assert.ok(thrown instanceof Refusal, String(thrown))
  return [thrown.code, thrown.details.reason]
}

let made = 0
/** Each test uses its own tool, because fetched tools are cached forever. */
const newTool = (...more: Parameters<typeof toolOf> extends [unknown, ...infer Rest] ? Rest : never) =>
  toolOf(publisher, { name: `tool-${++made}`, ...more[0] }, more[1])

test('a definition is complete, with its digest recomputed and its publisher checked', async () => {
  const { listing, definition } = newTool()
  const { call, asked } = says({ listing, definition })
  assert.deepEqual(await call('fetch', { id: listing.id, version: '1' }), {
    definition,
    digest: listing.digest,
    id: listing.id,
    version: 'v1.0.0',
    publisher_did: publisher.did,
    source: 'published',
    signature_valid: true,
    trusted_publisher: true,
  })
  assert.deepEqual(asked, [['fetch', { id: listing.id, version: 'v1' }]])
})

test('fetched tools are cached by digest, and trust is checked each time', async () => {
  const { listing, definition } = newTool()
  const pinned = { id: listing.id, digest: listing.digest }
  await says({ listing, definition }).call('fetch', { id: listing.id })
  const away = () => {
    throw refuse('adapter_error', 'Arsenal cannot be reached.', { reason: 'unreachable' })
  }
  assert.equal((await scene(away, trusting).call('fetch', pinned)).digest, listing.digest)
  const untrusting = scene(away, { require_signatures: true, trusted: [] })
  assert.deepEqual(await refusalOf(untrusting.call('fetch', pinned)), [
    'policy_denied',
    'publisher not trusted',
  ])
  const others = [{ id: listing.id }, { ...pinned, id: 'acme/other' }, { ...pinned, version: 'v2' }]
  for (const other of others)
    assert.deepEqual(await refusalOf(scene(away, trusting).call('fetch', other)), [
      'adapter_error',
      'unreachable',
    ])
})

test('a definition with another digest than listed or pinned is refused and recorded', async () => {
  const tool = newTool()
  const swapped = { ...tool, definition: { ...tool.definition, description: 'Sends it to me.' } }
  const relisted = newTool({ name: tool.listing.name }, { description: 'Sends it to me.' })
  const pinned = { id: tool.listing.id, digest: tool.listing.digest }
  for (const [answer, request] of [
    [swapped, { id: tool.listing.id }],
    [relisted, pinned],
  ] as const) {
    const { call, alarms } = says(answer)
    assert.deepEqual(await refusalOf(call('fetch', request)), ['adapter_error', 'digest mismatch'])
    assert.equal(alarms[0]?.[0], 'digest mismatch')
  }
})

test('nobody can sign for another, and without a valid signature nothing is fetched', async () => {
  const { listing, definition } = newTool()
  const forger = newSubject('EntityNameRecord')
  const forged = toolOf(forger, { ...listing, publisher_did: publisher.did })
  const { publisher_public_key: _, signature: __, ...unsigned } = listing
  const invalid: TestTool[] = [
    { definition, listing: { ...forged.listing, digest: listing.digest } },
    { definition, listing: { ...listing, summary: 'Other.' } },
    { definition, listing: unsigned },
  ]
  for (const tool of invalid) {
    const { call, alarms } = says(tool)
    assert.deepEqual(await refusalOf(call('fetch', { id: listing.id })), [
      'policy_denied',
      'signature invalid',
    ])
    assert.equal(alarms.length, 1)
  }
})

test('an engine that requires no signatures still reports what is signed and trusted', async () => {
  const { listing, definition } = newTool()
  const { publisher_public_key: _, signature: __, ...unsigned } = listing
  const lenient = { require_signatures: false, trusted: [publisher.did] }
  const judged = async (tool: TestTool, publishers: PublisherTrust) => {
    const output = await says(tool, publishers).call('fetch', { id: listing.id })
    return [output.signature_valid, output.trusted_publisher]
  }
  assert.deepEqual(await judged({ listing: unsigned, definition }, lenient), [false, false])
  assert.deepEqual(await judged({ listing, definition }, lenient), [true, true])
  assert.deepEqual(await judged({ listing, definition }, { ...lenient, trusted: [] }), [true, false])
  const changed = { listing: { ...listing, summary: 'Other.' }, definition }
  assert.deepEqual(await refusalOf(says(changed, lenient).call('fetch', { id: listing.id })), [
    'policy_denied',
    'signature invalid',
  ])
})

test('an engine without configured publishers trusts none', async () => {
  const tool = newTool()
  const { call } = scene(() => ({ tool }))
  assert.deepEqual(await refusalOf(call('fetch', { id: tool.listing.id })), [
    'policy_denied',
    'publisher not trusted',
  ])
})

test('an unusable, hiding or unrequested definition is an error of the catalogue', async () => {
  const tool = newTool()
  const bad = [
    newTool({}, { inputSchema: { type: 'object', properties: { a: { $ref: 'https://evil.example' } } } }),
    newTool({}, { inputSchema: { type: 'array' } }),
    newTool({}, { description: 'Do it.\u200b' }),
    newTool({ summary: 'Do it.\u2067' }),
    newTool({ name: 'listed' }, { name: 'defined' }),
  ]
  for (const one of bad)
    assert.deepEqual(await refusalOf(says(one).call('fetch', { id: one.listing.id })), [
      'adapter_error',
      'bad answer',
    ])
  for (const answer of [5, { listing: tool.listing }, { ...tool, listing: { id: 1 } }])
    assert.deepEqual(await refusalOf(says(answer).call('fetch', { id: tool.listing.id })), [
      'adapter_error',
      'bad answer',
    ])
  for (const request of [
    { id: 'acme/other' },
    { id: tool.listing.id, version: 'v2' },
    { id: tool.listing.id, version: 'v1.0.1' },
  ])
    assert.deepEqual(await refusalOf(says(tool).call('fetch', request)), ['adapter_error', 'bad answer'])
  assert.deepEqual(await refusalOf(says(null).call('fetch', { id: 'acme/none' })), [
    'invalid_payload',
    'not_found',
  ])
})

test('unsigned, forged, malformed or hiding entries of a page are dropped and counted', async () => {
  const good = newTool().listing
  const { publisher_public_key: _, signature: __, ...unsigned } = newTool().listing
  const items = [
    good,
    unsigned,
    { ...newTool().listing, summary: 'Other.' },
    newTool({ summary: 'a\u202eb' }).listing,
    { id: 'acme/half' },
    null,
  ]
  const page = { items, next_cursor: 'next' }
  const { publisher_public_key: ___, signature: ____, ...shown } = good
  const strict = scene(() => page, trusting)
  assert.deepEqual(await strict.call('list', { kind: 'tool' }), {
    items: [{ ...shown, source: 'published' }],
    next_cursor: 'next',
    rejected: 5,
  })
  assert.deepEqual(strict.asked, [['list', { kind: 'tool', limit: 25 }]])
  const lenient = await scene(() => page, { require_signatures: false, trusted: [] }).call('list', {
    limit: 6,
  })
  const listed = [shown, unsigned].map((listing) => ({ ...listing, source: 'published' }))
  assert.deepEqual([lenient.items, lenient.rejected], [listed, 4])
})

test('an answer that is not a page, or a longer one than requested, is refused', async () => {
  const { listing } = newTool()
  for (const answer of [null, 'text', {}, { items: [listing, listing] }, { items: [], next_cursor: 5 }]) {
    const refused = await refusalOf(scene(() => answer, trusting).call('list', { limit: 1 }))
    assert.deepEqual(refused, ['adapter_error', 'bad answer'], JSON.stringify(answer))
  }
})

test('without a catalogue calls are refused', async () => {
  const asking = async () =>
    arsenal.operations.list.handle({} as never, testContext<Need>({ remote: undefined }))
  assert.deepEqual(await refusalOf(asking()), ['no_endpoint_available', 'no endpoint'])
})
