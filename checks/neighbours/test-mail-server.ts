// A real SMTP server for tests: it keeps what it accepts, and answers as the test wishes.

import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'

export interface ReceivedMail {
  readonly from: string
  readonly to: readonly string[]
  /** Headers and body, as they arrived. */
  readonly source: string
  readonly was_encrypted: boolean
  readonly user: string | undefined
}

export interface TestMailServer {
  readonly port: number
  readonly mails: readonly ReceivedMail[]
  /** The code with which mail is refused from now on; undefined accepts it. */
  refusal: number | undefined
  stop(): Promise<void>
}

export async function startMailServer(options: SMTPServerOptions = {}): Promise<TestMailServer> {
  const mails: ReceivedMail[] = []
  const server = new SMTPServer({
    authOptional: true,
    onAuth: ({ username, password }, _session, done) =>
      password === 'right' ? done(null, { user: username }) : done(new Error('no such user')),
    onRcptTo(_address, _session, done) {
      if (mail_server.refusal === undefined) return done()
      done(
        Object.assign(new Error('not now: secret words of a server'), { responseCode: mail_server.refusal }),
      )
    },
    onData(stream, { envelope, secure, user }, done) {
      const { mailFrom, rcptTo } = envelope
      buffer(stream).then((bytes) => {
        const from = mailFrom ? mailFrom.address : ''
        const to = rcptTo.map(({ address }) => address)
        mails.push({ from, to, source: bytes.toString('utf8'), was_encrypted: secure, user })
        done()
      }, done)
    },
    ...options,
  })
  server.on('error', () => {})
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
  const mail_server: TestMailServer = {
    port: (server.server.address() as AddressInfo).port,
    mails,
    refusal: undefined,
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  }
  return mail_server
}
