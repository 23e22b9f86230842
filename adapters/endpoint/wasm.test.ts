import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Need } from '@svc/contract/needs/needs'
import { type Refusal, refuse, unavailable } from '@svc/contract/refusal'
import { testContext } from '../../checks/rehearsal/test-context.ts'
import type { Answer, CallHost, Reply } from '../plugins/plugin-process.ts'
import { type WasmPlugin, wasmEndpoint } from './wasm.ts'

interface Heard {
  readonly events: unknown[]
  readonly calls: unknown[]
  readonly progress: unknown[]
  readonly log: unknown[]
}

/** Invokes a plugin that does this with its host, in a context that records what it gets. */
async function invoke(
  work: (host: CallHost, call: Readonly<Record<string, string>>) => Promise<Answer> | Answer,
  answerCall: () => unknown = () => ({ found: 7 }),
) {
  const heard: Heard = { events: [], calls: [], progress: [], log: [] }
  const plugin: WasmPlugin = {
    id: 'test@1.0.0',
    calls: { run: async (call, host) => work(host, call) },
    capabilities: ['svc.mind.recall'],
    config: () => ({ language: 'fr' }),
    deadline_ms: () => 500,
    abi_level: 'svc:plugin@1.0.0',
    log: (...words) => heard.log.push(words),
  }
  const context = testContext<Need>({
    tenant_id: 'acme',
    invoke: { correlation_id: 'c-1', metadata: { kept: true } },
    metadata: {},
    call: async (...words: unknown[]) => {
      heard.calls.push(words)
      return answerCall()
    },
    audit: (...words: unknown[]) => heard.events.push(words),
    progress: (step: unknown) => heard.progress.push(step),
  })
  const response = await wasmEndpoint(plugin).invoke('run', { a: 1 }, context)
  return { data: (response as { data: unknown }).data, heard }
}

const refusalOf = async (answer: Answer): Promise<Refusal> => {
  try {
    await invoke(() => answer)
  } catch (error) {
    return error as Refusal
  }
  throw new assert.AssertionError({ message: 'it was not refused' })
}

test('the plugin gets input, context and configuration, and its JSON is the answer', async () => {
  const { data } = await invoke((_, { payload, context, config, tenant_id }) => {
    assert.deepEqual([payload, config, tenant_id], ['{"a":1}', '{"language":"fr"}', 'acme'])
    assert.deepEqual(JSON.parse(context!).metadata, {
      kept: true,
      plugin_config: { language: 'fr' },
      plugin_abi: 'svc:plugin@1.0.0',
    })
    return { answered: '{"b":[1,2]}' }
  })
  assert.deepEqual(data, { b: [1, 2] })
})

test("a plugin's refusal has one of a few own codes, or is a protocol error", async () => {
  const codeAndReason = async (code: string) => {
    const { code: refusal_code, details } = await refusalOf({ refused: { code, message: 'No.' } })
    return [refusal_code, details.reason]
  }
  assert.deepEqual(await codeAndReason('invalid-payload'), ['invalid_payload', undefined])
  assert.deepEqual(await codeAndReason('policy-denied'), ['policy_denied', undefined])
  assert.deepEqual(await codeAndReason('missing-capability'), ['missing_capability', undefined])
  assert.deepEqual(await codeAndReason('adapter-error'), ['adapter_error', undefined])
  assert.deepEqual(await codeAndReason('not-found'), ['invalid_payload', 'not_found'])
  for (const code of ['internal', 'circuit-open', 'unauthenticated', 'timeout', 'capability-denied'])
    assert.deepEqual(await codeAndReason(code), [
      'protocol_error',
      `plugin said ${code.replaceAll('-', '_')}`,
    ])
  for (const code of ['', 'constructor', '__proto__', 'x'.repeat(1_000)])
    assert.deepEqual(await codeAndReason(code), ['protocol_error', 'plugin said an unknown code'])
})

test('its messages and details are bounded, and nothing of them passes as ours', async () => {
  const long = await refusalOf({
    refused: {
      code: 'policy-denied',
      message: 'x'.repeat(9_999),
      reason: 'y'.repeat(999),
      details: '{"a":1}',
    },
  })
  assert.equal(long.message.length, 2_000)
  assert.deepEqual(long.details, { a: 1, reason: 'y'.repeat(200) })
  for (const details of ['[]', 'null', '7', '{', `{"a":"${'x'.repeat(20_000)}"}`])
    assert.deepEqual(
      (await refusalOf({ refused: { code: 'policy-denied', message: 'No.', details } })).details,
      {},
    )
  const proto = await refusalOf({
    refused: { code: 'policy-denied', message: '', details: '{"__proto__":{"polluted":1}}' },
  })
  assert.equal(({} as { polluted?: number }).polluted, undefined)
  assert.match(proto.message, /refuses without a word/)
})

test('a refusal it was given and passes on stays what it was; the same code in other words does not', async () => {
  const denied = refuse('capability_denied', 'Nobody may.', { reason: 'a rule' })
  const passing = (message: string) =>
    invoke(
      async (host) => {
        const reply = await host.call('MIND', 'recall', '{}')
        assert.ok('refused' in reply)
        assert.equal(reply.refused.code, 'capability-denied')
        return { refused: { ...reply.refused, message } }
      },
      () => {
        throw denied
      },
    )
  await assert.rejects(passing('Nobody may.'), (thrown) => thrown === denied)
  await assert.rejects(passing('Nobody may!'), { code: 'protocol_error' })
})

test('an older plugin gets the nearest code for `unavailable`, and passes on the original', async () => {
  const undecided = unavailable('delegations')
  const passing = invoke(
    async (host) => {
      const reply = await host.call('MIND', 'recall', '{}')
      assert.ok('refused' in reply)
      assert.equal(reply.refused.code, 'no-endpoint-available')
      assert.equal(JSON.parse(reply.refused.details!).unavailable, 'delegations')
      return { refused: reply.refused }
    },
    () => {
      throw undecided
    },
  )
  await assert.rejects(passing, (thrown) => thrown === undecided)
})

test("a call carries the manifest's capabilities as its ceiling, and invalid JSON is not sent", async () => {
  const replies: Reply[] = []
  const { heard } = await invoke(async (host) => {
    for (const input of ['{"q":1}', '{', '['.repeat(200), `[${'0,'.repeat(200_000)}0]`])
      replies.push(await host.call('MIND', 'recall', input))
    return { answered: '{}' }
  })
  assert.deepEqual(heard.calls, [['MIND', 'recall', { q: 1 }, ['svc.mind.recall']]])
  assert.deepEqual(replies[0], { ok: '{"found":7}' })
  const reasons = replies.slice(1).map((reply) => ('refused' in reply ? reply.refused.reason : 'let through'))
  assert.deepEqual(reasons, ['not JSON', 'too complex', 'too complex'])
})

test('an internal error in a call is reported without its cause', async () => {
  await invoke(
    async (host) => {
      const reply = await host.call('MIND', 'recall', '{}')
      assert.ok('refused' in reply)
      assert.equal(reply.refused.code, 'internal')
      assert.doesNotMatch(JSON.stringify(reply), /secret/)
      return { answered: '{}' }
    },
    () => {
      throw new Error('the secret cause')
    },
  )
})

test('only its own events are recorded, with a small object as meta', async () => {
  const reasons: unknown[] = []
  const { heard } = await invoke(async (host) => {
    const tries: [string, string][] = [
      ['custom.greeted', '{"a":1}'],
      ['ProtocolInvocation', '{}'],
      ['SecurityViolation', '{}'],
      ['custom.', '{}'],
      ['custom.x y', '{}'],
      ['custom.greeted', '[]'],
      ['custom.greeted', 'null'],
      ['custom.greeted', '{'],
      ['custom.greeted', `{"a":"${'x'.repeat(20_000)}"}`],
    ]
    for (const [event_type, meta] of tries) {
      const reply = await host.audit(event_type, meta)
      reasons.push('ok' in reply ? 'recorded' : reply.refused.reason)
    }
    return { answered: '{}' }
  })
  assert.deepEqual(heard.events, [['custom.greeted', {}, { supplied: { a: 1 } }]])
  assert.deepEqual(reasons, [
    'recorded',
    ...Array.from({ length: 4 }, () => 'event type'),
    'event meta',
    'event meta',
    'not JSON',
    'event meta',
  ])
})

test('log and progress are truncated, and a fraction is between 0 and 1', async () => {
  const { heard } = await invoke((host) => {
    host.log('warn', 'x'.repeat(5_000))
    host.progress('y'.repeat(5_000), 7)
    host.progress('z', undefined)
    host.progress('z', -1)
    return { answered: '{}' }
  })
  assert.deepEqual(heard.log, [['warn', 'x'.repeat(2_000), 'c-1']])
  assert.deepEqual(heard.progress, [
    { message: 'y'.repeat(2_000), fraction: 1 },
    { message: 'z' },
    { message: 'z', fraction: 0 },
  ])
})

test('an answer that cannot be serialized again is a protocol error', async () => {
  const bombs: Record<string, string> = {
    '': 'not JSON',
    '{"a":': 'not JSON',
    NaN: 'not JSON',
    '{"a":1e400}': 'not JSON',
    '["\\ud800"]': 'not JSON',
    ['['.repeat(1_000_000)]: 'too complex',
    [`[${'[],'.repeat(1_000_000)}[]]`]: 'too complex',
  }
  for (const [answered, reason] of Object.entries(bombs)) {
    const refusal = await refusalOf({ answered })
    assert.deepEqual(
      [refusal.code, refusal.details.reason],
      ['protocol_error', reason],
      answered.slice(0, 20),
    )
  }
})

test('special JavaScript keys are plain keys, and the last duplicate wins', async () => {
  const { data } = await invoke(() => ({
    answered: '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"a":1,"a":2}',
  }))
  assert.deepEqual(Object.keys(data as object), ['__proto__', 'constructor', 'a'])
  assert.equal((data as { a: number }).a, 2)
  assert.equal(({} as { polluted?: number }).polluted, undefined)
})

test('late, trapped and dead plugins differ, and the caller does not get the cause', async () => {
  const late = await refusalOf({ late_ms: 500 })
  assert.deepEqual([late.code, late.details.reason], ['timeout', 'deadline exceeded'])
  for (const [answer, reason] of [
    [{ trapped: 'a cause' }, 'plugin trapped'],
    [{ died: 'a cause' }, 'plugin died'],
  ] as const) {
    const refusal = await refusalOf(answer)
    assert.deepEqual([refusal.code, refusal.details.reason], ['adapter_error', reason])
    assert.doesNotMatch(refusal.message, /a cause/)
  }
})
