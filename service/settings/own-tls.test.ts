import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { makeCertificate } from '../../checks/neighbours/test-certificate.ts'
import { testTls } from '../../checks/neighbours/test-tls.ts'
import { OwnTls } from './own-tls.ts'
import { type Environment, reader } from './reader.ts'

const tls = testTls()
const { cert_file: SVC_TLS_CERT, key_file: SVC_TLS_KEY } = tls.issue('own')
after(() => tls.close())
const of = (env: Environment) => OwnTls.of(reader(env, 'serve'))

test('a program listens with TLS if it has a certificate, and asks for those of clients if told whose', () => {
  assert.equal(of({}).listener, undefined)
  assert.equal(of({ SVC_TLS_CERT, SVC_TLS_KEY }).listener?.current().clients, undefined)
  const listener = of({ SVC_TLS_CERT, SVC_TLS_KEY, SVC_TLS_CLIENTS: tls.ca_file }).listener
  assert.equal(listener?.current().clients, tls.authority.cert)
})

test('settings that belong together are named', () => {
  assert.throws(() => of({ SVC_TLS_CERT }), /SVC_TLS_CERT and SVC_TLS_KEY belong together/)
  assert.throws(() => of({ SVC_TLS_KEY }), /SVC_TLS_CERT and SVC_TLS_KEY belong together/)
  assert.throws(() => of({ SVC_TLS_CLIENTS: tls.ca_file }), /SVC_TLS_CLIENTS needs TLS; set SVC_TLS_CERT/)
  assert.throws(
    () => of({ SVC_TLS_CERT, SVC_TLS_KEY, SVC_TLS_CLIENTS: SVC_TLS_KEY }),
    /no certificate in PEM form/,
  )
})

test('renewed files are used for what is opened next, and never a pair that does not fit', async () => {
  const lines: string[] = []
  const log = {
    debug() {},
    info: () => {},
    warn() {},
    error: (_: object, text: string) => void lines.push(text),
  }
  const own = of({ SVC_TLS_CERT, SVC_TLS_KEY, SVC_TLS_CA: tls.ca_file })
  const closing: (() => Promise<unknown>)[] = []
  own.follow(log, closing)
  const renewed: string[] = []
  own.listener!.onRenewed(() => renewed.push(own.listener!.current().cert))
  const other = makeCertificate({ name: 'other', issuer: tls.authority, hosts: ['127.0.0.1'] })
  tls.write('own.crt', other.cert)
  own.renew()
  assert.deepEqual([renewed, lines.length], [[], 1])
  assert.match(lines[0]!, /the old one stays in use/)
  tls.write('own.key', other.key)
  own.renew()
  assert.deepEqual(
    [renewed, own.client()],
    [[other.cert], { ca: tls.authority.cert, cert: other.cert, key: other.key }],
  )
  tls.write('ca.crt', other.cert)
  own.renew()
  assert.equal(own.authorities(), other.cert)
  for (const close of closing) await close()
})
