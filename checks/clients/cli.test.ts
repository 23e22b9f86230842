// svc without an engine: its help pages, answers to typing errors, exit codes, and what it sends.
import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { runCli } from '../../clients/cli/run.ts'
import { type TestTerminalOptions, testTerminal } from './test-terminal.ts'

const env = {
  SVC_API_URL: 'http://engine.test',
  SVC_API_KEY: 'svc_test_00000000_key',
  SVC_AGENT_DID: `did:oas:dev:agent:${'0'.repeat(64)}`,
}

async function svc(argv: readonly string[], options: TestTerminalOptions = {}) {
  const terminal = testTerminal({ env, ...options })
  const code = await runCli(argv, terminal)
  return { code, stdout: terminal.stdout, stderr: terminal.stderr }
}

const metadata = {
  correlation_id: '00000000-0000-4000-8000-000000000001',
  protocol: 'MAX',
  version: 'v1.0.0',
  operation: 'audit_query',
  audit_head: 'ab'.repeat(32),
  audit_record_id: '00000000-0000-4000-8000-000000000002',
  usage: { tokens_in: 1, tokens_out: 2, seconds: 0.5, watt_hours: 0.1, amount_usd: '0.01' },
  replayed: false,
}

/** An engine that answers every request with one body, and records the requests. */
function answering(output: unknown) {
  const requests: { url: string; headers: Headers; body: Record<string, unknown> }[] = []
  const fetch = async (url: string | URL | Request, init: RequestInit = {}) => {
    requests.push({
      url: String(url),
      headers: new Headers(init.headers),
      body: JSON.parse(String(init.body)),
    })
    return Response.json({ output, metadata })
  }
  return { asked: requests, fetch: fetch as typeof globalThis.fetch }
}

const noFetch = (() => assert.fail('something was sent')) as unknown as typeof globalThis.fetch

test('svc, svc --help and svc help show one page of at most 100 columns', async () => {
  const pages = await Promise.all([
    svc([]),
    svc(['--help']),
    svc(['-h']),
    svc(['help']),
    svc(['help', 'help']),
  ])
  for (const { code, stdout, stderr } of pages)
    assert.deepEqual([code, stdout, stderr], [0, pages[0]!.stdout, ''])
  for (const word of ['invoke', 'whoami', 'SVC_API_KEY', '~/.svc/config.json', '99'])
    assert.ok(pages[0]!.stdout.includes(word), word)
  for (const line of pages[0]!.stdout.split('\n')) assert.ok(line.length <= 100, line)
})

test('every command has a help page, by --help before or after it, or by help', async () => {
  const listed = [...(await svc([])).stdout.split('Commands\n')[1]!.matchAll(/^ {2}([a-z]+) {2}/gm)].map(
    ([, name]) => name!,
  )
  assert.ok(listed.length >= 9, String(listed))
  for (const name of listed) {
    const [by_help, behind] = [await svc(['help', name]), await svc([name, '--help'])]
    assert.deepEqual([by_help.code, by_help.stderr, by_help.stdout], [0, '', behind.stdout], name)
    assert.match(by_help.stdout, new RegExp(`svc ${name}`))
    for (const line of by_help.stdout.split('\n')) assert.ok(line.length <= 100, `${name}: ${line}`)
  }
  assert.equal((await svc(['--help', 'invoke'])).stdout, (await svc(['help', 'invoke'])).stdout)
})

test('svc --version prints the version', async () => {
  assert.match((await svc(['--version'])).stdout, /^svc \d+\.\d+\.\d+\n$/)
})

test('a wrong command or flag is a usage error with a suggestion', async () => {
  for (const [argv, sentence] of [
    [['invok'], /svc has no command invok\. Did you mean invoke\?/],
    [['help', 'whomai'], /svc has no command whomai\. Did you mean whoami\?/],
    [['constructor'], /svc has no command constructor\./],
    [['moat', 'propose'], /no command moat\. It is a protocol: svc invoke MOAT calls its operations/],
    [['invoke', 'MOAT', 'propos'], /There is no input: .*\n.*svc invoke MOAT propose --input '\{"count/],
    [['invoke', 'MANTLE', 'consolidate'], /There is no input/],
    [['--verson'], /svc has no flag --verson\. Did you mean --version\?/],
    [['invoke', '--strem'], /svc invoke has no flag --strem\. Did you mean --stream\?/],
    [
      ['invoke', 'MAX', 'audit_query', '--output', 'jsn'],
      /--output is json, yaml or human, not jsn\. Did you mean json\?/,
    ],
    [['invoke', 'MAX', 'audit_query', '--timeout', 'soon'], /--timeout is a number of seconds/],
    [['invoke', 'MAX', 'audit_query', '--dry-run', '--stream'], /--dry-run .* remove --stream/],
    [['invoke', 'MAX', 'a', 'b'], /takes two names/],
    [['invoke', 'MAX'], /svc invoke MAX needs an operation/],
    [['invoke'], /needs a protocol and an operation/],
    [['invoke', 'constructor', '__proto__'], /There is no input/],
    [['completions', 'fsh'], /bash, zsh or fish\. Did you mean fish\?/],
  ] as const) {
    const { code, stdout, stderr } = await svc(argv, { fetch: noFetch })
    assert.deepEqual([code, stdout], [1, ''], argv.join(' '))
    assert.match(stderr, sentence)
    assert.doesNotMatch(stderr, / {4}at /)
  }
})

test('colour only on a terminal, and none with NO_COLOR', async () => {
  const coloured = async (options: TestTerminalOptions) => (await svc([], options)).stdout.includes('\x1b[1m')
  assert.equal(await coloured({ tty: true }), true)
  assert.equal(await coloured({ tty: false }), false)
  assert.equal(await coloured({ tty: true, env: { NO_COLOR: '1' } }), false)
  assert.equal(await coloured({ tty: true, env: { TERM: 'dumb' } }), false)
})

test('an invalid input is reported before anything is sent, unless checks are off', async () => {
  const misfit = ['invoke', 'max', 'AUDIT_QUERY', '--input', '{"limt": 5, "outcome": "maybe"}']
  const { code, stdout, stderr } = await svc(misfit, { fetch: noFetch })
  assert.deepEqual([code, stdout], [1, ''])
  assert.match(stderr, /does not fit MAX audit_query; nothing was sent/)
  assert.match(stderr, /\/limt +is not a field here; did you mean limit\?/)
  assert.match(stderr, /\/outcome +is "maybe"; expected one of "success", "refused", "error"/)
  const engine = answering({})
  for (const unchecked of [['--no-check'], ['--version', 'v2.0.0']])
    assert.equal((await svc([...misfit, ...unchecked], engine)).code, 0, String(unchecked))
  assert.equal(engine.asked.length, 2)
})

test('invalid JSON, a missing file, or a duplicate input is a usage error', async (t) => {
  const folder = await scratch(t)
  await writeFile(join(folder, 'large.json'), `"${'x'.repeat(8 * 1024 * 1024)}"`)
  for (const [flags, sentence, stdin] of [
    [['--input', "{'limit': 5}"], /--input is not valid JSON/],
    [['--input', '{}', '--input-file', 'x'], /exclude each other/],
    [['--input-file', join(folder, 'none.json')], /there is no such file/],
    [['--input-file', folder], /it is a directory/],
    [['--input-file', join(folder, 'large.json')], /exceeds the size limit of a call/],
    [[], /There is no input: .*\nFor example: svc invoke MAX audit_log_entry --input '\{"event_type":/],
    [[], /Standard input is empty/, ' \n'],
    [['--input', '-'], /standard input is not valid JSON/, '{'],
  ] as [string[], RegExp, string?][]) {
    const options = { fetch: noFetch, ...(stdin === undefined ? {} : { stdin }) }
    const { code, stderr } = await svc(['invoke', 'MAX', 'audit_log_entry', ...flags], options)
    assert.equal(code, 1, stderr)
    assert.match(stderr, sentence)
  }
})

test('a read that requires no field is sent without an input', async () => {
  for (const options of [answering({}), { ...answering({}), stdin: ' \n' }]) {
    const { code, stderr } = await svc(['invoke', 'MOAT', 'list'], options)
    assert.deepEqual([code, stderr], [0, ''])
    assert.deepEqual(options.asked[0]?.body.input, {})
  }
})

test('names are accepted in any case, also as one word; unknown ones are sent to the engine', async () => {
  const engine = answering({})
  for (const [names, sent, hint] of [
    [['MAX', 'traceability_graph'], 'MAX traceability_graph', /^$/],
    [['max', 'Traceability_Graph'], 'MAX traceability_graph', /^$/],
    [['svc.max.traceability_graph'], 'MAX traceability_graph', /^$/],
    [
      ['max', 'traceability_grph'],
      'MAX traceability_grph',
      /MAX traceability_grph is not built in.* Did you mean MAX traceability_graph\?/,
    ],
    [['mxa', 'audit'], 'mxa audit', /mxa.* is not built in.* Did you mean MAX\?/],
    [['acme', 'plug.in'], 'acme plug.in', /acme.* is not built in; checking the engine for a plugin/],
  ] as const) {
    const { code, stderr } = await svc(['invoke', ...names, '--input', '{}', '--no-check'], engine)
    assert.equal(code, 0)
    assert.match(stderr, hint)
    const { protocol, operation } = engine.asked.at(-1)!.body
    assert.equal(`${protocol} ${operation}`, sent)
  }
})

test('control characters of an answer do not reach the terminal, in any format', async () => {
  const hostile = { text: 'a\x1b]0;owned\x07\x1b[2J\x9b31m\u202eb', 'k\x1b[8m': [{ c: '\x1b[1A' }] }
  const engine = answering(hostile)
  const ask = ['invoke', 'MAX', 'audit_query', '--input', '{"after_seq":0}', '--output']
  for (const format of ['json', 'yaml', 'human']) {
    const { code, stdout } = await svc([...ask, format], engine)
    assert.equal(code, 0)
    assert.doesNotMatch(stdout.replaceAll('\n', ''), /[\p{Cc}\u202a-\u202e]/u, format)
  }
  assert.deepEqual(JSON.parse((await svc([...ask, 'json'], engine)).stdout), { output: hostile, metadata })
})

test("Ctrl-C exits with 130 and leaves the prompt's line alone", async () => {
  const stopping = new AbortController()
  const fetch = (async (_url: unknown, init: RequestInit) => {
    const aborted = new Promise((_, reject) => {
      init.signal?.addEventListener('abort', () => reject(init.signal?.reason))
    })
    stopping.abort(new Error('stopped by Ctrl-C'))
    return await aborted
  }) as unknown as typeof globalThis.fetch
  const { signal } = stopping
  const ended = await svc(['invoke', 'MAX', 'audit_query', '--input', '{}'], { fetch, signal, tty: true })
  assert.deepEqual(ended, { code: 130, stdout: '', stderr: '\n' })
})

test('99 internal CLI error: one sentence, with a stack trace only with SVC_DEBUG=1', async () => {
  const readStdin = () => Promise.reject(new TypeError('a bug'))
  for (const [debug, wants_stack] of [
    [undefined, false],
    ['1', true],
  ] as const) {
    const options = { env: { ...env, SVC_DEBUG: debug }, readStdin }
    const { code, stdout, stderr } = await svc(['invoke', 'MAX', 'audit_query'], options)
    assert.deepEqual([code, stdout], [99, ''])
    assert.match(stderr, /^svc itself failed: a bug\. /)
    assert.equal(/ {4}at /.test(stderr), wants_stack)
  }
})

async function scratch(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-cli-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  return folder
}
