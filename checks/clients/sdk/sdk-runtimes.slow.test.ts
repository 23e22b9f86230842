// The SDK in Bun and Deno. Installing them from npm takes a while: only in the long form.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import type { Trial } from '../../conformance/execution/trial-protocol.ts'
import type { InProcessService } from '../../engines/in-process.ts'
import { is_long } from '../../faults/scene/chance.ts'

const run = promisify(execFile)
const install_ms_max = 300_000
const run_ms_max = 180_000

const runtimes = {
  bun: { args: ['run'], closed: undefined },
  deno: { args: ['run', '--allow-net', '--allow-env'], closed: ['run', '--no-prompt', '--allow-net'] },
} as const

const program = `
import { createClient, SvcError, verifyReceipt } from './sdk.js'
const client = createClient(JSON.parse(process.argv[2] ?? '{}'))
const hello = { event_type: 'custom.hello', meta: {} }
const { metadata } = await client.dispatch('MAX', 'audit_log_entry', hello, { waitForAudit: true })
const { keys } = await client.max.audit_query({ after_seq: 0, limit: 1, include_checkpoints: true })
const { ok } = await verifyReceipt(metadata.receipt, keys.map((key) => key.public_key))
const events = []
for await (const { event } of client.stream('TRIAL', 'report', {})) events.push(event)
const caught = (work) => work.then(() => 'answered', (error) => error instanceof SvcError ? error.code : error.message)
const leaving = new AbortController()
setTimeout(() => leaving.abort(new Error('left')), 50)
const left = await caught(client.dispatch('TRIAL', 'hold', {}, { signal: leaving.signal }))
const late = await caught(client.dispatch('TRIAL', 'hold', {}, { timeoutMs: 50 }))
const refused = await caught(client.max.audit_query({ outcome: 'refused' }, { tenantId: 'somebody-else' }))
const nowhere = createClient({ ...JSON.parse(process.argv[3]), apiUrl: 'http://127.0.0.1:1', sleep: async () => {} })
console.log(JSON.stringify([ok, events.length, left, late, refused, await caught(nowhere.max.audit_query({}))]))
process.exit(0)
`
const expected = '[true,3,"left","timeout","capability_denied","network"]\n'

let trial: Trial | undefined
let service: InProcessService
let folder: string

if (is_long) {
  before(async () => {
    // Loaded only when needed: it takes most of the time of a run that skips everything.
    const { trialProtocol } = await import('../../conformance/execution/trial-protocol.ts')
    const { startInProcess } = await import('../../engines/in-process.ts')
    const { bundleSdk } = await import('./bundled-sdk.ts')
    trial = trialProtocol()
    folder = await mkdtemp(join(tmpdir(), 'svc-runtimes-'))
    service = await startInProcess({ more_protocols: [trial.protocol] })
    // Both download their program in an install script, which npm requires to be allowed.
    const allowScripts = Object.fromEntries(Object.keys(runtimes).map((name) => [name, true]))
    const manifest = { private: true, type: 'module', allowScripts }
    await writeFile(join(folder, 'package.json'), JSON.stringify(manifest))
    await writeFile(join(folder, 'sdk.js'), await bundleSdk())
    await writeFile(join(folder, 'program.js'), program)
  })
  after(async () => {
    trial?.release()
    await service?.stop()
    await rm(folder, { recursive: true, force: true })
  })
}

/** Undefined if it runs; otherwise why not. */
async function install(name: string): Promise<string | undefined> {
  const flags = ['--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error']
  try {
    await run('npm', ['install', ...flags, name], { cwd: folder, timeout: install_ms_max })
    await run(join(folder, 'node_modules/.bin', name), ['--version'], { timeout: run_ms_max })
    return undefined
  } catch (error) {
    return `${name} could not be installed from npm here: ${(error as Error).message.split('\n')[0]}`
  }
}

for (const [name, { args, closed }] of Object.entries(runtimes)) {
  test(`in ${name}`, { skip: !is_long && 'only in the long form (SVC_TEST_ASSURANCE=1)' }, async (t) => {
    const missing = await install(name)
    if (missing !== undefined) return t.skip(missing)
    const { api_url, api_key, agent_did } = service
    const program = [join(folder, 'node_modules/.bin', name), join(folder, 'program.js')] as const
    const settings = { apiUrl: api_url, apiKey: api_key, agentDid: agent_did }
    const env = {
      PATH: process.env.PATH,
      HOME: folder,
      SVC_API_URL: api_url,
      SVC_API_KEY: api_key,
      SVC_AGENT_DID: agent_did,
    }
    const settings_text = JSON.stringify(settings)
    const by_env = await run(program[0], [...args, program[1], '{}', settings_text], {
      env,
      timeout: run_ms_max,
    })
    assert.equal(by_env.stdout, expected)
    // Without permission to read the environment, passed settings are enough.
    const flags = closed ?? args
    const { PATH, HOME } = env
    const by_hand = await run(program[0], [...flags, program[1], settings_text, settings_text], {
      env: { PATH, HOME },
    })
    assert.equal(by_hand.stdout, expected)
  })
}
