// The clients as users get them: packed, installed into an empty folder, and used there without this
// repository.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { digestOf } from '../../clients/packing/bill-of-materials.ts'
import { billOfCrate, packCrates } from '../../clients/packing/crates.ts'
import { pack } from '../../clients/packing/pack.ts'
import type { Packed } from '../../clients/packing/package-folder.ts'
import { provenanceOf } from '../../clients/packing/provenance.ts'
import { billOfWheel, hasPython, packWheel } from '../../clients/packing/wheel.ts'
import { type InProcessService, startInProcess } from '../engines/in-process.ts'
import { is_long } from '../faults/scene/chance.ts'
import { rustIsHere } from '../suite/rust.ts'
import { otherNode } from './other-node.ts'

const run = promisify(execFile)
const repository = join(import.meta.dirname, '../..')
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
  const { devDependencies } = JSON.parse(await readFile(join(repository, 'package.json'), 'utf8'))
  await install(...packed.map(({ tarball }) => tarball), `ai@${devDependencies.ai}`)
  await service.newCaller({ tenant_id: 'shop' })
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
/** Without a treaty the second client is refused. It is of one entry of the package; what makes results of its errors is of the other. */
const ai_script = `
import { createClient, isRefused } from '@svc/sdk'
import { governTools, svcTools } from '@svc/sdk/ai-sdk'
import { jsonSchema, tool } from 'ai'
let runs = 0
const refund = tool({
  inputSchema: jsonSchema({ type: 'object' }),
  execute: async ({ amount }) => { runs += 1; return amount + ' paid' },
})
const options = { toolCallId: '1', messages: [], context: {} }
const client = createClient({ tenantId: 'shop' })
const paid = await governTools({ refund }).refund.execute({ amount: 40 }, options)
const refused = await governTools({ refund }, { client }).refund.execute({ amount: 40 }, options)
const operations = await svcTools({ operations: ['MAX.audit_query'] })
console.log(JSON.stringify({ paid, refused: isRefused(refused), code: refused.code, runs, tools: Object.keys(operations) }))
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

  const ai = await using(node, '--input-type=module', '--eval', ai_script)
  assert.equal(ai.code, 0, ai.stderr)
  assert.deepEqual(JSON.parse(ai.stdout), {
    paid: '40 paid',
    refused: true,
    code: 'capability_denied',
    runs: 1,
    tools: ['max_audit_query'],
  })

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

test('on Node 20 svc says in one sentence which Node it needs', async () => {
  const node = join(await otherNode('20'), 'node')
  const { code, stdout, stderr } = await using(node, join(folder, 'node_modules/@svc/cli/svc.js'), 'whoami')
  assert.deepEqual([code, stdout], [1, ''])
  assert.match(stderr, /^svc needs Node 22\.12 or newer; this is v20\.\d+\.\d+\. Install a newer Node\.\n$/)
})

test('the SDK has no dependencies, and neither it nor the command line knows this repository', async () => {
  for (const name of ['@svc/sdk', '@svc/cli']) {
    const { dependencies } = JSON.parse(
      await readFile(join(folder, 'node_modules', name, 'package.json'), 'utf8'),
    )
    assert.deepEqual(dependencies ?? {}, {}, name)
  }
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
  const tsc = join(repository, 'node_modules/typescript/bin/tsc')
  const flags = '--noEmit --ignoreConfig --strict --skipLibCheck --target esnext --module nodenext wrong.ts'
  const { code, stdout } = await using(process.execPath, tsc, ...flags.split(' '))
  assert.notEqual(code, 0)
  const faults = stdout.split('\n').filter((line) => line.includes('error TS'))
  assert.equal(faults.length, 1, stdout)
  assert.match(faults[0]!, /wrong\.ts\(8,.*'nobody'/)
})

test('each package has a bill of materials, and the licences of what is in it', async () => {
  const lock = JSON.parse(await readFile(join(repository, 'package-lock.json'), 'utf8'))
  for (const { name, version, tarball, folder: built, parts } of packed) {
    const bill = JSON.parse(await readFile(`${tarball}.cdx.json`, 'utf8'))
    const { component } = bill.metadata
    assert.deepEqual([component.name, component.version], [name, version])
    assert.equal(component.hashes[0].content, digestOf(tarball))
    const refs = bill.components.map((each: { 'bom-ref': string }) => each['bom-ref'])
    assert.equal(new Set(refs).size, refs.length)
    for (const { dependsOn } of bill.dependencies)
      for (const ref of dependsOn) assert.ok(refs.includes(ref), ref)
    for (const part of bill.components) {
      assert.ok(part.licenses[0].license?.id ?? part.licenses[0].expression, part.name)
      const integrity = `sha512-${Buffer.from(part.hashes[0].content, 'hex').toString('base64')}`
      const locked = Object.values(lock.packages) as { integrity?: string }[]
      assert.ok(
        locked.some((each) => each.integrity === integrity),
        part.name,
      )
    }
    const texts = parts.length > 0 ? await readFile(join(built, 'THIRD-PARTY-LICENSES.txt'), 'utf8') : ''
    for (const part of parts) assert.ok(texts.includes(`${part.name} ${part.version} (`), part.name)
  }
  const names = packed.find(({ name }) => name === '@svc/cli')!.parts.map(({ name }) => name)
  for (const bundled of ['openid-client', 'oauth4webapi', 'yaml', 'typebox'])
    assert.ok(names.includes(bundled), bundled)
})

test('the statement of provenance names every file by its digest, and the sources', async () => {
  const dist = join(folder, 'dist')
  const files = packed.map(({ tarball }) => tarball)
  const commit = { id: 'c0ffee', at: '2026-11-18T12:00:00Z', is_changed: false }
  const { subject, predicate } = provenanceOf(files, commit)
  assert.deepEqual(
    subject.map(({ name, digest }) => [join(dist, name), digest.sha256]),
    files.map((file) => [file, digestOf(file)]),
  )
  const [source, locked] = predicate.buildDefinition.resolvedDependencies
  assert.deepEqual(source!.digest, { gitCommit: 'c0ffee' })
  assert.match(JSON.stringify(locked), /package-lock\.json.*[0-9a-f]{64}/)
})

const has_rust = await rustIsHere()
test('the crates are packed with their sources and their README, and their bills name what cargo builds', {
  skip: !has_rust,
}, async () => {
  const dist = join(folder, 'dist')
  for (const file of packCrates(dist)) {
    const { stdout } = await run('tar', ['-tzf', file])
    assert.match(stdout, /\/src\/lib\.rs/)
    assert.match(stdout, /\/README\.md/)
    assert.doesNotMatch(stdout, /node_modules|\.test\./)
    const { metadata, components, dependencies } = billOfCrate(file)
    assert.equal(`${metadata.component.name}-${metadata.component.version}.crate`, basename(file))
    assert.deepEqual(metadata.component.licenses, [{ license: { id: 'Apache-2.0' } }])
    assert.equal(metadata.component.hashes[0]!.content, digestOf(file))
    const names = components.map(({ name }) => name)
    assert.ok(!names.includes(metadata.component.name))
    assert.equal(names.includes('ring'), metadata.component.name === 'svc-sdk', names.join(' '))
    for (const { purl, licenses } of components)
      assert.ok(/^pkg:cargo\/\S+@\d/.test(purl) && licenses[0], purl)
    assert.equal(dependencies.length, components.length + 1)
  }
})

const no_python = hasPython() ? false : 'There is no python3 with pip here.'
test('the wheel is packed with its types, license and version, and its bill says what it needs', {
  skip: no_python,
}, async () => {
  const file = packWheel(join(folder, 'dist'))
  const { version } = JSON.parse(await readFile(join(repository, 'package.json'), 'utf8'))
  const { stdout } = await run('python3', ['-m', 'zipfile', '-l', file])
  for (const name of ['svc_sdk/client.py', 'svc_sdk/py.typed', 'METADATA', 'licenses/LICENSE'])
    assert.ok(stdout.includes(name), name)
  assert.doesNotMatch(stdout, /test|example/)
  const { metadata, components, dependencies } = billOfWheel(file)
  assert.equal(metadata.component.purl, `pkg:pypi/svc-sdk@${version}`)
  assert.deepEqual(metadata.component.licenses, [{ license: { id: 'Apache-2.0' } }])
  assert.equal(metadata.component.hashes[0]!.content, digestOf(file))
  const scopes = Object.fromEntries(components.map(({ name, scope }) => [name, scope]))
  assert.equal(scopes.httpx, 'required')
  assert.equal(scopes['langchain-core'], 'optional')
  assert.match(JSON.stringify(components), /"httpx<1,>=0\.27"/)
  assert.deepEqual(
    dependencies[0]!.dependsOn,
    components.map(({ purl }) => purl),
  )
})
