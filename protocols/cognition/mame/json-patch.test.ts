import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Refusal } from '@svc/contract/refusal'
import fc from 'fast-check'
import { applyPatch, differencesOf, type PatchStep, withoutPointers } from './json-patch.ts'

const bytes_max = 256 * 1024
const json = fc.jsonValue({ maxDepth: 3 })

function assertFails(
  document: unknown,
  steps: readonly PatchStep[],
  reason = 'patch_failed',
  at_most = bytes_max,
): void {
  assert.throws(
    () => applyPatch(document, steps, at_most),
    (thrown) => thrown instanceof Refusal && thrown.details.reason === reason,
  )
}

// Each operation of RFC 6902 with its result.
const made: readonly [unknown, PatchStep, unknown][] = [
  [{ foo: 'bar' }, { op: 'add', path: '/baz', value: 'qux' }, { foo: 'bar', baz: 'qux' }],
  [{ foo: ['bar', 'baz'] }, { op: 'add', path: '/foo/1', value: 'qux' }, { foo: ['bar', 'qux', 'baz'] }],
  [{ foo: ['bar'] }, { op: 'add', path: '/foo/-', value: ['abc'] }, { foo: ['bar', ['abc']] }],
  [{ foo: 'bar' }, { op: 'add', path: '', value: { a: 1 } }, { a: 1 }],
  [{ foo: 1 }, { op: 'add', path: '/foo', value: 2 }, { foo: 2 }],
  [{ foo: ['a', 'b', 'c'] }, { op: 'remove', path: '/foo/1' }, { foo: ['a', 'c'] }],
  [{ foo: null }, { op: 'replace', path: '/foo', value: 1 }, { foo: 1 }],
  [
    { a: { b: 1 }, c: {} },
    { op: 'move', from: '/a/b', path: '/c/d' },
    { a: {}, c: { d: 1 } },
  ],
  [{ l: [1, 2, 3] }, { op: 'move', from: '/l/0', path: '/l/2' }, { l: [2, 3, 1] }],
  [{ a: [1] }, { op: 'copy', from: '/a', path: '/b' }, { a: [1], b: [1] }],
  [{ 'a/b': 1, 'm~n': 2 }, { op: 'remove', path: '/a~1b' }, { 'm~n': 2 }],
  [{ '': { '~1': 1 } }, { op: 'replace', path: '//~01', value: 2 }, { '': { '~1': 2 } }],
  [{ a: { x: 1, y: 2 } }, { op: 'test', path: '/a', value: { y: 2, x: 1 } }, { a: { x: 1, y: 2 } }],
]
test('a patch nests nothing deeper than a request, by copying or by moving', () => {
  const below = '/a'.repeat(30)
  const document = { a: JSON.parse(`${'{"a":'.repeat(30)}{}${'}'.repeat(30)}`) as unknown, b: {} }
  const copy = { op: 'copy', from: '/a', path: `/a${below}` } as const
  const look = { op: 'test', path: '/a', value: 1 } as const
  assertFails(document, [copy, look], 'test_failed')
  assertFails(document, [copy, copy, copy, copy, look], 'too_large')
  const move = { op: 'move', from: '/a', path: '/b/a' } as const
  const swap = { op: 'move', from: '/b', path: '/a' } as const
  const make = { op: 'add', path: '/b', value: {} } as const
  assertFails(document, Array(40).fill([move, swap, make]).flat(), 'too_large')
})

test('many small steps on a large document do not measure it each time', (t) => {
  const document = { list: Array.from({ length: 500 }, () => 'x'.repeat(40)) }
  const steps = Array.from(
    { length: 100 },
    (_, place) => ({ op: 'replace', path: `/list/${place}`, value: 1 }) as const,
  )
  const written = t.mock.method(JSON, 'stringify')
  applyPatch(document, steps, 100_000)
  const longest = written.mock.calls.filter(({ result }) => String(result).length > 1_000)
  assert.equal(longest.length, 1)
  const at_limit = { op: 'add', path: '/list/-', value: 'y', from: '/nowhere' } as const
  assert.deepEqual(applyPatch({ list: [] }, [at_limit], 14), { list: ['y'] })
  assertFails({ list: [] }, [at_limit, at_limit], 'too_large', 14)
})

test('every operation works as in RFC 6902', () => {
  for (const [document, step, expected] of made)
    assert.deepEqual(applyPatch(document, [step], bytes_max), expected, JSON.stringify(step))
})

test('an impossible operation is refused with its step', () => {
  assertFails({}, [{ op: 'remove', path: '/a' }])
  assertFails({}, [{ op: 'replace', path: '/a', value: 1 }])
  assertFails({}, [{ op: 'add', path: '/a/b', value: 1 }])
  assertFails({ a: [1] }, [{ op: 'add', path: '/a/2', value: 1 }])
  assertFails({ a: [1] }, [{ op: 'add', path: '/a/01', value: 1 }])
  assertFails({ a: [1] }, [{ op: 'remove', path: '/a/-' }])
  assertFails({ a: 1 }, [{ op: 'remove', path: '' }])
  assertFails({ a: { b: 1 } }, [{ op: 'move', from: '/a', path: '/a/b' }])
  assertFails({ a: 1 }, [{ op: 'copy', path: '/b' }])
  assertFails({ a: 1 }, [{ op: 'add', path: '/b' }])
  assertFails({ a: '10' }, [{ op: 'test', path: '/a', value: 10 }], 'test_failed')
})

test('no pointer reaches inherited properties', () => {
  for (const path of ['/__proto__/polluted', '/constructor/prototype/polluted'])
    assertFails({}, [{ op: 'add', path, value: 1 }])
  assertFails([], [{ op: 'replace', path: '/length', value: 0 }])
  const made = applyPatch({}, [{ op: 'add', path: '/__proto__', value: { polluted: 1 } }], bytes_max)
  assert.equal(JSON.stringify(made), '{"__proto__":{"polluted":1}}')
  assert.equal((made as { polluted?: number }).polluted, undefined)
})

test('a patch that doubles the document is stopped', () => {
  const doubling = Array.from({ length: 100 }, (_, place): PatchStep => {
    return { op: 'copy', from: '', path: `/copy${place}` }
  })
  assertFails({ a: [1, 2, 3] }, doubling, 'too_large')
})

test('a patch that copies a long string is refused at the step that exceeds the limit, before anything is written', () => {
  const document = { text: 'x'.repeat(250_000) }
  const steps = Array.from({ length: 13 }, (_, place): PatchStep => {
    return { op: 'copy', from: '', path: `/copy${place}` }
  })
  assert.throws(() => applyPatch(document, steps, bytes_max), /Step 0 of the patch .* more than 262144 bytes/)
  // Removed content does not count: the same path may be filled many times.
  const filled: PatchStep[] = steps.map(() => ({ op: 'add', path: '/text', value: 'y'.repeat(200_000) }))
  assert.deepEqual(applyPatch(document, filled, bytes_max), { text: 'y'.repeat(200_000) })
})

test('applying the differences yields the other document and mutates nothing', () => {
  fc.assert(
    fc.property(json, json, (before, after) => {
      const text_before = JSON.stringify(before)
      assert.equal(canonical(applyPatch(before, differencesOf(before, after), bytes_max)), canonical(after))
      assert.equal(JSON.stringify(before), text_before)
      assert.deepEqual(differencesOf(before, before), [])
    }),
  )
})

test('only what the pointers name is removed', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), json, { minKeys: 1 }), fc.nat(), (document, pick) => {
      const places = pointersIn(document)
      const pointer = places[pick % places.length]!
      const { remainder, missing } = withoutPointers(document, [pointer])
      assert.deepEqual(missing, [])
      const touched = differencesOf(document, remainder)
      assert.ok(touched.every(({ path }) => path === pointer || path.startsWith(`${pointer}/`)))
      assert.deepEqual(withoutPointers(document, [`${pointer}/nowhere`]).missing, [`${pointer}/nowhere`])
    }),
  )
  const both = withoutPointers({ a: { b: 1, c: 2 }, l: [1, 2, 3] }, ['/a', '/a/b', '/l/0', '/l/2'])
  assert.deepEqual(both, { remainder: { l: [null, 2, null] }, missing: [] })
})

function pointersIn(node: unknown, path = ''): string[] {
  if (typeof node !== 'object' || node === null) return []
  return Object.entries(node).flatMap(([key, child]) => {
    const below = `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`
    return [below, ...pointersIn(child, below)]
  })
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_, node) =>
    typeof node === 'object' && node !== null && !Array.isArray(node)
      ? Object.fromEntries(Object.entries(node).sort(([a], [b]) => (a < b ? -1 : 1)))
      : node,
  )
}
