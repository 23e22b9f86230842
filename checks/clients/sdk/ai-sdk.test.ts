// Tools of the Vercel AI SDK, governed by a real engine, with a scripted model.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { addMember } from '@svc/adapters/access/charter'
import { type Client, createClient, isRefused, type Refused } from '@svc/sdk'
import { governTools, svcTools } from '@svc/sdk/ai-sdk'
import { dynamicTool, jsonSchema, type Tool } from 'ai'
import { askAgent } from '../../../examples/refund-agent/agent.ts'
import { scriptedModel } from '../../../examples/refund-agent/scripted-model.ts'
import { type InProcessService, startInProcess } from '../../engines/in-process.ts'
import type { Addresses } from '../../engines/running-engine.ts'
import { eventually } from '../../suite/eventually.ts'

const head = 'forbid(principal, action, resource == Svc::Operation::"MAT.begin_call")'
const object = jsonSchema<Record<string, unknown>>({ type: 'object' })
let service: InProcessService
let agent: Client
let approver: Client

/** Does not wait between looks at an approval: each look first lets the approver decide. */
let whileWaiting = async () => {}
const clientOf = ({ api_url, api_key, tenant_id, agent_did }: Addresses) =>
  createClient({
    apiUrl: api_url,
    apiKey: api_key,
    tenantId: tenant_id,
    agentDid: agent_did,
    sleep: () => whileWaiting(),
  })

before(async () => {
  service = await startInProcess()
  agent = clientOf(await service.newCaller({ tenant_id: 'shop', capabilities: ['svc.*.*'] }))
  const approving = await service.newCaller({ tenant_id: 'shop', capabilities: ['svc.*.*'] })
  approver = clientOf(approving)
  await addMember(service.service.store.engine, 'shop', approving.agent_did, new Date())
  await approver.maxim.author({
    policy_id: 'refunds',
    version: '1.0.0',
    active_from: new Date().toISOString(),
    policy_body: `
      @reason("too much") ${head} when { context.input.tool == "refund" && context.input.arguments.amount > 1000 };
      @approval("${approving.agent_did}") ${head}
      when { context.input.tool == "refund" && context.input.arguments.amount > 100 };`,
  })
  await eventually(async () => assert.ok(isRefused(await run(refund, { amount: 5000 }))))
})
after(() => service?.stop())

const options = { toolCallId: '1', messages: [], context: {} }
const paid: unknown[] = []
const refund = dynamicTool({
  inputSchema: object,
  execute: async (input) => {
    paid.push(input)
    return 'paid'
  },
})

function run(tool: Tool, input: unknown, more: object = {}, name = 'refund'): Promise<unknown> {
  const { [name]: governed } = governTools({ [name]: tool }, { client: agent, ...more })
  return governed!.execute!(input, options) as Promise<unknown>
}

/** What the agent reported, newest last. */
async function reported(): Promise<unknown[]> {
  const records = await service.records('shop', { event_types: ['ToolInvoked'] })
  return records.map(({ meta }) => [meta.tool_id, (meta.supplied as { outcome: string }).outcome])
}

test('a refused function does not run, and its refusal is the result', async () => {
  const before_run = paid.length
  const refused = (await run(refund, { amount: 5000 })) as Refused
  assert.deepEqual(
    [refused.code, refused.reason],
    ['policy_denied', 'policy refunds@1.0.0 forbids: too much'],
  )
  assert.match(refused.message, /forbidden by a rule of shop/)
  assert.equal(paid.length, before_run)
})

test('a function runs once, with its own input, and its end is reported', async () => {
  const input = { amount: 40 }
  assert.equal(await run(refund, input), 'paid')
  assert.equal(paid.at(-1), input)
  assert.deepEqual((await reported()).at(-1), ['own:refund', 'ok'])
})

test('without waiting the model is told of the approval; with it, it goes on once that is given', async () => {
  const waiting = (await run(refund, { amount: 200 })) as Refused
  assert.equal(waiting.code, 'approval_required')
  const approval_id = waiting.approval_id ?? assert.fail('it names no approval')
  whileWaiting = async () => void (await approver.maxim.approval_decide({ approval_id, decision: 'approve' }))
  assert.equal(await run(refund, { amount: 200 }, { waitForApprovalMs: 5_000 }), 'paid')
})

test('a refused approval, and one that nobody decides, are told to the model', async () => {
  const { approval_id = '' } = (await run(refund, { amount: 201 })) as Refused
  whileWaiting = async () => void (await approver.maxim.approval_decide({ approval_id, decision: 'refuse' }))
  const refused = (await run(refund, { amount: 201 }, { waitForApprovalMs: 5_000 })) as Refused
  assert.deepEqual([refused.code, refused.reason], ['policy_denied', 'approval refused'])
  whileWaiting = async () => {}
  const late = (await run(refund, { amount: 202 }, { waitForApprovalMs: 5_000 })) as Refused
  assert.equal(late.code, 'approval_required')
})

test('an error of the function is thrown as it was, and reported as one', async () => {
  const failure = new RangeError('no such order')
  const failing = dynamicTool({
    inputSchema: object,
    execute: () => {
      throw failure
    },
  })
  await assert.rejects(run(failing, {}, {}, 'fail'), (error) => error === failure)
  assert.deepEqual((await reported()).at(-1), ['own:fail', 'tool_error'])
})

test('streams stay streams, also when refused or left early', async () => {
  const parts = dynamicTool({
    inputSchema: object,
    async *execute() {
      yield 'half'
      yield 'whole'
    },
  })
  const stream = (name: string, input: unknown) =>
    governTools({ [name]: parts }, { client: agent })[name]!.execute!(
      input,
      options,
    ) as AsyncIterable<unknown>
  assert.deepEqual(await Array.fromAsync(stream('stream', {})), ['half', 'whole'])
  assert.deepEqual((await reported()).at(-1), ['own:stream', 'ok'])
  const [refused] = await Array.fromAsync(stream('refund', { amount: 5000 }))
  assert.ok(isRefused(refused))
  for await (const part of stream('left', {})) {
    assert.equal(part, 'half')
    break
  }
  assert.deepEqual((await reported()).at(-1), ['own:left', 'timeout'])
})

test('without an engine nothing runs, and what cannot be governed is not wrapped', async () => {
  const away = createClient({
    apiUrl: 'http://127.0.0.1:9',
    apiKey: 'x',
    tenantId: 'shop',
    agentDid: `did:oas:shop:agent:${'a'.repeat(64)}`,
  })
  const before_run = paid.length
  await assert.rejects(run(refund, { amount: 1 }, { client: away }), { code: 'network' })
  assert.equal(paid.length, before_run)
  await assert.rejects(run(refund, { amount: 1n }), { code: 'invalid_payload' })
  const elsewhere = { inputSchema: object, outputSchema: object } as Tool
  assert.throws(() => governTools({ elsewhere }, { client: agent }), /cannot be governed/)
})

test('a tool that shapes its output for the model is told of refusals by their sentence', async () => {
  const shaped = { ...refund, toModelOutput: () => ({ type: 'text' as const, value: 'shaped' }) } as Tool
  const { refund: governed } = governTools({ refund: shaped }, { client: agent })
  const output = { refused: true, message: 'No.' }
  const shape = (value: unknown) => governed.toModelOutput!({ toolCallId: '1', input: {}, output: value })
  assert.deepEqual(await shape(output), { type: 'error-text', value: 'No.' })
  assert.deepEqual(await shape('paid'), { type: 'text', value: 'shaped' })
})

test('an end that cannot be reported does not lose the result', async () => {
  const unreported: unknown[] = []
  const client = {
    ...agent,
    dispatch: async (protocol: string, operation: string, ...rest: [unknown]) => {
      if (operation === 'end_call') throw new Error('gone')
      return await agent.dispatch(protocol, operation, ...rest)
    },
  } as Client
  const onUnreported = (error: unknown) => unreported.push(error)
  assert.equal(await run(refund, { amount: 3 }, { client, onUnreported }), 'paid')
  assert.match(String(unreported[0]), /gone/)
})

test('operations of the engine are tools with their schemas, and refuse in the same way', async () => {
  const tools = await svcTools({ client: agent, operations: ['MIND.store_memory', 'MAT.end_call'] })
  assert.deepEqual(Object.keys(tools), ['mind_store_memory', 'mat_end_call'])
  const memory = { kind: 'semantic', payload: { text: 'Gate 4 is locked at night.' } }
  const stored = (await tools.mind_store_memory!.execute!(memory, options)) as Record<string, unknown>
  assert.ok(stored.ref ?? stored.memory_id)
  const { jsonSchema: schema } = tools.mat_end_call!.inputSchema as { jsonSchema: { required: string[] } }
  assert.deepEqual(schema.required, ['call_id', 'outcome'])
  const unknown = { call_id: '6b9f2c1e-4d3a-4c8b-9a53-2f7c4e1d8a60', outcome: 'ok' }
  const refused = (await tools.mat_end_call!.execute!(unknown, options)) as Refused
  assert.deepEqual([refused.refused, refused.reason], [true, 'not_found'])
  await assert.rejects(svcTools({ client: agent, operations: ['MIND.nothing'] }), /no operation MIND.nothing/)
})

test('the agent of the example is refused, explains itself, asks, and goes on', async () => {
  const model = scriptedModel()
  assert.match(await askAgent(model, 'Refund 5000.', agent), /^I could not do that.*too much/)
  whileWaiting = async () => {
    const { items } = await approver.maxim.approvals({ side: 'to_decide', state: 'PENDING' })
    for (const { approval_id } of items)
      await approver.maxim.approval_decide({ approval_id, decision: 'approve' })
  }
  assert.equal(await askAgent(model, 'Then 300.', agent), 'Done: 300 paid back for A-1042.')
})
