// The contracts of the PyPI package dummy-a2a against an agent of an engine, and its test agent behind MAT. SVC_TEST_DUMMY_A2A names a python that has it.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { test } from 'node:test'
import { dispatch, freePorts } from '../../engines/running-engine.ts'
import { until } from '../../suite/eventually.ts'
import { assertSuccess } from '../dispatch/expectations.ts'
import { type Fields, startA2a } from './a2a-scene.ts'
import { runKit, startKitScene } from './kit-scene.ts'
import { respondToDummy } from './tck-agent.ts'

const python = process.env.SVC_TEST_DUMMY_A2A
const skip = python === undefined && 'SVC_TEST_DUMMY_A2A names no python with the package dummy-a2a'
/** The card says that the engine has neither. */
const left_out = ['push-notifications', 'extensions']

const program = `
import asyncio, json, sys
from dummy_a2a.contracts import a2a_contracts
async def main():
    for contract in a2a_contracts:
        if contract.category in sys.argv[2].split(','): continue
        result = await contract.verify(sys.argv[1])
        print('RESULT ' + json.dumps([contract.category, contract.id, result.passed, result.detail]))
asyncio.run(main())
`

test('the contracts of dummy-a2a hold', { skip }, async (t) => {
  const scene = await startKitScene(respondToDummy)
  t.after(scene.stop)
  const out = await runKit(python!, ['-c', program, scene.url, left_out.join(',')], tmpdir())
  const results: [string, string, boolean, string][] = [...out.matchAll(/^RESULT (.*)$/gm)].map(([, text]) =>
    JSON.parse(text!),
  )
  t.diagnostic(`${results.length} contracts`)
  assert.ok(results.length >= 25, out)
  assert.deepEqual(
    results.filter(([, , passed]) => !passed),
    [],
  )
})

test('the agent of dummy-a2a is used through MAT', { skip }, async (t) => {
  const port = await freePorts()
  const host = `127.0.0.1:${port}`
  const code = 'import sys; from dummy_a2a.cli import main; main()'
  const child = spawn(python!, ['-c', code, '--host', '127.0.0.1', '--port', String(port)], {
    stdio: 'ignore',
  })
  const ended = once(child, 'exit')
  const scene = await startA2a({ config: { tool_hosts: [host], allowed_networks: ['127.0.0.1/32'] } })
  t.after(async () => {
    child.kill()
    await ended
    await scene.stop()
  })
  const url = `http://${host}/.well-known/agent-card.json`
  await until('the agent answers', () =>
    fetch(url).then(
      ({ ok }) => ok,
      () => false,
    ),
  )
  const ann = await scene.newParty()
  const tool = async (input: Fields): Promise<Fields> =>
    assertSuccess(await dispatch(ann, { protocol: 'MAT', operation: 'tool', input })).output
  await tool({ action: 'register', server: { id: 'dummy', transport: 'a2a', url } })
  const tool_id = 'a2a:dummy/echo'
  await tool({ action: 'approve', tool_id })
  const answerTo = async (args: Fields): Promise<Fields> => tool({ tool_id, arguments: args })
  assert.deepEqual((await answerTo({ text: 'echo hello' })).content, [{ type: 'text', text: 'hello' }])
  assert.equal((await answerTo({ text: 'fail' })).is_error, true)
  assert.equal((await answerTo({ text: 'reject' })).is_error, true)
  const { structured } = await answerTo({ text: 'ask' })
  assert.equal(structured.state, 'input_required')
  const { task_id, context_id } = structured
  assert.equal((await answerTo({ text: 'Ada', task_id, context_id })).structured.state, 'completed')
  const { structured: data } = await answerTo({ text: 'data' })
  assert.equal(typeof data.artifacts[0].parts[0].data, 'object')
  const { structured: several } = await answerTo({ text: 'multi' })
  assert.ok(several.artifacts.length >= 3)
})
