// The Python SDK as a user installs it: the wheel passes its own tests, its types hold, it calls a real engine, and
// every Python block of the documents prints what the page shows.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { system_clock } from '@svc/adapters/clock/system'
import { catalogue } from '@svc/catalogue/catalogue'
import { valuesOf } from '@svc/catalogue/derive/sdk-rust-samples'
import { blocks } from '../../documents/documents.ts'
import { outputFault } from '../../documents/expected-output.ts'
import { type RunningEngine, startEngine } from '../../engines/running-engine.ts'
import { startIssuer } from '../../neighbours/test-issuer.ts'
import { deriveOwnKeyed } from '../../scenes/own-keyed-agent.ts'
import { enactRefundRules } from '../../scenes/refund-rules.ts'
import { openPython, type Python, python_package } from '../../suite/python.ts'

const opened = await openPython()
const skip = typeof opened === 'string' ? opened : false
const python = opened as Python
const run = promisify(execFile)
const shown = blocks.filter(({ language, not_run }) => language === 'python' && not_run === undefined)
const names = ['svc.max.*', 'svc.macs.*', 'svc.mata.*', 'svc.marc.*', 'svc.maze.*', 'svc.moment.*']

/** Of both sides of every operation. Models check no patterns, so any text will do. */
function samples(): unknown[] {
  const plain = (schema: unknown) =>
    JSON.parse(JSON.stringify(schema), (name, value) => {
      if (name === 'pattern') return undefined
      return name === 'patternProperties' ? { '': Object.values(value)[0] } : value
    })
  return catalogue.flatMap(({ id: protocol, operations }) =>
    Object.entries(operations).flatMap(([operation, { input, output }]) =>
      Object.entries({ Input: input, Output: output }).flatMap(([side, schema]) =>
        valuesOf(plain(schema)).map((value) => ({ protocol, operation, side, value })),
      ),
    ),
  )
}

test('its own tests pass', { skip }, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-python-samples-'))
  try {
    const file = join(folder, 'samples.json')
    await writeFile(file, JSON.stringify(samples()))
    const tests = ['-m', 'pytest', '--ignore', 'tests/test_engine.py']
    const output = await python.run(tests, { SVC_TEST_SAMPLES: file })
    assert.match(output, /^[1-9]\d* passed in /m, output)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})

test('its types hold, for the package, its tests and its examples', { skip }, async () => {
  const cache_dir = await mkdtemp(join(tmpdir(), 'svc-mypy-'))
  try {
    const checked = ['--config-file', '', '--strict', '--cache-dir', cache_dir]
    await python.run(['-m', 'mypy', ...checked, '-p', 'svc_sdk'])
    const programs = ['tests', 'examples'].map((folder) => join(python_package, folder))
    const shown_programs = shown.map(async ({ path, line, code }) => {
      // A fault names this file.
      const file = join(cache_dir, `${path.replaceAll(/\W+/g, '_')}_line_${line}.py`)
      await writeFile(file, code)
      return file
    })
    assert.ok(shown_programs.length > 0)
    await python.run(['-m', 'mypy', ...checked, ...programs, ...(await Promise.all(shown_programs))])
  } finally {
    await rm(cache_dir, { recursive: true, force: true })
  }
})

test('its code is formatted and has no lint', { skip }, async () => {
  await python.run(['-m', 'ruff', 'check', '--no-cache', '.'])
  await python.run(['-m', 'ruff', 'format', '--no-cache', '--check', '.'])
})

async function ownKeyed(engine: RunningEngine) {
  const { did, seed } = await deriveOwnKeyed(engine, names)
  return { api_url: engine.api_url, agent_did: did, private_key: seed.toString('base64url') }
}

test('it calls an engine by an API key, by an own key and by the token of a platform', { skip }, async () => {
  const data_dir = await mkdtemp(join(tmpdir(), 'svc-python-client-'))
  const engine = await startEngine({ data_dir, env: { SVC_ALLOWED_NETWORKS: '127.0.0.0/8' } })
  const issuer = await startIssuer(() => Math.floor(system_clock.now_ms() / 1000))
  try {
    const { api_url, api_key, agent_did } = engine
    const workload = await deriveOwnKeyed(engine, names)
    const mapping = ['--issuer', issuer.url, '--audience', 'svc', '--claim', 'sub=deployer']
    const main = join(import.meta.dirname, '../../../service/main.ts')
    const add = ['admin', 'workload', 'add', engine.tenant_id, workload.did, ...mapping]
    await run(process.execPath, [main, ...add, '--data-dir', data_dir])
    const token_file = join(data_dir, 'token')
    await writeFile(token_file, await issuer.sign({ aud: 'svc', sub: 'deployer' }))
    const callers = {
      by_api_key: { api_url, api_key, agent_did },
      by_own_key: await ownKeyed(engine),
      by_changing_key: await ownKeyed(engine),
      by_recovered_key: await ownKeyed(engine),
      by_workload: { api_url, agent_did: workload.did, workload_token_file: token_file },
    }
    const output = await python.run(['-m', 'pytest', 'tests/test_engine.py'], {
      SVC_TEST_ENGINE: JSON.stringify(callers),
    })
    assert.match(output, /^\d+ passed in /m, output)
    const settings = { SVC_API_URL: api_url, SVC_API_KEY: api_key, SVC_AGENT_DID: agent_did }
    const printed = await python.run(['examples/first_call.py'], settings)
    assert.deepEqual(
      printed
        .replace(/(?<=written: ).*/, '…')
        .replace(/\d+(?= capabilities)/, 'n')
        .trim()
        .split('\n'),
      [
        'written: …',
        'replayed: True',
        'proved: True',
        'audit log: True',
        'streamed: True',
        'refused: capability_denied at stage 4, no active treaty',
        'dry run: capability_denied',
        'MACS: n capabilities',
        'MATA: 0.71',
      ],
    )
  } finally {
    await Promise.all([engine.stop(), issuer.stop()])
    await rm(data_dir, { recursive: true, force: true })
  }
})

test('the Python blocks of the documents print what the page shows', { skip }, async () => {
  const data_dir = await mkdtemp(join(tmpdir(), 'svc-python-pages-'))
  const engine = await startEngine({ data_dir })
  try {
    const { api_url, api_key, agent_did } = engine
    const settings = { SVC_API_URL: api_url, SVC_API_KEY: api_key, SVC_AGENT_DID: agent_did, HOME: data_dir }
    const finance = await enactRefundRules(engine, data_dir)
    assert.ok(shown.length > 10)
    for (const { path, line, code, output = '' } of shown) {
      const running = python.run(['-c', code], settings)
      const approving = code.includes('wait_for_approval_s=') && python.run(['examples/approve.py'], finance)
      const [printed, approved] = await Promise.all([running, approving])
      assert.equal(outputFault(output, printed), undefined, `${path}:${line}\n${printed}`)
      if (approved !== false) assert.equal(approved, 'finance: approved begin_call\n')
    }
  } finally {
    await engine.stop()
    await rm(data_dir, { recursive: true, force: true })
  }
})

test('the page on frameworks shows the examples, which three lines govern', { skip }, async () => {
  for (const file of ['langgraph_agent.py', 'openai_agent.py']) {
    const program = await readFile(join(python_package, 'examples', file), 'utf8')
    const is_shown = shown.some(({ path, code }) => path === 'docs/frameworks.md' && `${code}\n` === program)
    assert.ok(is_shown, `docs/frameworks.md does not show examples/${file} as it is`)
    const added = program.split('\n').filter((line) => line.endsWith('# added'))
    assert.equal(added.length, 3)
    const ungoverned = program.replaceAll(/.*# added\n/g, '')
    assert.equal(await python.run(['-c', ungoverned]), 'agent: Done: 5000 paid back for A-1042.\n')
  }
})
