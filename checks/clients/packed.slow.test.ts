// The clients as users get them: packed, installed into an empty folder, and used there without this
// repository.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { pack } from '../../clients/packing/pack.ts'
import type { Packed } from '../../clients/packing/package-folder.ts'
import { type InProcessService, startInProcess } from '../engines/in-process.ts'
import { is_long } from '../faults/scene/chance.ts'
import { otherNode } from './other-node.ts'

const run = promisify(execFile)
/** The other supported ones come from npm, which takes a while. */
const other_nodes = is_long ? ['22', '24'] : []
const step_ms_max = 180_000
/** All tools with their schemas are more than a MiB. */
const said_bytes_max = 16 * 1024 * 1024

/** Without the engine, which has its own test. */
const packages = ['@svc/contract', '@svc/sdk', '@svc/mcp', '@svc/cli', '@svc/plugin']

let service: InProcessService
let folder: string
let packed: readonly Packed[]
let env: Record<string, string | undefined>

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-packed-'))
  service = await startInProcess()
  packed = await pack(join(folder, 'dist'), packages)
  await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }))
  await install(...packed.map(({ tarball }) => tarball))
  env = {
    PATH: process.env.PATH,
    HOME: folder,
    SVC_API_URL: service.api_url,
    SVC_API_KEY: service.api_key,
    SVC_AGENT_DID: service.agent_did,
    NO_COLOR: '1',
  }
})
after(async () => {
  await service?.stop()
  await rm(folder, { recursive: true, force: true })
})

async function install(...what: string[]): Promise<void> {
  const quietly = ['--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error']
  await run('npm', ['install', ...quietly, ...what], { cwd: folder, timeout: step_ms_max })
}

/** The exit code and the output. */
async function using(node: string, ...args: string[]) {
  const done = run(node, args, { cwd: folder, env, timeout: step_ms_max, maxBuffer: said_bytes_max })
  return done.then(
    ({ stdout }) => ({ code: 0, stdout, stderr: '' }),
    ({ code, stdout, stderr }) => ({ code: code as number, stdout: String(stdout), stderr: String(stderr) }),
  )
}

const sdk_script = `
import { createClient, SvcError, verifyReceipt } from '@svc/sdk'
const client = createClient()
const { output, metadata } = await client.dispatch('MAX', 'audit_log_entry', { event_type: 'custom.packed', meta: {} }, { waitForAudit: true })
const { records } = await client.max.audit_query({ outcome: 'success', limit: 1 })
const denied = await client.dispatch('NOBODY', 'knows', {}).catch((error) => error)
console.log(JSON.stringify({
  version: process.version, seq: output.seq, records: records.length,
  code: denied instanceof SvcError ? denied.code : String(denied),
  receipt: typeof metadata.receipt, verify: typeof verifyReceipt,
}))
`
const mcp_script = `
import { mcpServer } from '@svc/mcp/server'
import { createMcpHttp } from '@svc/mcp/http'
console.log(typeof mcpServer, typeof createMcpHttp)
`
const contract_script = `
import { canonicalJson } from '@svc/contract/signing/canonical-json'
import { refuse } from '@svc/contract/refusal'
import { parseDid } from '@svc/contract/identity/did'
import { definePlugin, operation, Type } from '@svc/plugin'
import { testHost } from '@svc/plugin/test-host'
const shape = Type.Object({}, { additionalProperties: false })
const facts = { summary: 'Answers.', effect: 'read', level: 'L0', input: shape, output: shape, example: {} }
const plugin = definePlugin({ operations: { run: operation({ ...facts, handle: () => ({}) }) } })
const { code } = refuse('not_found', 'Nobody is there.')
console.log(JSON.stringify([canonicalJson({ b: 1, a: 2 }), code, parseDid('me') ?? null, await testHost(plugin).run('run', {})]))
`

async function exercise(node: string): Promise<void> {
  const sdk = await using(node, '--input-type=module', '--eval', sdk_script)
  assert.equal(sdk.code, 0, sdk.stderr)
  const { version: _version, seq, ...said } = JSON.parse(sdk.stdout)
  assert.ok(seq > 0)
  assert.deepEqual(said, { records: 1, code: 'unknown_protocol', receipt: 'object', verify: 'function' })

  const svc = join(folder, 'node_modules/@svc/cli/svc.js')
  const input = '{"event_type":"custom.packed","meta":{}}'
  const answered = await using(node, svc, 'invoke', 'MAX', 'audit_log_entry', '--input', input)
  assert.equal(answered.code, 0, answered.stderr)
  assert.ok(JSON.parse(answered.stdout).output.seq > seq)
  assert.equal((await using(node, svc, 'invoke', 'MAX', 'audit_log_entry', '--input', '{')).code, 1)
  assert.match((await using(node, svc, '--help')).stdout, /svc invoke/)
  const yaml = await using(node, svc, 'whoami', '--output', 'yaml')
  assert.match(yaml.stdout, new RegExp(`agent_did: ${service.agent_did}`), yaml.stderr)
  assert.equal((await using(node, svc, 'mcp', 'list', '--json')).code, 0)

  const mcp = await using(node, '--input-type=module', '--eval', mcp_script)
  assert.equal(mcp.stdout.trim(), 'function function', mcp.stderr)

  const contract = await using(node, '--input-type=module', '--eval', contract_script)
  assert.equal(contract.stdout.trim(), '["{\\"a\\":2,\\"b\\":1}","not_found",null,{}]', contract.stderr)
}

test('the packed SDK, command line, MCP server, contract and plugin kit work in an empty folder', () =>
  exercise(process.execPath))

for (const version of other_nodes) {
  test(`they work on Node ${version}`, async (t) => {
    const node = join(await otherNode(version), 'node')
    t.diagnostic((await run(node, ['--version'])).stdout.trim())
    await exercise(node)
  })
}

test('the SDK has no dependencies, and neither it nor the command line knows this repository', async () => {
  for (const name of ['@svc/sdk', '@svc/cli']) {
    const { dependencies } = JSON.parse(
      await readFile(join(folder, 'node_modules', name, 'package.json'), 'utf8'),
    )
    assert.deepEqual(dependencies ?? {}, {}, name)
  }
  const repository = join(import.meta.dirname, '../..')
  for (const { folder: built } of packed) {
    const { stdout } = await run('grep', ['-rlF', repository, built]).catch(() => ({ stdout: '' }))
    assert.equal(stdout, '')
  }
})

/** This repository's compiler, with only the declarations of the packages. */
const wrong_types = `
import type { Refusal } from '@svc/contract/refusal'
import { operation, Type } from '@svc/plugin'
export const code = (refusal: Refusal): string => refusal.code
const input = Type.Object({ name: Type.String() })
export const wrong = operation({
  summary: 'Answers.', effect: 'read', level: 'L0', input, output: input, example: { name: 'Ada' },
  handle: ({ nobody }) => ({ name: nobody }),
})
`

test("their declarations report an author's errors", async () => {
  await writeFile(join(folder, 'wrong.ts'), wrong_types)
  const tsc = join(import.meta.dirname, '../../node_modules/typescript/bin/tsc')
  const flags = '--noEmit --ignoreConfig --strict --skipLibCheck --target esnext --module nodenext wrong.ts'
  const { code, stdout } = await using(process.execPath, tsc, ...flags.split(' '))
  assert.notEqual(code, 0)
  const faults = stdout.split('\n').filter((line) => line.includes('error TS'))
  assert.equal(faults.length, 1, stdout)
  assert.match(faults[0]!, /wrong\.ts\(8,.*'nobody'/)
})
