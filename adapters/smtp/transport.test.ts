// Mails by a real SMTP server: with TLS from the start, by STARTTLS, and without.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { makeCertificate } from '../../checks/neighbours/test-certificate.ts'
import { startMailServer, type TestMailServer } from '../../checks/neighbours/test-mail-server.ts'
import { MailFault, openTransport, type SmtpSettings, type Transport } from './transport.ts'

const authority = makeCertificate({ name: 'authority of the test' })
const { cert, key } = makeCertificate({ name: 'mail', issuer: authority, hosts: ['127.0.0.1'] })
const closing: (() => unknown)[] = []
after(async () => {
  for (const close of closing.reverse()) await close()
})

async function opened(
  options: Parameters<typeof startMailServer>[0],
  settings: Partial<SmtpSettings>,
): Promise<{ server: TestMailServer; transport: Transport }> {
  const server = await startMailServer(options)
  const place = { host: '127.0.0.1', port: server.port, is_secure: false, is_loopback: true }
  const transport = openTransport({ ...place, from: 'svc@engine.example', domains: [], ...settings })
  closing.push(
    () => server.stop(),
    () => transport.close(),
  )
  return { server, transport }
}

const mail = {
  mail_id: '5f0c1d6e-8a52-4b8f-9d5e-0d9c1d1f7a10',
  to: 'ann@acme.example',
  subject: 'Hot',
  text: 'Gate 4.\n',
}
const faultOf = (sending: Promise<void>) =>
  sending.then(
    () => assert.fail('it was accepted'),
    (error) => {
      assert.ok(error instanceof MailFault, String(error))
      return error
    },
  )

test('a mail arrives with TLS and a password, and says that a machine wrote it', async () => {
  const user = { name: 'svc', password: 'right' }
  const { server, transport } = await opened(
    { secure: true, cert, key },
    { is_secure: true, ca: authority.cert, user },
  )
  await transport.send(mail)
  const [arrived] = server.mails
  assert.deepEqual(
    [arrived!.from, arrived!.to, arrived!.was_encrypted],
    ['svc@engine.example', [mail.to], true],
  )
  assert.equal(arrived!.user, 'svc')
  assert.match(arrived!.source, /^Message-ID: <5f0c1d6e-8a52-4b8f-9d5e-0d9c1d1f7a10@127\.0\.0\.1>\r$/m)
  assert.match(arrived!.source, /^Auto-Submitted: auto-generated\r$/m)
  assert.match(arrived!.source, /\r\n\r\nGate 4\.\r\n$/)
})

test('without TLS from the start, STARTTLS is required unless the server is on this machine', async () => {
  const upgraded = await opened({ cert, key }, { is_loopback: false, ca: authority.cert })
  await upgraded.transport.send(mail)
  assert.equal(upgraded.server.mails[0]!.was_encrypted, true)
  const plain = await opened({ hideSTARTTLS: true, disabledCommands: ['STARTTLS'] }, { is_loopback: false })
  assert.equal((await faultOf(plain.transport.send(mail))).is_permanent, false)
  assert.equal(plain.server.mails.length, 0)
  const own = await opened({ hideSTARTTLS: true, disabledCommands: ['STARTTLS'] }, {})
  await own.transport.send(mail)
  assert.equal(own.server.mails.length, 1)
})

test('a certificate that nobody vouches for is refused', async () => {
  const { server, transport } = await opened({ secure: true, cert, key }, { is_secure: true })
  await faultOf(transport.send(mail))
  assert.equal(server.mails.length, 0)
})

test('no text of a mail becomes a header or a recipient', async () => {
  const { server, transport } = await opened({ hideSTARTTLS: true }, {})
  const subject = 'Hot\r\nBcc: eve@evil.example\r\n\r\nFree money'
  await transport.send({ ...mail, subject, text: 'one\r\n.\r\nMAIL FROM:<eve@evil.example>\r\n' })
  assert.equal(server.mails.length, 1)
  const [head, body] = server.mails[0]!.source.split('\r\n\r\n', 2)
  assert.deepEqual(server.mails[0]!.to, [mail.to])
  assert.doesNotMatch(head!, /^Bcc:/im)
  assert.match(body!, /^\.$/m)
})

test('a refusal is passing or final by its code, and repeats no words of the server', async () => {
  const { server, transport } = await opened({ hideSTARTTLS: true }, {})
  for (const [code, is_permanent] of [
    [450, false],
    [550, true],
  ] as const) {
    server.refusal = code
    const fault = await faultOf(transport.send(mail))
    assert.deepEqual([fault.message, fault.is_permanent], [`The mail server answered ${code}.`, is_permanent])
  }
})

test('a server that is down and a wrong password are faults that can pass', async () => {
  const user = { name: 'svc', password: 'wrong' }
  const { server, transport } = await opened({ allowInsecureAuth: true, hideSTARTTLS: true }, { user })
  const denied = await faultOf(transport.send(mail))
  assert.deepEqual([denied.message, denied.is_permanent], ['The mail server answered 535.', false])
  await server.stop()
  const down = await faultOf(transport.send(mail))
  assert.match(down.message, /^The mail server could not be used: E[A-Z]+\.$/)
  assert.equal(down.is_permanent, false)
})
