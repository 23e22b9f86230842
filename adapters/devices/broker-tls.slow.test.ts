// A real mosquitto that demands a certificate: the engine shows its own, and renewed files are used at the next connection.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OwnTls } from '@svc/service/settings/own-tls'
import { makeCertificate } from '../../checks/neighbours/test-certificate.ts'
import { startMosquitto } from '../../checks/neighbours/test-mosquitto.ts'
import { testTls } from '../../checks/neighbours/test-tls.ts'
import { until } from '../../checks/suite/eventually.ts'
import { system_clock } from '../clock/system.ts'
import { BrokerClient } from './broker-client.ts'

const quiet = { debug() {}, info() {}, warn() {}, error() {} }

test('mqtts with a client certificate, rotated while the broker is away', async (t) => {
  const tls = testTls()
  t.after(() => tls.close())
  const { ca_file, issue } = tls
  const broker_files = issue('broker')
  const broker = await startMosquitto([
    `cafile ${ca_file}`,
    `certfile ${broker_files.cert_file}`,
    `keyfile ${broker_files.key_file}`,
    'require_certificate true',
  ])
  t.after(() => broker.close())
  const own = new OwnTls({ ca_file, ...issue('engine') })
  const connectWith = (client_tls: OwnTls) => {
    const client = new BrokerClient({
      settings: { url: broker.url.replace('mqtt:', 'mqtts:'), tls: client_tls.client },
      topics: ['svc/#'],
      clock: system_clock,
      log: quiet,
      isRegistered: async () => true,
      signerOf: () => assert.fail('nothing is signed here'),
      take() {},
    })
    t.after(() => client.close())
    return client
  }
  const client = connectWith(own)
  const bare = connectWith(new OwnTls({ ca_file }))
  await until('the engine listens', () => client.state() === 'connected')
  assert.equal(bare.state(), 'away')
  const next = makeCertificate({ name: 'Next authority' })
  await broker.kill()
  tls.write('ca.crt', next.cert)
  issue('broker', next)
  issue('engine', next)
  await broker.start()
  await until('it is away', () => client.state() === 'away')
  own.renew()
  await until('the engine listens again', () => client.state() === 'connected')
  assert.equal(bare.state(), 'away')
})
