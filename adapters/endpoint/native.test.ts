import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Need } from '@svc/contract/needs/needs'
import { testContext } from '../../checks/rehearsal/test-context.ts'
import { tryProtocol } from '../../checks/rehearsal/test-ports.ts'
import { nativeEndpoint } from './native.ts'

const context = testContext<Need>({ metadata: { model: 'built-in' } })

test('a synchronous handler answers at once, with its metadata', () => {
  const endpoint = nativeEndpoint(tryProtocol((input) => ({ twice: Number(input.n) * 2 })))
  assert.deepEqual(endpoint.invoke('run', { n: 2 }, context), {
    data: { twice: 4 },
    metadata: { model: 'built-in' },
  })
  assert.deepEqual([endpoint.id, endpoint.kind, endpoint.healthy], ['native', 'native', true])
})

test('an asynchronous handler is awaited, and its errors pass through', async () => {
  const slow = nativeEndpoint(tryProtocol(async () => ({ done: true })))
  assert.deepEqual(await slow.invoke('run', {}, context), {
    data: { done: true },
    metadata: context.metadata,
  })
  const broken = nativeEndpoint(tryProtocol(() => Promise.reject(new Error('broken'))))
  await assert.rejects(async () => broken.invoke('run', {}, context), /broken/)
})
