// The clients as people get them: packed, installed into an empty folder, and used there without this repository.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { type Packed, pack } from '../../clients/pack.ts'
import { is_long } from '../faults/chance.ts'
import { type InProcessService, startInProcess } from '../in-process.ts'

const run = promisify(execFile)
/** The other ones that are supported come from npm, which takes its time. */
const other_nodes = is_long ? ['22', '24'] : []
const step_ms_max = 180_000

/** npm asks before it lets a package run a script; the one of `node` fetches the binary. */
const manifest = {
  private: true,
  type: 'module',
  allowScripts: Object.fromEntries(
    ['node', ...other_nodes.map((version) => `node${version}`)].map((name) => [name, true]),
  ),
}

let service: InProcessService
let folder: string
let packed: readonly Packed[]
let env: Record<string, string | undefined>

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-packed-'))
  service = await startInProcess()
  packed = await pack(join(folder, 'dist'))
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest))
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

async function nodeOf(version: string): Promise<string> {
  await install('--no-save', `node${version}@npm:node@${version}`)
  return join(folder, `node_modules/node${version}/bin/node`)
}

/** The exit code, and what was said. */
async function using(node: string, ...args: string[]) {
  const done = run(node, args, { cwd: folder, env, timeout: step_ms_max })
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
}

test('the packed SDK, command line and MCP server work in an empty folder', () => exercise(process.execPath))

for (const version of other_nodes) {
  test(`they work on Node ${version}`, async (t) => {
    const node = await nodeOf(version)
    t.diagnostic((await run(node, ['--version'])).stdout.trim())
    await exercise(node)
  })
}

test('the SDK asks npm for nothing, and neither it nor the command line knows this repository', async () => {
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
