// svc webhooks against an engine: set, listed, delivered, changed and removed.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { system_clock } from '@svc/adapters/clock/system'
import { runCli } from '../../clients/cli/run.ts'
import { type InProcessService, startInProcess } from '../engines/in-process.ts'
import { startReceiver, type TestReceiver } from '../neighbours/test-receiver.ts'
import { until } from '../suite/eventually.ts'
import { clientEnv, testTerminal } from './test-terminal.ts'

let service: InProcessService
let receiver: TestReceiver
before(async () => {
  const config = { allowed_networks: ['127.0.0.0/8'] }
  service = await startInProcess({ config, caller: { capabilities: ['svc.max.*'] } })
  receiver = await startReceiver(system_clock.now_ms)
})
after(async () => {
  await receiver?.stop()
  await service?.stop()
})

async function svc(...argv: string[]) {
  const terminal = testTerminal({ env: clientEnv(service), columns: 160 })
  const code = await runCli(argv, terminal)
  return { code, out: terminal.stdout, err: terminal.stderr }
}

test('set prints the secret alone, list shows deliveries, and remove ends them', async () => {
  const events = ['--event', 'custom.one', '--event', 'custom.two']
  const set = await svc('webhooks', 'set', 'mine', receiver.url, ...events)
  assert.equal(set.code, 0, set.err)
  assert.match(set.out, /^whsec_\S+\n$/)
  assert.match(set.err, /not shown again/)
  receiver.secret = set.out.trim()
  const input = JSON.stringify({ event_type: 'custom.two', meta: {} })
  assert.equal((await svc('invoke', 'MAX', 'audit_log_entry', '--input', input)).code, 0)
  await until('it arrives', () => receiver.deliveries.length > 0)
  assert.equal(receiver.deliveries[0]?.event.type, 'custom.two')
  const listed = await until('it is listed as delivered', async () => {
    const { out } = await svc('webhooks', 'list')
    return !out.includes('never') && out
  })
  assert.match(listed, /^mine +ACTIVE +(now|\S+ \S+ ago) +0 s +http:/m)
  const again = await svc('webhooks', 'set', 'mine', receiver.url, '--event', 'custom.one')
  assert.equal(again.out, 'mine is set.\n')
  const renewed = await svc('webhooks', 'set', 'mine', receiver.url, ...events, '--new-secret', '--json')
  assert.notEqual(JSON.parse(renewed.out).secret, receiver.secret)
  const { items } = JSON.parse((await svc('webhooks', 'list', '--json')).out)
  assert.deepEqual(items[0].event_types, ['custom.one', 'custom.two'])
  assert.equal((await svc('webhooks', 'remove', 'mine', '--reason', 'over')).out, 'mine is removed.\n')
  assert.match((await svc('webhooks', 'remove', 'mine')).err, /not_found|no webhook/)
})

test('wrong usage is named, with what to do instead', async () => {
  for (const [argv, message] of [
    [[], /Name a subcommand: svc webhooks set/],
    [['sett'], /Did you mean set\?/],
    [['set', 'x'], /needs a name and an address/],
    [['set', 'x', 'https://hooks.example'], /needs --event/],
    [['list', '--event', 'x'], /takes no --event/],
    [['remove'], /needs the name of a webhook/],
  ] as const) {
    const ran = await svc('webhooks', ...argv)
    assert.equal(ran.code, 1, argv.join(' '))
    assert.match(ran.err, message)
  }
})
