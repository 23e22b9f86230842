import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Terminal } from '../command.ts'
import { complete } from './complete.ts'
import { completeInput } from './complete-input.ts'

const offered = async (...words: string[]) =>
  (await complete(words)).split('\n').flatMap((line) => (line === '' ? [] : [line.split('\t')[0]!]))

test('commands, subcommands and shells', async () => {
  assert.deepEqual(await offered('inv'), ['invoke'])
  assert.ok((await offered('')).includes('login'))
  assert.deepEqual(await offered('--profile', 'work', 'who'), ['whoami'])
  assert.deepEqual(await offered('mcp', 's'), ['serve'])
  assert.deepEqual(await offered('completions', ''), ['bash', 'zsh', 'fish'])
  assert.deepEqual(await offered('help', 'comp'), ['completions'])
  assert.deepEqual(await offered('nothing', ''), [])
})

test('protocols and operations, in any case', async () => {
  assert.deepEqual(await offered('invoke', 'mea'), ['MEAL'])
  assert.deepEqual(await offered('invoke', 'max', 'audit_q'), ['audit_query'])
  assert.deepEqual(await offered('invoke', '--timeout', '5', 'MAX', 'audit_q'), ['audit_query'])
  assert.deepEqual(await offered('invoke', 'MAX', 'audit_query', ''), [])
})

/** The part of a terminal that completions use. */
function terminalOf(env: Terminal['env'], fetch: (...args: never[]) => Promise<Response>): Terminal {
  const { signal } = new AbortController()
  return { env, home: '/nonexistent', fetch, signal } as unknown as Terminal
}

test('names unknown to the catalogue are read from the engine, without credentials and with unsafe names removed', async () => {
  const requests: string[] = []
  const protocols = [
    { id: 'GREET', summary: 'Greets.\u001b[2J', operations: ['hello', '$(reboot)', 'say.bye'] },
    { id: 'G;rm', summary: 'No name.', operations: [] },
    'nonsense',
  ]
  const fetch = async (url: unknown, init?: RequestInit) => {
    requests.push(`${url} ${JSON.stringify(init?.headers ?? {})}`)
    return Response.json({ protocols })
  }
  const env = { SVC_API_URL: 'http://engine.example/', SVC_API_KEY: 'secret' }
  const terminal = terminalOf(env, fetch)
  const lines = async (...words: string[]) => (await complete(words, terminal)).split('\n').slice(0, -1)
  assert.match((await lines('invoke', 'max', 'audit_q')).join(), /^audit_query\tFind /)
  assert.deepEqual(requests, [])
  assert.deepEqual(await lines('invoke', 'gr'), ['GREET\tGreets.\\e[2J'])
  assert.deepEqual(await lines('invoke', 'greet', ''), ['hello\t', 'say.bye\t'])
  assert.deepEqual(await lines('mcp', 'call', 'svc.gree'), ['svc.greet.hello\t', 'svc.greet.say.bye\t'])
  assert.deepEqual(await lines('invoke', 'greet', '--input', '{'), [])
  assert.deepEqual(new Set(requests), new Set(['http://engine.example/v1/protocols {}']))
  const other = await complete(['--api-url', 'http://other.example', 'invoke', 'gr'], terminal)
  assert.match(other, /^GREET/)
  assert.match(requests.at(-1)!, /^http:\/\/other\.example\/v1\/protocols/)
  for (const fetch of [
    () => Promise.reject(new Error('away')),
    async () => new Response('{', { status: 200 }),
  ])
    assert.equal(await complete(['invoke', 'gr'], terminalOf(env, fetch)), '')
})

test('flags, and the values of those with a fixed set', async () => {
  assert.deepEqual(await offered('invoke', '--dry'), ['--dry-run'])
  assert.deepEqual(await offered('invoke', '-o', ''), ['json', 'yaml', 'human'])
  assert.deepEqual(await offered('invoke', '--output=h'), ['--output=human'])
  assert.deepEqual(await offered('invoke', '--output', '=', 'h'), ['human'], 'as bash splits it')
  assert.deepEqual(await offered('invoke', '--output', '='), ['json', 'yaml', 'human'])
  assert.deepEqual(await offered('invoke', '--timeout', ''), [])
})

test('the fields of the operation as flags, and the values they may have', async () => {
  const call = ['invoke', 'MAX', 'audit_query']
  assert.deepEqual(await offered(...call, '--after'), ['--after-seq'])
  assert.deepEqual(await offered(...call, '--outcome', ''), ['success', 'refused', 'error'])
  assert.deepEqual(await offered(...call, '--limit', '5', '--outcome', 're'), ['refused'])
  assert.deepEqual(await offered(...call, '--outcome=re'), ['--outcome=refused'])
  assert.deepEqual(await offered('mcp', 'call', 'svc.max.audit_query', '--after'), ['--after-seq'])
  assert.deepEqual(await offered('describe', 'MAX', '--after'), [])
  assert.deepEqual(await offered('describe', 'max', 'audit_q'), ['audit_query'])
})

test('after --input the fields of the operation', async () => {
  const input = (word: string) => offered('invoke', 'MAX', 'audit_query', '--input', word)
  assert.ok((await input('')).includes('{"limit":'))
  assert.deepEqual(await input('{"lim'), ['{"limit":'])
  assert.deepEqual(await input('{"outcome":"ref'), ['{"outcome":"refused"'])
  assert.deepEqual(await offered('invoke', 'NOBODY', 'knows', '--input', '{"'), [])
  assert.deepEqual(await offered('invoke', 'svc.max.audit_query', '--input', '{"lim'), ['{"limit":'])
  assert.deepEqual(await offered('mcp', 'call', 'svc.max.audit_query', '--input', '{"lim'), ['{"limit":'])
  const dotted = await offered('invoke', 'svc.maestro.charter.declare', '--input', '{"miss')
  assert.deepEqual(dotted, ['{"mission":'])
  assert.deepEqual(await offered('mcp', 'call', 'svc.max.audit_q'), ['svc.max.audit_query'])
  assert.deepEqual(await offered('whoami', '--input', ''), [])
})

const fields = {
  kind: { type: 'string', required: true, values: ['a', 'b'] },
  limit: { type: 'integer', required: false },
}
const words = (word: string) => completeInput(word, fields).map((offer) => offer.word)

test('a present field is not offered again', () => {
  assert.deepEqual(words('{"kind":"a", '), ['{"kind":"a", "limit":'])
  assert.deepEqual(words('{"kind": {"limit": [1,2]}, "l'), ['{"kind": {"limit": [1,2]}, "limit":'])
})

test('nothing is offered inside a field, after a value, or outside an object', () => {
  for (const word of ['{"kind":{"', '{"kind":"a"', '{"kind":"a" ', '{}', '[', '5', '{"limit":', '{"\\"'])
    assert.deepEqual(words(word), word === '{"kind":"a"' ? ['{"kind":"a"'] : [], word)
})

test('an offer always begins with the typed text, up to the last word', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('{', '}', '"', ':', ',', 'kind', 'l', ' ', '\\', '[') }),
      (word) => {
        for (const offer of words(word)) assert.ok(offer.startsWith(word) || word.trim() === '', offer)
      },
    ),
  )
})
