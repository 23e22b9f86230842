import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { definePlugin, operation, operationsText } from './operation.ts'
import { PluginRefusal, refuse, Type } from './plugin.ts'
import { toWit } from './refusal.ts'
import { testHost } from './test-host.ts'

const any = Type.Object({})
const facts = { summary: 'Tries one thing.', effect: 'read', input: any, output: any, example: {} } as const

const plugin = definePlugin({
  operations: {
    refuses: operation({
      ...facts,
      handle() {
        throw refuse('not_found', 'There is no such thing; ask for another.', {
          reason: 'gone',
          details: { id: 7 },
        })
      },
    }),
    breaks: operation({
      ...facts,
      handle() {
        throw new Error('a secret of the author')
      },
    }),
    asks: operation({
      ...facts,
      async handle(_input, context) {
        try {
          return { answer: await context.call('MIND', 'recall_memory', { limit: 1 }) }
        } catch (error) {
          return error instanceof PluginRefusal ? { code: error.code, reason: error.reason } : {}
        }
      },
    }),
    mistakes: operation({
      ...facts,
      output: Type.Object({ count: Type.Integer() }),
      handle: () => ({ count: 1.5 }),
    }),
    mute: operation({ ...facts, handle: () => (() => 1) as never }),
    miscodes: operation({
      ...facts,
      handle() {
        throw new PluginRefusal('bogus', 'No such code.')
      },
    }),
    circles: operation({
      ...facts,
      handle() {
        const details: Record<string, unknown> = {}
        details.itself = details
        throw refuse('policy_denied', 'No.', { details })
      },
    }),
    records: operation({
      ...facts,
      input: Type.Object({ event_type: Type.String(), meta: Type.Any() }),
      example: { event_type: 'custom.a', meta: {} },
      handle(input, context) {
        context.audit(input.event_type, input.meta)
        return {}
      },
    }),
    leaves: operation({
      ...facts,
      handle(_input, context) {
        context.audit('MemoryStored', {})
        return {}
      },
    }),
    sees: operation({
      ...facts,
      handle: (_input, { tenant_id, config, metadata }) => ({ tenant_id, config, metadata }),
    }),
  },
})

test('a refusal arrives unchanged', async () => {
  await assert.rejects(testHost(plugin).run('refuses', {}), {
    name: 'PluginRefusal',
    code: 'not_found',
    message: 'There is no such thing; ask for another.',
    reason: 'gone',
    details: { id: 7 },
  })
})

test('a bug is logged, and the caller learns only that there was one', async () => {
  const host = testHost(plugin)
  await assert.rejects(host.run('breaks', {}), (error: PluginRefusal) => {
    assert.equal(error.code, 'protocol_error')
    assert.doesNotMatch(error.message, /secret/)
    return true
  })
  assert.deepEqual(
    host.logs.map(({ level, message }) => [level, message.split('\n')[0]]),
    [['error', 'a secret of the author']],
  )
})

test('a value that cannot cross the boundary is a bug of the plugin, and does not end its instance', async () => {
  for (const [name, cause] of [
    ['mute', /returned a function/],
    ['miscodes', /bogus is not a refusal code/],
    ['circles', /circular/],
  ] as const) {
    const host = testHost(plugin)
    await assert.rejects(host.run(name, {}), { code: 'protocol_error' })
    assert.match(host.logs[0]!.message, cause)
  }
})

test('every code of the world can be returned', () => {
  const wit = readFileSync(join(import.meta.dirname, 'wit/svc-plugin.wit'), 'utf8')
  const codes = /enum code \{([^}]+)\}/.exec(wit)![1]!.match(/[a-z-]+/g)!
  assert.equal(codes.length, 21)
  for (const code of codes)
    assert.equal(toWit(new PluginRefusal(code.replaceAll('-', '_'), 'No.')).code, code)
})

test('an event is accepted or refused as in the engine', async () => {
  const run = (event_type: string, meta: unknown) => testHost(plugin).run('records', { event_type, meta })
  assert.deepEqual(await run('custom.greeting.remembered', { a: 1 }), {})
  for (const [event_type, meta] of [
    ['custom.', {}],
    ['custom.Loud', {}],
    ['custom.a', [1]],
    ['custom.a', { text: 'x'.repeat(16 * 1024) }],
  ] as const)
    await assert.rejects(run(event_type, meta), { code: 'invalid_payload' })
})

test('an unknown operation is refused, also a member of Object', async () => {
  for (const name of ['nothing', 'toString', '__proto__'])
    await assert.rejects(testHost(plugin).run(name, {}), { code: 'unknown_operation' })
})

test('a call is answered, and a refused call can be caught', async () => {
  const calls = { 'MIND.recall_memory': ({ limit }: { limit: number }) => ({ memories: limit }) }
  assert.deepEqual(await testHost(plugin, { calls }).run('asks', {}), { answer: { memories: 1 } })
  const refusing = {
    'MIND.recall_memory': () => {
      throw refuse('policy_denied', 'Not on Sundays.', { reason: 'sunday' })
    },
  }
  assert.deepEqual(await testHost(plugin, { calls: refusing }).run('asks', {}), {
    code: 'policy_denied',
    reason: 'sunday',
  })
})

test('an output that violates its schema, and an event that is not custom, are detected', async () => {
  await assert.rejects(testHost(plugin).run('mistakes', {}), /The output: \/count/)
  await assert.rejects(testHost(plugin).run('leaves', {}), { code: 'invalid_payload' })
})

test('a handler gets the call and its configuration', async () => {
  const host = testHost(plugin, { config: { language: 'de' }, context: { tenant_id: 'acme' } })
  assert.deepEqual(await host.run('sees', {}), {
    tenant_id: 'acme',
    config: { language: 'de' },
    metadata: { plugin_config: { language: 'de' } },
  })
})

test('operations.json has the facts and schemas, and no code', () => {
  const descriptions = JSON.parse(operationsText(plugin))
  assert.deepEqual(Object.keys(descriptions), Object.keys(plugin.operations))
  assert.deepEqual(descriptions.mistakes.output, {
    type: 'object',
    required: ['count'],
    properties: { count: { type: 'integer' } },
  })
  assert.equal('handle' in descriptions.mistakes, false)
})
