// An engine's own tools: read once, cached, revalidated, bounded, and rejected if they hide text.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Whoami } from '@svc/sdk'
import { directoryTools } from './directory-tools.ts'
import { catalogue_tools, offersOf } from './tools.ts'

type Permission = Whoami['operations'][number]
const may = (protocol: string, operation: string, version?: string): Permission => ({
  protocol,
  operation,
  ...(version === undefined ? {} : { version }),
  capability: `svc.${protocol.toLowerCase()}.${operation}`,
  may: 'yes',
})
const hello = may('GREET', 'hello', 'v1.2.0')

function tool(more: Record<string, unknown> = {}) {
  return {
    name: 'svc.greet.hello',
    protocol: 'GREET',
    operation: 'hello',
    version: 'v1.2.0',
    title: 'GREET: hello',
    description: 'Greets.',
    category: 'svc-commerce',
    inputSchema: { type: 'object', properties: { whom: { type: 'string' } } },
    outputSchema: { type: 'object' },
    annotations: { readOnlyHint: true },
    ...more,
  }
}

type Answer = (url: string, init: RequestInit) => Response | Promise<Response>

function directory(answer: Answer) {
  const requests: string[] = []
  const clock = { now_ms: 0 }
  const fetch = async (url: unknown, init: RequestInit = {}) => {
    requests.push(`${url}`)
    return await answer(`${url}`, init)
  }
  const options = { api_url: 'http://e', fetch: fetch as typeof globalThis.fetch }
  const tools = directoryTools({ ...options, monotonic_ms: () => clock.now_ms })
  const typeOf = async (...operations: Permission[]) =>
    offersOf(operations, await tools.of(operations)).map((offer) => offer.tool)
  return { asked: requests, clock, tools, typeOf }
}

test('only versions unknown to the catalogue are requested, once, and called as shown', async () => {
  const { asked, tools, typeOf } = directory(() => Response.json({ tools: [tool()] }))
  const [audit_query] = await typeOf(may('MAX', 'audit_query', 'v1.0.0'))
  assert.equal(
    audit_query,
    catalogue_tools.find(({ name }) => name === 'svc.max.audit_query'),
  )
  assert.deepEqual(asked, [])
  for (let i = 0; i < 3; i++) {
    const [row] = await typeOf(hello, may('GREET', 'other', 'v1.2.0'))
    assert.deepEqual([row?.version, row?.category], ['v1.2.0', 'svc-commerce'])
  }
  assert.deepEqual(asked, ['http://e/v1/protocols/GREET?version=v1.2.0&with=tools'])
  assert.equal(tools.find('svc.greet.hello')?.version, 'v1.2.0')
  assert.equal(tools.find('svc.greet.other'), undefined)
})

test('another version of a catalogue tool replaces it while the engine shows it', async () => {
  const query = { name: 'svc.max.audit_query', protocol: 'MAX', operation: 'audit_query', version: 'v1.1.0' }
  const { tools, typeOf } = directory(() => Response.json({ tools: [tool(query)] }))
  const [row] = await typeOf(may('MAX', 'audit_query', 'v1.1.0'))
  assert.deepEqual([row?.version, row?.description], ['v1.1.0', 'Greets.'])
  assert.equal(tools.find('svc.max.audit_query')?.version, 'v1.1.0')
  await typeOf(may('MAX', 'audit_query', 'v1.0.0'))
  assert.equal(tools.find('svc.max.audit_query')?.version, 'v1.0.0')
})

test('after a minute it revalidates, and keeps the cache if nothing changed or nobody answers', async () => {
  let answer: Answer = () => Response.json({ tools: [tool()] }, { headers: { etag: '"1"' } })
  const { asked, clock, typeOf } = directory((url, init) => answer(url, init))
  const described = async () => (await typeOf(hello))[0]?.description
  assert.equal(await described(), 'Greets.')
  answer = (_url, { headers }) => {
    assert.deepEqual(headers, { 'if-none-match': '"1"' })
    return new Response(null, { status: 304 })
  }
  for (const again of [
    answer,
    () => Promise.reject(new Error('away')),
    () => new Response('', { status: 500 }),
  ]) {
    answer = again
    clock.now_ms += 60_000
    assert.equal(await described(), 'Greets.')
  }
  answer = () => Response.json({ tools: [tool({ description: 'Greets anew.' })] })
  clock.now_ms += 59_999
  assert.equal(await described(), 'Greets.')
  clock.now_ms += 1
  assert.equal(await described(), 'Greets anew.')
  assert.equal(asked.length, 5)
})

test('unusable answers are offered without schemas: unreachable, too large, invalid, foreign or with hidden text', async () => {
  const wrong: Record<string, Answer> = {
    away: () => Promise.reject(new Error('away')),
    'an engine that knows no such question': () => Response.json({ id: 'GREET' }),
    nonsense: () => new Response('<html>'),
    elsewhere: () => new Response(null, { status: 302, headers: { location: 'http://other' } }),
    'too much': () => Response.json({ tools: [tool({ description: 'x'.repeat(5 << 20) })] }),
    'another name': () => Response.json({ tools: [tool({ name: 'svc.max.audit_query' })] }),
    'another version': () => Response.json({ tools: [tool({ version: 'v9.0.0' })] }),
    'no schema': () => Response.json({ tools: [tool({ inputSchema: { type: 'array' } })] }),
    'zero width': () => Response.json({ tools: [tool({ description: 'Greets\u200b.' })] }),
    'turned around': () =>
      Response.json({ tools: [tool({ inputSchema: { type: 'object', '\u202ex': 1 } })] }),
    'no category': () => Response.json({ tools: [tool({ category: 'svc-evil' })] }),
  }
  for (const [why, answer] of Object.entries(wrong)) {
    const { asked, typeOf } = directory(answer)
    for (let i = 0; i < 2; i++) {
      const [row] = await typeOf(hello)
      assert.deepEqual(
        [row?.inputSchema, row?.category, row?.version],
        [{ type: 'object' }, undefined, 'v1.2.0'],
        why,
      )
    }
    assert.equal(asked.length, 1, `${why} is not asked about again at once`)
  }
})

test('an engine without versions is not queried, and at most 64 protocols are', async () => {
  const { asked, typeOf } = directory(() => Response.json({ tools: [] }))
  await typeOf(may('GREET', 'hello'))
  assert.deepEqual(asked, [])
  await typeOf(...Array.from({ length: 100 }, (_, i) => may(`P${i}`, 'x', 'v1.0.0')))
  assert.equal(asked.length, 64)
})

test('a caller that disconnects meanwhile gets no answer', async () => {
  const { tools } = directory((_url, { signal }) => {
    return new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))
  })
  const leaving = new AbortController()
  const listed = tools.of([hello], leaving.signal)
  leaving.abort(new Error('left'))
  await assert.rejects(listed, /left/)
})
