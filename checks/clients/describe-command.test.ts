// svc operations, svc describe and the fields of svc invoke as flags, against a real engine with a protocol of its own.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { catalogue } from '@svc/catalogue/catalogue'
import { runCli } from '../../clients/cli/run.ts'
import { trialProtocol } from '../conformance/execution/trial-protocol.ts'
import { type InProcessService, startInProcess } from '../engines/in-process.ts'
import { clientEnv, type TestTerminalOptions, testTerminal } from './test-terminal.ts'

const trial = trialProtocol('v2.0.0')
let service: InProcessService

before(async () => {
  service = await startInProcess({ more_protocols: [trial.protocol] })
})
after(() => service?.stop())

async function svc(argv: readonly string[], options: TestTerminalOptions = {}) {
  const terminal = testTerminal({ env: clientEnv(service), columns: 100, ...options })
  const code = await runCli(argv, terminal)
  return { code, stdout: terminal.stdout, stderr: terminal.stderr }
}

test('svc operations lists all that the engine has, also what this svc does not know, without a key', async () => {
  const env = { SVC_API_URL: service.api_url }
  const { code, stdout, stderr } = await svc(['operations', '--json'], { env })
  assert.deepEqual([code, stderr], [0, ''])
  const rows = JSON.parse(stdout) as Record<string, string>[]
  const listed = new Set(rows.map(({ protocol, operation }) => `${protocol} ${operation}`))
  for (const { id, operations } of catalogue)
    for (const name of Object.keys(operations)) assert.ok(listed.has(`${id} ${name}`), `${id} ${name}`)
  assert.ok(listed.has('TRIAL echo'))
  assert.ok(rows.every(({ level, summary }) => /^L[012]$/.test(level!) && summary !== ''))
})

test('svc operations finds by words, and by the name of a protocol', async () => {
  const { stdout } = await svc(['operations', 'moat', 'PROPOSE'])
  assert.match(stdout, /^MOAT {2}propose +L\d {2}Propose a treaty/m)
  assert.doesNotMatch(stdout, /^MAX /m)
  const of_one = JSON.parse((await svc(['operations', 'max', '--json=operation'])).stdout)
  assert.deepEqual(of_one[0], { operation: 'audit_log_entry' })
  const none = await svc(['operations', 'nothing-of-this-name'])
  assert.deepEqual([none.code, none.stdout], [0, ''])
  assert.match(none.stderr, /svc operations lists all/)
})

test('svc describe shows fields with their limits, the answer, refusals, capability and an example that works', async () => {
  const { code, stdout } = await svc(['describe', 'max', 'audit_query'])
  assert.equal(code, 0)
  for (const line of [
    /^MAX audit_query: Find records/,
    /^ {2}capability +svc\.max\.audit_query$/m,
    /^ {2}level +L0$/m,
    /^ {2}limit +integer, 1 to 1000\. Records per page\. Default 100\.$/m,
    /^ {2}outcome +success, refused, error\. Only records/m,
    /^ {2}records\[\]\.seq +required, integer/m,
    /capability_denied/,
    /^ {2}svc invoke MAX audit_query --input '\{/m,
  ])
    assert.match(stdout, line)
  const [, example] = /--input '(\{.*\})'$/m.exec(stdout)!
  assert.equal((await svc(['invoke', 'MAX', 'audit_query', '--input', example!])).code, 0)
  const json = JSON.parse(
    (await svc(['describe', 'svc.max.audit_query', '--json=capability,input_schema.type'])).stdout,
  )
  assert.deepEqual(json, { capability: 'svc.max.audit_query', input_schema: { type: 'object' } })
})

test('svc describe names every kind of step of a workflow, and shows the fields of the steps once', async () => {
  const { stdout } = await svc(['describe', 'moon', 'submit_manifest'])
  const page = stdout.replace(/\s+/g, ' ')
  const kinds = 'Protocol, Gate, Audit, SubRecipe, Parallel, Fail, ForEach, Repeat, Run, Wait'
  assert.ok(page.includes(`manifest.steps required, list of RecipeStep, 1 to 500 items. What is done.`), page)
  assert.ok(page.includes(`Kinds of steps: ${kinds}.`))
  assert.ok(page.includes(`manifest.steps[].kind required, ${kinds} `))
  assert.equal(page.match(/manifest\.steps\[\]\.success_when /g)?.length, 1)
  assert.doesNotMatch(page, /list of any JSON value/)
})

test('every operation can be described, and shows its input as flags', async () => {
  for (const { id, operations } of catalogue)
    for (const name of Object.keys(operations)) {
      const described = await svc(['describe', id, name])
      assert.deepEqual([described.code, described.stderr], [0, ''], `${id} ${name}`)
      const help = await svc(['invoke', id, name, '--help'], { env: {} })
      assert.deepEqual([help.code, help.stderr], [0, ''], `${id} ${name}`)
      assert.match(help.stdout, /^Fields of the input$/m)
    }
})

test('an unknown protocol or operation leads to the list', async () => {
  const operation = await svc(['describe', 'MAX', 'audit_qery'])
  assert.equal(operation.code, 1)
  assert.match(
    operation.stderr,
    /MAX has no operation audit_qery\. Did you mean audit_query\?\nsvc operations MAX lists its operations\./,
  )
  const protocol = await svc(['describe', 'NOSUCH', 'thing'])
  assert.equal(protocol.code, 1)
  assert.match(protocol.stderr, /unknown_protocol: .*\n +next +svc operations /)
  assert.equal((await svc(['describe', 'MAX'])).code, 1)
})

test('svc invoke builds the input from flags, also of an operation that only the engine knows', async () => {
  const queried = await svc(['invoke', 'MAX', 'audit_query', '--limit', '1', '--outcome', 'success'])
  assert.equal(queried.code, 0, queried.stderr)
  assert.equal(JSON.parse(queried.stdout).output.records.length, 1)
  const echoed = await svc(['invoke', 'TRIAL', 'echo', '--version', 'v2', '--say', 'by a flag'])
  assert.equal(echoed.code, 0, echoed.stderr)
  assert.equal(JSON.parse(echoed.stdout).output.said, 'by a flag')
  const mixed = await svc([
    'invoke',
    'TRIAL',
    'echo',
    '--version',
    'v2',
    '--input',
    '{"say":"x"}',
    '--say',
    'y',
  ])
  assert.equal(JSON.parse(mixed.stdout).output.said, 'y')
  const by_tool = await svc(['mcp', 'call', 'svc.max.audit_query', '--after-seq=0', '--limit=2'])
  assert.equal(JSON.parse(by_tool.stdout).output.records.length, 2)
  const help = await svc(['invoke', 'TRIAL', 'echo', '--help'])
  assert.match(help.stdout, /^ {2}--say +string/m)
  const wrong = await svc(['invoke', 'TRIAL', 'echo', '--sy', 'x'])
  assert.deepEqual([wrong.code, wrong.stdout], [1, ''])
  assert.match(
    wrong.stderr,
    /^svc invoke TRIAL echo has no flag --sy\. Did you mean --say\?\nsvc invoke TRIAL echo --help lists/,
  )
})

test('on a terminal answers are for people, in a pipe JSON, and --json selects fields', async () => {
  const words = ['invoke', 'MAX', 'audit_query', '--after-seq', '0', '--limit', '1']
  assert.match((await svc(words, { tty: true })).stdout, /head +\S+ +[0-9a-f]{64}$/m)
  assert.ok(JSON.parse((await svc(words)).stdout).metadata)
  const some = await svc([...words, '--json=output.records.seq,metadata.nothing'], { tty: true })
  assert.deepEqual(Object.keys(JSON.parse(some.stdout).output.records[0]), ['seq'])
  assert.match(some.stderr, /There is no field metadata\.nothing here\./)
  const both = await svc([...words, '--json', '--output', 'yaml'])
  assert.deepEqual([both.code, both.stdout], [1, ''])
  const refused = await svc([...words, '--tenant-id', 'somebody-else', '--json=output'])
  assert.equal(JSON.parse(refused.stdout).error.reason, 'no active treaty', 'a refusal stays whole')
})

test('-v shows each request and answer on stderr, and no secret', async () => {
  const { code, stdout, stderr } = await svc(['-v', 'invoke', 'MAX', 'audit_query', '--outcome', 'success'])
  assert.equal(code, 0)
  assert.ok(JSON.parse(stdout).output)
  assert.match(stderr, new RegExp(`^> POST ${service.api_url}/v1/dispatch$`, 'm'))
  assert.match(stderr, /^> {3}authorization: \(not shown\)$/m)
  assert.match(stderr, /^< 200 .*after \d+\.\d ms, correlation id [0-9a-f-]{36}$/m)
  assert.doesNotMatch(stderr, new RegExp(service.api_key))
})
