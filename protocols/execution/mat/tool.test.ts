import assert from 'node:assert/strict'
import { test } from 'node:test'
import { static_embedder } from '@svc/adapters/embeddings/static-table'
import { asPlainData } from '@svc/adapters/tools/plain-data'
import { serverBreaker } from '@svc/adapters/tools/server-breaker'
import { judgeNow } from '@svc/contract/foreign/foreign-schema'
import { toolHash } from '@svc/contract/foreign/tools'
import type { Need } from '@svc/contract/needs/needs'
import { refuse } from '@svc/contract/refusal'
import { canonicalJson } from '@svc/contract/signing/canonical-json'
import fc from 'fast-check'
import { manualClock } from '../../../checks/rehearsal/manual-clock.ts'
import { testContext } from '../../../checks/rehearsal/test-context.ts'
import { fitAnswer } from './tool-answer.ts'
import { definitionFault, outputFault, requireArguments } from './tool-definition.ts'
import { discoverTools } from './tool-discovery.ts'
import { readToolId, serverToolId, svcToolId } from './tool-id.ts'
import { questionField } from './tool-question.ts'
import { rankTools, wordsOf } from './tool-ranking.ts'

const definition = (name: string, description: string) => ({
  name,
  description,
  inputSchema: { type: 'object' },
})

test('an answer is returned whole if it fits, and never exceeds the limit', () => {
  const letter = fc.constantFrom('a', 'b', '"', '\\', 'é', '😀', '\u0001')
  const block = fc.oneof(
    fc.record({ type: fc.constant('text'), text: fc.string({ unit: letter, maxLength: 60 }) }),
    fc.record({ type: fc.constant('image'), data: fc.base64String({ maxLength: 60 }) }),
  )
  const answers = fc.record({
    content: fc.array(block, { maxLength: 6 }),
    structured: fc.option(fc.jsonValue()),
  })
  const sizeOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value))
  fc.assert(
    fc.property(answers, fc.integer({ min: 0, max: 300 }), ({ content, structured }, room) => {
      const answer = { content, is_error: false, ...(structured !== null && { structured }) }
      const size = content.reduce(
        (sum, one) => sum + sizeOf(one),
        structured === null ? 0 : sizeOf(structured),
      )
      const fitted = fitAnswer(answer, room)
      assert.equal(fitted.truncated, size > room)
      if (size <= room) assert.deepEqual(fitted.content, content)
      const size_kept = fitted.content.reduce((sum, one) => sum + sizeOf(one), 0)
      assert.ok(size_kept + ('structured' in fitted ? sizeOf(fitted.structured) : 0) <= room)
      const place = fitted.content.length - 1
      const [last, whole] = [
        fitted.content[place]?.text,
        (content[place] as { text?: string } | undefined)?.text,
      ]
      if (typeof last === 'string' && whole !== undefined)
        assert.ok(whole.toWellFormed().startsWith(last.replace(/\ufffd$/, '')))
    }),
  )
})

test('any JSON from a server can be hashed and stored, and plain data is unchanged', () => {
  fc.assert(fc.property(fc.jsonValue(), (value) => assert.deepEqual(asPlainData(value), value)))
  const hostile = JSON.parse('{"a":"x\\ud800","__proto__":{"b":["\\udc00"]}}')
  assert.equal(canonicalJson(asPlainData(hostile)), '{"__proto__":{"b":["\ufffd"]},"a":"x\ufffd"}')
  assert.throws(() => asPlainData(JSON.parse(`${'['.repeat(200)}${']'.repeat(200)}`)), RangeError)
})

test('a tool id is unambiguous', () => {
  const server_id = fc.stringMatching(/^[a-z][a-z0-9_-]{0,20}$/)
  const name = fc.stringMatching(/^[A-Za-z0-9_.-]{1,30}$/)
  fc.assert(
    fc.property(server_id, name, (server_id, name) => {
      for (const [transport, kind] of [
        ['http', 'mcp'],
        ['stdio', 'mcp'],
        ['a2a', 'a2a'],
      ] as const)
        assert.deepEqual(readToolId(serverToolId({ id: server_id, transport }, name)), {
          kind,
          server_id,
          name,
        })
    }),
  )
  const dotted = { kind: 'svc', protocol: 'MAESTRO', operation: 'charter.declare' }
  assert.deepEqual(readToolId(svcToolId('MAESTRO', 'charter.declare')), dotted)
  assert.throws(() => readToolId('http:weather'), /register it as an external protocol/)
})

test('any change of a definition makes it a different tool', () => {
  const tool = {
    ...definition('add', 'Adds.'),
    outputSchema: { type: 'object' },
    annotations: { title: 'x' },
  }
  const others = [
    { ...tool, description: 'Adds!' },
    { ...tool, inputSchema: { type: 'object', title: 'x' } },
    { ...tool, outputSchema: {} },
    { ...tool, annotations: { title: 'y' } },
    definition('add', 'Adds.'),
  ]
  assert.equal(new Set([tool, ...others].map(toolHash)).size, others.length + 1)
  assert.equal(toolHash(tool), toolHash(structuredClone(tool)))
})

test('a definition with hidden or uncheckable text is refused', () => {
  assert.equal(definitionFault(definition('a', 'Adds.')), undefined)
  assert.match(definitionFault(definition('a', 'Adds.\u202e'))!, /invisible/)
  const remote = { ...definition('a', ''), inputSchema: { $ref: 'https://evil.example/schema' } }
  assert.match(definitionFault(remote)!, /input schema/)
  const deep = JSON.parse(`${'{"not":'.repeat(60)}{}${'}'.repeat(60)}`)
  assert.match(definitionFault({ ...definition('a', ''), outputSchema: deep })!, /output schema/)
})

test('arguments are checked by plain JSON Schema, with definitions and patterns', () => {
  const schema = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    type: 'object',
    properties: { to: { $ref: '#/definitions/Name' }, n: { type: 'integer', minimum: 1 } },
    required: ['to'],
    additionalProperties: false,
    definitions: { Name: { type: 'string', pattern: '^[a-z]+$', maxLength: 5 } },
  }
  const faults = (value: unknown) =>
    judgeNow({ schema: JSON.stringify(schema), value: JSON.stringify(value) }).faults.map(
      ({ pointer }) => pointer,
    )
  assert.deepEqual(faults({ to: 'ann', n: 2 }), [])
  assert.ok(faults({ to: 'Ann' }).includes('/to'))
  for (const wrong of [{}, { to: 'ann', n: 0 }, { to: 'ann', more: 1 }, [], 'x'])
    assert.ok(faults(wrong).length > 0, JSON.stringify(wrong))
})

test('a check that fails under load can be retried, and a performed call is never reported as not performed', async () => {
  const schema = { type: 'object', uniqueItems: true }
  const busy = (code: 'timeout' | 'rate_limited' | 'policy_denied', reason: string) => ({
    compute: () => Promise.reject(refuse(code, 'No.', { reason })),
  })
  for (const [code, reason] of [
    ['timeout', 'compute queue wait'],
    ['timeout', 'compute deadline'],
    ['rate_limited', 'compute share full'],
  ] as const) {
    await assert.rejects(requireArguments(busy(code, reason), 'mcp:a/b', schema, {}), {
      code: 'no_endpoint_available',
      details: { reason: 'tool arguments unchecked', performed: 'no', retry_after_ms: 1_000 },
    })
    const defined = { ...definition('b', ''), outputSchema: schema }
    assert.equal(await outputFault(busy(code, reason), defined, {}), 'unchecked')
  }
  const heavy = requireArguments(busy('policy_denied', 'memory limit'), 'mcp:a/b', schema, {})
  await assert.rejects(heavy, { code: 'policy_denied' })
})

test('a tool can be asked if it needs one text, or accepts one named like a question', () => {
  const text = { type: 'string' }
  const field = (properties: object, required?: string[]) =>
    questionField('x', { inputSchema: { type: 'object', properties, ...(required && { required }) } })
  assert.equal(field({ city: text, days: { type: 'number' } }, ['city']), 'city')
  assert.equal(field({ lang: text, query: text }), 'query')
  for (const wrong of [
    field.bind(null, { a: text, b: text }, ['a', 'b']),
    field.bind(null, { a: text }),
    field.bind(null, {}),
  ])
    assert.throws(wrong, /does not take one question/)
})

test('tools are found by words and by meaning, independent of input order', async () => {
  const described = [
    ['mcp:mail/send_message', 'Delivers an e-mail to somebody.'],
    ['mcp:sky/getWeather', 'Tells whether it rains at a place.'],
    ['svc:mind.store_memory', 'Remember a fact, an episode or a skill.'],
    ['mcp:money/convert', 'Converts an amount between currencies.'],
  ] as const
  const tools = described.map(([tool_id, text]) => ({ tool_id, definition: definition(tool_id, text) }))
  const context = { embedder: static_embedder, signal: new AbortController().signal }
  const first = async (query: string, list = tools) => (await rankTools(query, list, context))[0]?.tool_id
  assert.equal(await first('weather'), 'mcp:sky/getWeather')
  assert.equal(await first('send messages'), 'mcp:mail/send_message')
  assert.equal(await first('change dollars into euros'), 'mcp:money/convert')
  const orders = [tools, tools.toReversed(), [...tools.slice(2), ...tools.slice(0, 2)]]
  const rankings = await Promise.all(orders.map((list) => rankTools('remember the weather', list, context)))
  for (const list of rankings) assert.deepEqual(list, rankings[0])
  assert.deepEqual([...wordsOf('getWeather_at places')], ['get', 'weather', 'at', 'place'])
})

test('a failing server is avoided, then probed once, and trusted again after one success', () => {
  const clock = manualClock('2026-11-18T10:00:00.000Z')
  const breaker = serverBreaker(clock)
  const isBlocked = () => breaker.refusal('key', 'id')?.code === 'circuit_open'
  for (let failures = 0; failures < 3; failures++) {
    assert.ok(!isBlocked())
    breaker.failed('key')
  }
  assert.ok(isBlocked())
  assert.equal(breaker.refusal('other', 'id'), undefined)
  clock.advance(5_000)
  assert.deepEqual([isBlocked(), isBlocked()], [false, true], 'one at a time')
  breaker.learntNothing('key')
  assert.ok(!isBlocked())
  breaker.failed('key')
  clock.advance(5_000)
  assert.ok(isBlocked(), 'it waits longer')
  clock.advance(5_000)
  assert.ok(!isBlocked())
  breaker.succeeded('key')
  assert.deepEqual([isBlocked(), isBlocked()], [false, false])
})

test('without a valid capability for tools, servers are not queried', async () => {
  const countFor = async (expires_at: string) => {
    let reads = 0
    const apart = async () => {
      reads++
      return reads === 1 ? [{ id: 'files' }] : Object.assign(new Map(), { servers: [], rows: [] })
    }
    const context = testContext<Need>({
      tenant_id: 'acme',
      now: '2026-11-18T10:00:00.000Z',
      authority: { ofCaller: async () => ({ held: [{ name: 'svc.mat.tool', caveats: [], expires_at }] }) },
      served: { find: () => ({ capability: 'svc.mat.tool', category: 'svc-infrastructure' }) },
      apart,
      budgets: { rules: async () => ({ rates: [] }) },
    })
    await discoverTools({ server: 'files' }, context)
    return reads
  }
  // The server's name is looked up, and call statistics are read, in any case.
  assert.deepEqual([await countFor('2026-11-18T10:00:01Z'), await countFor('2026-11-18T09:59:59Z')], [3, 2])
})
