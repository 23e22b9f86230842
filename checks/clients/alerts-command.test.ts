// svc alerts against an engine: rules set, offered, fired, acknowledged, silenced and removed.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { runCli } from '../../clients/cli/run.ts'
import { type InProcessService, startInProcess } from '../engines/in-process.ts'
import { until } from '../suite/eventually.ts'
import { clientEnv, testTerminal } from './test-terminal.ts'

let service: InProcessService
before(async () => {
  service = await startInProcess({ caller: { capabilities: ['svc.motif.*'] } })
})
after(() => service?.stop())

async function svc(...argv: string[]) {
  const terminal = testTerminal({ env: clientEnv(service), columns: 200 })
  const code = await runCli(argv, terminal)
  return { code, out: terminal.stdout, err: terminal.stderr }
}

test('a rule is set, fires, is acknowledged, silenced and removed', async () => {
  assert.match(
    (await svc('alerts', 'rules')).err,
    /Offered, not set: log-unverifiable, .*svc alerts set-defaults/,
  )
  const defaults = await svc('alerts', 'set-defaults')
  assert.match(defaults.out, /^Set: log-unverifiable, .*treaties-expiring\.\n$/)
  assert.equal((await svc('alerts', 'set-defaults')).out, 'All of them are set already.\n')
  const set = await svc(
    'alerts',
    'set',
    'slow',
    'latency',
    '--above',
    '0',
    '--window',
    '6h',
    '--severity',
    'info',
  )
  assert.equal(set.out, 'slow is set: it fires above 0 within 360 min.\n', set.err)
  const [alert] = await until('it fires', async () => {
    const { items } = JSON.parse((await svc('alerts', 'list', '--rule', 'slow', '--json')).out)
    return items.length > 0 && items
  })
  assert.match((await svc('alerts', 'list', '--state', 'FIRING')).out, /^slow +FIRING +info /m)
  const acknowledged = await svc('alerts', 'acknowledge', alert.alert_id, '--note', 'mine')
  assert.equal(acknowledged.out, 'The alert of slow is acknowledged.\n')
  assert.match(
    (await svc('alerts', 'silence', 'slow', '--for', '2h')).out,
    /^slow is silenced until 20.*Z\.\n$/,
  )
  assert.equal((await svc('alerts', 'silence', 'slow')).out, 'slow is not silenced.\n')
  assert.match((await svc('alerts', 'rules')).out, /^slow +latency +0 /m)
  assert.equal((await svc('alerts', 'remove', 'slow', '--reason', 'over')).out, 'slow is removed.\n')
  assert.match((await svc('alerts', 'list', '--rule', 'slow')).out, /^slow +RESOLVED /m)
})

test('wrong usage is named, with what to do instead', async () => {
  for (const [argv, message] of [
    [[], /Name a subcommand: svc alerts list/],
    [['sett'], /Did you mean set\?/],
    [['set', 'x'], /needs a name and what is watched/],
    [['set', 'x', 'refusals', '--above', 'many'], /--above is a number/],
    [['set', 'x', 'refusals', '--window', '15'], /--window is a span such as 15m/],
    [['list', '--mail', 'x'], /takes no --mail/],
    [['acknowledge'], /needs the id of an alert/],
    [['remove'], /needs the name of a rule/],
  ] as const) {
    const ran = await svc('alerts', ...argv)
    assert.equal(ran.code, 1, argv.join(' '))
    assert.match(ran.err, message)
  }
})
