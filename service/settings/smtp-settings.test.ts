import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ConfigError } from './config-error.ts'
import { reader } from './reader.ts'
import { readSmtpSettings } from './smtp-settings.ts'

const read = (env: Record<string, string> = {}) => readSmtpSettings(reader(env, 'serve'))
const from = { SVC_SMTP_FROM: 'svc@acme.example' }

test('without a server no mail is sent', () => {
  assert.equal(read(), undefined)
})

test('a server with TLS from the start and a user, or with STARTTLS', () => {
  const whole = { ...from, SVC_SMTP_URL: 'smtps://svc:p%40ss@mail.example', SVC_SMTP_DOMAINS: 'acme.example' }
  assert.deepEqual(read(whole), {
    ...{ host: 'mail.example', port: 465, is_secure: true, is_loopback: false },
    user: { name: 'svc', password: 'p@ss' },
    ...{ from: 'svc@acme.example', domains: ['acme.example'], ca: undefined },
  })
  const plain = read({ ...from, SVC_SMTP_URL: 'smtp://127.0.0.1:2525' })
  assert.deepEqual(plain, {
    ...{ host: '127.0.0.1', port: 2525, is_secure: false, is_loopback: true },
    ...{ from: 'svc@acme.example', domains: [], ca: undefined },
  })
  assert.equal(read({ ...from, SVC_SMTP_URL: 'smtp://mail.example' })?.port, 587)
})

const refused: readonly [env: Record<string, string>, sentence: RegExp][] = [
  [from, /belong together; set both, or neither\.$/],
  [{ SVC_SMTP_URL: 'smtps://mail.example' }, /belong together/],
  [{ ...from, SVC_SMTP_URL: 'https://mail.example' }, /must be an address such as smtps:/],
  [{ ...from, SVC_SMTP_URL: 'smtps://svc@mail.example' }, /user and password or neither/],
  [{ ...from, SVC_SMTP_URL: 'smtps://mail.example/?tls=no' }, /nothing after the port/],
  [
    { SVC_SMTP_FROM: 'A <a@b.example>\nBcc: x', SVC_SMTP_URL: 'smtps://mail.example' },
    /must be an e-mail address/,
  ],
]
for (const [env, sentence] of refused)
  test(`refused: ${JSON.stringify(env)}`, () => {
    assert.throws(
      () => read(env),
      (error) =>
        error instanceof ConfigError && sentence.test(error.message) && !error.message.includes('p%40ss'),
    )
  })
