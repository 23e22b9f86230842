// What was spent, in the history of calls and in alerts, is for whoever may read statements.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type InProcessService, startInProcess } from '../../engines/in-process.ts'
import { type Addresses, dispatch } from '../../engines/running-engine.ts'
import { manualClock } from '../../rehearsal/manual-clock.ts'
import { bare_identities } from '../../scenes/people-scene.ts'
import { until } from '../../suite/eventually.ts'
import { assertRefusal, assertSuccess } from '../dispatch/expectations.ts'
import type { Fields } from './webhook-scene.ts'

const clock = manualClock('2026-11-15T10:30:00.000Z')
let engine: InProcessService
let reader: Addresses
let looker: Addresses
before(async () => {
  engine = await startInProcess({ identity: bare_identities, clock })
  reader = await engine.newCaller({ capabilities: ['svc.motif.*', 'svc.meal.statement'] })
  looker = await engine.newCaller({ capabilities: ['svc.motif.*'] })
})
after(() => engine?.stop())

const motif = (who: Addresses, operation: string, input: Fields) =>
  dispatch(who, { protocol: 'MOTIF', operation, input })
const done = async (who: Addresses, operation: string, input: Fields): Promise<Fields> =>
  assertSuccess(await motif(who, operation, input)).output
const missing = { code: 'missing_capability', stage: 7, reason: 'missing capability' } as const

test('the history of calls shows it to nobody else', async () => {
  await done(reader, 'list_alert_rules', {})
  await engine.service.audit_log.flush()
  const [from, to] = [-3_600_000, 3_600_000].map((ms) => new Date(clock.now_ms() + ms).toISOString())
  const history = (who: Addresses) => done(who, 'history', { from, to, by: 'operation' })
  const spends = ({ total, before, points, groups }: Fields) =>
    [total, before, ...points, ...groups.flatMap((group: Fields) => [group.total, ...group.points])].map(
      ({ spend_usd }) => spend_usd,
    )
  assert.ok(spends(await history(reader)).every((spend) => Number(spend) >= 0 && spend !== null))
  const shown = await history(looker)
  assert.ok(shown.total.calls > 0 && shown.groups.length > 0)
  assert.deepEqual([...new Set(spends(shown))], [null])
  assertRefusal(await motif(looker, 'history', { from, to, by: 'agent', rank: 'spend' }), missing)
})

test('nor do alerts on it, which nobody else can set', async () => {
  const rule = { name: 'any-spend', watches: 'spend', above: 0 }
  assertRefusal(await motif(looker, 'set_alert_rule', rule), missing)
  await done(reader, 'set_alert_rule', rule)
  const alertOf = async (who: Addresses): Promise<Fields> => (await done(who, 'list_alerts', {})).items[0]
  const { alert_id, value } = await until('it fires', () => {
    clock.advance(60_000)
    return alertOf(reader)
  })
  assert.ok(value > 0)
  const { value: hidden, ...shown } = await alertOf(looker)
  assert.deepEqual([shown.alert_id, hidden], [alert_id, undefined])
  const [rule_of_reader, rule_of_looker] = await Promise.all(
    [reader, looker].map(async (who) => (await done(who, 'list_alert_rules', {})).items[0]),
  )
  assert.ok(rule_of_reader.last_value > 0)
  assert.deepEqual([rule_of_looker.above, rule_of_looker.last_value], [0, undefined])
  assert.equal((await done(looker, 'acknowledge_alert', { alert_id })).value, undefined)
})
