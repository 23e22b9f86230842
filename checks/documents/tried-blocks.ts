// Shell blocks of the documents, run as a newcomer would paste them, in the folder and with the settings of
// npm start.
import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { chmodSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs' // biome-ignore format: one import
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { after, before, test } from 'node:test'
import { freePorts } from '../engines/running-engine.ts'

export const root = join(import.meta.dirname, '../..')
/** Only to detect hangs. The first plugin build compiles a JavaScript engine: minutes on a busy machine. */
const start_ms_max = 600_000
const block_ms_max = 900_000
/** They would run this very test, or the engine it has already started. */
const known_lines = ['npm start', 'npm test', 'npm run check']
const not_ours = ['node_modules', '.git', '.svc', 'dist', 'target']
export const documents = findDocuments()

export interface Document {
  readonly path: string
  readonly text: string
}
interface Block {
  readonly path: string
  readonly heading: string
  readonly script: string
}

function findDocuments(): Document[] {
  const exclude = (path: string) => not_ours.some((name) => path.split('/').includes(name))
  const paths = globSync('**/*.md', { cwd: root, exclude }).filter((path) => !exclude(path))
  return paths.sort().map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))
}

function shellBlocks({ path, text }: Document): Block[] {
  const blocks: Block[] = []
  let heading = ''
  let script: string[] | undefined
  for (const line of text.split('\n')) {
    if (script && line === '```') {
      blocks.push({ path, heading, script: script.join('\n') })
      script = undefined
    } else if (script) script.push(line)
    else if (line === '```sh') script = []
    else heading = /^#+ (.+)$/.exec(line)?.[1] ?? heading
  }
  assert.equal(script, undefined, `${path}: a block is not closed`)
  return blocks
}

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape
type Said = any
/** What the text claims about its blocks, by heading: one entry for each block. */
const claims: Readonly<Record<string, readonly ((output: Said) => void)[]>> = {
  'README.md: A first call': [
    ({ output, metadata }) => {
      assert.equal(output.stored_event_type, 'custom.hello')
      assert.match(metadata.usage.amount_usd, /^0\.\d{6}$/)
      assert.match(metadata.correlation_id, /^[0-9a-f-]{36}$/)
      assert.ok('audit_head' in metadata)
    },
  ],
  'README.md: A refusal, explained': [
    ({ error }) =>
      assert.deepEqual([error.stage, error.code, error.reason], [4, 'capability_denied', 'no active treaty']),
    ({ output }) => {
      const refusals = output.records.map(({ meta }: Said) => meta.reason)
      assert.ok(refusals.includes('no active treaty'))
      assert.deepEqual(output.verified, { ok: true })
    },
  ],
  'docs/identity.md: Derive, delegate, withdraw': [
    (output) => assert.equal(output, "delegated: [ 'svc.mars.query_registry' ], left: 0\n"),
  ],
  'docs/plugins.md: Five minutes': [
    (output) => assert.match(output, /hello +ok/),
    (output) => assert.match(output, /my-greeter .*MYGREETER +Registered/),
    (output) => assert.match(JSON.stringify(output), /Hello, Ada!/),
  ],
  'docs/guides/1-first-call.md: Call twice, do once': [(output) => assert.equal(output, '1\n')],
  'docs/guides/3-first-treaty.md: Propose, sign, sign': [
    (output) => assert.equal(output, 'PARTIALLY_SIGNED\nACTIVE\n'),
  ],
  'docs/guides/4-first-audit.md: Take it': [
    (output) => assert.match(output, /^Verified against pinned key [0-9a-f]{8}: \d+ records of dev/),
  ],
  'docs/guides/4-first-audit.md: Forge it': [
    (output) =>
      assert.equal(
        output,
        'Record 1 is invalid: its hash does not match its content and the previous hash.\n',
      ),
    (output) => assert.match(output, /^Consistent, but signed by a key that only this file vouches for: /),
  ],
  'docs/guides/5-first-plugin.md: Install and call': [
    (output) => assert.match(output, /"value": 42\.1648128/),
    (output) => assert.match(output, /policy_denied: A mile is no measure/),
  ],
  'README.md: Check the audit log yourself': [
    (output) =>
      assert.match(
        output,
        /^Verified against pinned key [0-9a-f]{8}: \d+ records of dev, \d+ signed checkpoints, head [0-9a-f]{64}\n/,
      ),
  ],
}

const folder = mkdtempSync(join(tmpdir(), 'svc-documents-'))
let engine: ChildProcess | undefined
let shell_env: NodeJS.ProcessEnv
let printed_curl = ''

/** The complete output of `npm start`. */
async function startAsNpmDoes(PATH: string): Promise<string> {
  const port = String(await freePorts())
  const args = [join(root, 'service/main.ts'), 'up', '--port', port, '--data-dir', join(folder, '.svc')]
  const child = spawn(process.execPath, args, { cwd: folder, env: { ...process.env, PATH }, stdio: 'pipe' })
  engine = child
  let output = ''
  return await new Promise((resolve, reject) => {
    const fail = (why: string) => reject(new Error(`svc-engine up ${why}: ${output}`))
    const timer = setTimeout(() => fail('did not greet in time'), start_ms_max)
    child.stderr.on('data', (chunk) => {
      output += chunk
    })
    child.stdout.on('data', (chunk) => {
      output += chunk
      if (!/^curl .*\n/m.test(output)) return
      clearTimeout(timer)
      resolve(output)
    })
    child.once('exit', (code) => fail(`ended with ${code}`))
  })
}

export function run(script: string, env: NodeJS.ProcessEnv): string {
  const done = spawnSync('sh', ['-eu', '-c', script], {
    cwd: folder,
    env,
    encoding: 'utf8',
    timeout: block_ms_max,
  })
  assert.equal(done.status, 0, `${script}\nended with ${done.status}: ${done.stdout}${done.stderr}`)
  return done.stdout
}

export function parsed(output: string): Said {
  return output.startsWith('{') ? JSON.parse(output) : output
}

export const blocks = documents
  .filter(({ path }) => ['README.md', 'CONTRIBUTING.md'].includes(path) || path.startsWith('docs/'))
  .sort((a, b) => Number(b.path === 'README.md') - Number(a.path === 'README.md'))
  .flatMap(shellBlocks)

/** Starts an engine as a newcomer does, and runs every block of these pages in order. */
export function tryBlocks(isMine: (path: string) => boolean): void {
  before(async () => {
    // npx looks into the current folder; the reader's is the checkout, ours has only what blocks write.
    const shims = join(folder, 'bin')
    mkdirSync(shims)
    for (const name of ['examples', 'checks', 'deploy']) symlinkSync(join(root, name), join(folder, name))
    writeFileSync(join(shims, 'npx'), '#!/bin/sh\nexec "$@"\n')
    chmodSync(join(shims, 'npx'), 0o755)
    const path = [shims, join(root, 'node_modules/.bin'), process.env.PATH].join(delimiter)
    const greeting = await startAsNpmDoes(path)
    const exports = greeting.split('\n').filter((line) => line.startsWith('export '))
    const show = `${exports.join('\n')}\nprintf '%s\\n' "$SVC_API_URL" "$SVC_API_KEY" "$SVC_AGENT_DID" "$SVC_TENANT_ID"`
    const [SVC_API_URL, SVC_API_KEY, SVC_AGENT_DID, SVC_TENANT_ID] = run(show, { PATH: path }).split('\n')
    // Commands share their compile cache.
    const { NODE_COMPILE_CACHE } = process.env
    const reader = { PATH: path, HOME: folder, NODE_COMPILE_CACHE }
    shell_env = { ...reader, SVC_API_URL, SVC_API_KEY, SVC_AGENT_DID, SVC_TENANT_ID }
    printed_curl = greeting.split('\n').find((line) => line.startsWith('curl ')) ?? 'no curl line was printed'
  })
  after(async () => {
    const exited = new Promise((resolve) => engine?.once('exit', resolve))
    if (engine?.kill('SIGTERM')) await exited
    rmSync(folder, { recursive: true, force: true })
  })
  const met = new Map<string, number>()
  const broken = new Set<string>()
  for (const { path, heading, script } of blocks.filter(({ path }) => isMine(path))) {
    const place = `${path}: ${heading}`
    const lines = script.split('\n').filter((line) => !known_lines.includes(line.trim()))
    const nth = met.get(place) ?? 0
    if (lines.length === 0) continue
    met.set(place, nth + 1)
    test(`${place}, block ${nth + 1} does what the text says`, (t) => {
      if (broken.has(path)) return t.skip(`it follows a block of ${path} that failed`)
      broken.add(path)
      const output = parsed(run(lines.join('\n'), shell_env))
      claims[place]?.[nth]?.(output)
      broken.delete(path)
    })
  }
  test('every claim belongs to a block', () => {
    for (const [place, list] of Object.entries(claims))
      if (isMine(place.split(':', 1)[0]!)) assert.equal(met.get(place), list.length, place)
  })
}

/** The reader's environment after the start, and the printed call to paste. */
export const reader = {
  get env() {
    return shell_env
  },
  get curl() {
    return printed_curl
  },
}
