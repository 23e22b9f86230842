import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DispatchClient } from './client.ts'
import { createWorkingMemory } from './working-memory.ts'

function memoryOf(options?: { namespace: string }) {
  const calls: unknown[] = []
  const dispatch = async (...call: unknown[]) => {
    calls.push(call)
    return { output: { memories: [] } }
  }
  const client = { dispatch } as unknown as Pick<DispatchClient, 'dispatch'>
  return { memory: createWorkingMemory(client, options), asked: calls }
}

test('a text becomes a working memory of the namespace, with its options', async () => {
  const { memory, asked } = memoryOf({ namespace: 'n' })
  await memory.remember('Acme is late')
  await memory.remember(
    { steps: [] },
    { kind: 'procedural', namespace: 'm', importance: 1 },
    { timeoutMs: 5 },
  )
  assert.deepEqual(asked, [
    [
      'MIND',
      'store_memory',
      { kind: 'working', namespace: 'n', payload: { text: 'Acme is late' } },
      undefined,
    ],
    [
      'MIND',
      'store_memory',
      { kind: 'procedural', namespace: 'm', payload: { steps: [] }, importance: 1 },
      { timeoutMs: 5 },
    ],
  ])
})

test('recall takes a text or any predicate; relations and facts are found by name', async () => {
  const { memory, asked } = memoryOf()
  await memory.recall('late?')
  await memory.recall({ temporal: { order: 'newest' } }, { limit: 1 })
  await memory.relate('a', 'causes', 'b', { weight: 1 })
  await memory.know('Acme', { depth: 2 })
  assert.deepEqual(
    asked.map((call) => (call as unknown[]).slice(1, 3)),
    [
      ['recall_memory', { namespace: 'default', predicate: { semantic: { text: 'late?' } } }],
      ['recall_memory', { namespace: 'default', predicate: { temporal: { order: 'newest' } }, limit: 1 }],
      ['associate_memories', { source: 'a', relation: 'causes', target: 'b', weight: 1 }],
      ['query_knowledge', { subject: 'Acme', depth: 2 }],
    ],
  )
})
