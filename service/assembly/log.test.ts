import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatApiKey } from '@svc/contract/identity/api-key'
import { openLog } from './log.ts'

function open(level = 'trace') {
  const lines: string[] = []
  const log = openLog(level, { write: (line) => void lines.push(line) })
  return { log, lines, last: () => JSON.parse(lines.at(-1)!) }
}

const canary = 'canary-3f9c1d'

test('secrets are redacted by name at any depth, and so is content', () => {
  const { log, lines, last } = open()
  const names = ['authorization', 'Cookie', 'set-cookie', 'X-SVC-CSRF', 'api_key', 'apiKey', 'master_key', 'password', 'token', 'refresh_token', 'private_key', 'client_secret', 'code_verifier', 'input', 'output', 'payload'] // biome-ignore format: one thought
  for (const name of names) {
    log.info({ [name]: canary, request: { headers: [{ [name]: canary, kept: 'yes' }] } }, 'told')
    assert.equal(last().request.headers[0].kept, 'yes')
  }
  log.info({ a: { b: { c: { d: { e: { f: { g: { h: { i: canary } } } } } } } } }, 'deep')
  assert.ok(!lines.join().includes(canary))
})

test('a secret in a sentence or in an error is recognized by its format', () => {
  const { log, lines } = open()
  const key = formatApiKey('live', 'abcdefgh', 's'.repeat(43))
  const token = `eyJhbGciOiJFZERTQSJ9.${'p'.repeat(40)}.${'q'.repeat(40)}`
  const secrets = [
    key,
    token,
    `whsec_${canary}+/${canary}=`,
    `Bearer ${canary}`,
    `Basic ${canary}`,
    `postgres://svc:${canary}@db/svc`,
    `redis://:p@${canary}@db/0`,
  ]
  for (const secret of secrets)
    log.warn({ err: new Error(`it broke with ${secret} at hand`) }, `about ${secret}`)
  for (const secret of [canary, 's'.repeat(43), 'p'.repeat(40)]) assert.ok(!lines.join().includes(secret))
  assert.ok(lines.join().includes('postgres://svc:[secret]@db/svc'))
  assert.equal(lines.length, secrets.length)
})

test('database messages about data do not repeat the data', () => {
  const { log, last, lines } = open()
  const error = Object.assign(new Error(`invalid input syntax for type uuid: "${canary}"`), {
    code: '22P02',
    detail: `Failing row contains (${canary}).`,
    where: `unnamed portal parameter $1 = '${canary}'`,
  })
  log.error({ err: error }, 'refused')
  assert.equal(last().err.code, '22P02')
  const text = `x"${canary}\n    at "${canary}" and on`
  const quoting = Object.assign(new Error(`invalid input syntax for type uuid: "${text}"`), { code: '22P02' })
  log.error({ err: quoting }, 'refused')
  log.error({ err: new Error('it was not kept', { cause: quoting }) }, 'refused')
  assert.match(
    last().err.stack,
    /it was not kept.*caused by: Error: invalid input syntax for type uuid: "…"\n +at /s,
  )
  log.error({ problems: [error] }, 'refused')
  const unique = Object.assign(new Error('duplicate key value violates unique constraint "names_pkey"'), {
    code: '23505',
    detail: `Key (name)=(${canary}) already exists.`,
  })
  log.error({ err: unique }, 'refused')
  assert.match(last().err.message, /"names_pkey"/)
  assert.ok(!lines.join().includes(canary))
})

test('the level can change at runtime', () => {
  const { log, lines } = open('warn')
  log.info({}, 'unheard')
  log.level = 'info'
  log.info({}, 'heard')
  assert.equal(lines.length, 1)
})
