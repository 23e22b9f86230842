// The rules of authoring and interpreting policies, and of ranking dilemmas.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { RefusalCode } from '@svc/contract/refusal'
import { contentHash } from '@svc/contract/signing/canonical-json'
import { assertRefused } from '../../../checks/rehearsal/assert-refused.ts'
import { councilOf } from '../../../checks/rehearsal/council.ts'
import {
  administrators,
  asCaller,
  newCharter,
  newParty,
  type Party,
} from '../../../checks/rehearsal/organizations.ts'
import { type Output, type Rehearsal, rehearse } from '../../../checks/rehearsal/rehearse.ts'
import { mars } from '../../awareness/mars/mars.ts'
import { market } from '../../economic/market/market.ts'
import { mace } from '../mace/mace.ts'
import { maxim } from './maxim.ts'

const [minute_ms, hour_ms] = [60_000, 3_600_000]
let stage: Rehearsal

before(async () => {
  stage = await rehearse(maxim, { others: [mace, mars, market], ports: administrators() })
})
after(() => stage.close())

const at = (ms = 0) => new Date(stage.ports.clock.now_ms() + ms).toISOString()
const run = (who: Party, operation: string, input: unknown) => stage.run(operation, input, asCaller(who))
const refused = (
  who: Party,
  operation: string,
  input: unknown,
  reason: string,
  code: RefusalCode = 'policy_denied',
) => assertRefused(run(who, operation, input), code, reason)

const forbid = (condition: string, annotations = '') =>
  `${annotations}forbid(principal, action, resource) when { ${condition} };`
const market_hours = forbid(
  'resource.protocol == "MARKET" && (context.hour < 9 || context.hour >= 17)',
  '@reason("the market is open from 9 to 17 UTC") @appeal("MOOT")\n',
)
const rule = (policy_body: string, more: object = {}) => ({
  policy_id: 'hours',
  policy_body,
  version: '1.0.0',
  active_from: at(),
  ...more,
})

test('a policy needs the verdict of a quorum on exactly this policy', async () => {
  const charter = await newCharter(stage, 'traders', 3)
  const [ann] = charter
  const input = rule(market_hours, { active_from: at(21 * hour_ms) })
  const { details } = await refused(ann, 'author', input, 'charter quorum required')
  const { policy_id, version, policy_body, active_from } = input as ReturnType<typeof rule>
  const subject = contentHash({ policy_id, version, policy_body, active_from, retire: false })
  assert.deepEqual([details.subject, details.appeal_path], [subject, 'MACE convene'])
  const binds = [{ protocol: 'MAXIM', operation: 'author', subject }]
  const { ref } = await councilOf(stage).decide(charter, { charter_level: true, binds }, 'for', 'against')
  const output = await run(ann, 'author', { ...input, rationale: 'Nobody watches it at night.' })
  assert.deepEqual([output.state, output.digest, output.lockout_checked], ['SCHEDULED', subject, true])
  const authored = stage.records('traders').find(({ event_type }) => event_type === 'PolicyAuthored')
  assert.equal(authored?.meta.authority, ref)
  await refused(ann, 'author', { ...input, version: '1.0.1' }, 'charter quorum required')
})

test('invalid text, version or start is refused, with the place of each fault', async () => {
  const [ann] = await newCharter(stage, 'faulty', 1)
  const broken = '// é\nforbid(principal, action, resource) when { context.hour < };'
  const { details } = await refused(ann, 'author', rule(broken), 'cedar', 'invalid_payload')
  const [fault] = details.faults as Output[]
  assert.deepEqual([fault.pointer, broken.slice(fault.from, fault.to)], ['/policy_body', '}'])
  const invalid: [object, string][] = [
    [rule(forbid('context.jurisdiction == "DE"')), 'cedar'],
    [rule(''), 'cedar'],
    [rule(forbid('true'), { retire: true }), 'cedar'],
    [rule('', { retire: true }), 'not_found'],
    [rule(Array.from({ length: 65 }, () => forbid('context.hour == 1')).join('\n')), 'cedar'],
    [rule('forbid(principal == ?principal, action, resource);'), 'cedar'],
    [rule(market_hours, { active_from: at(-6 * minute_ms) }), 'active_from out of bounds'],
    [rule(market_hours, { active_from: at(367 * 24 * hour_ms) }), 'active_from out of bounds'],
    [rule(market_hours, { active_from: '2027-02-30T00:00:00Z' }), 'active_from out of bounds'],
    [rule(market_hours, { version: '1.0' }), 'schema'],
  ]
  for (const [input, reason] of invalid) await refused(ann, 'author', input, reason, 'invalid_payload')
  await run(ann, 'author', rule(market_hours))
  for (const version of ['1.0.0', '0.9.9', 'v1.0.0'])
    await refused(ann, 'author', rule(market_hours, { version }), 'version_conflict', 'invalid_payload')
})

test('a policy must lock no charter member out of governance, and only a member may author it', async () => {
  const [ann] = await newCharter(stage, 'open', 1)
  const lockouts = [
    forbid('resource.protocol == "MACE"'),
    forbid(`principal.did == "${ann.did}" && resource.protocol == "MOOT"`),
    forbid('resource.protocol == "MAX" && !resource.state_changing'),
    forbid('9223372036854775807 + context.weekday > 5'),
  ]
  for (const body of lockouts)
    await refused(ann, 'author', rule(body), 'policy would lock out charter governance')
  const some_hour = 'resource.protocol == "MACE" && !(context.weekday == 2 && context.hour == 3)'
  await run(ann, 'author', rule(forbid(some_hour)))
  const stranger = await newParty(stage, 'open')
  await refused(stranger, 'author', rule(market_hours, { version: '2.0.0' }), 'charter member required')
})

test('a policy is replaced and retired, and the registry keeps each version', async () => {
  const [ann] = await newCharter(stage, 'lawful', 1)
  assert.equal((await run(ann, 'author', rule(market_hours))).state, 'ACTIVE')
  const active_from = at(minute_ms)
  const next = await run(ann, 'author', rule(forbid('context.hour == 25'), { version: '1.1.0', active_from }))
  assert.deepEqual([next.state, next.warnings], ['SCHEDULED', []])
  stage.ports.clock.advance(minute_ms + 1)
  const retired = await run(ann, 'author', rule('', { version: '2.0.0', retire: true }))
  assert.equal(retired.state, 'RETIRED')
  const query = { kind: 'policy', subject: 'hours', tenant_id: 'lawful', history: true }
  const { entries } = await run(ann, 'MARS.query_registry', query)
  assert.deepEqual(
    entries.map(({ body }: Output) => body.content.version),
    ['1.0.0', '1.1.0', '2.0.0'],
  )
})

test('an interpretation names the deciding policies, those that would decide without them, and missing facts', async () => {
  const [ann] = await newCharter(stage, 'curious', 1)
  const amount = forbid(
    'context has amount_micro_usd && context.amount_micro_usd > 5000000',
    '@reason("too much")',
  )
  await run(ann, 'author', rule(market_hours, { active_from: at(hour_ms) }))
  await run(ann, 'author', rule(amount, { policy_id: 'limits' }))
  const scenario = { principal_did: ann.did, protocol: 'market', operation: 'create_order' }
  const interpret = (more: object, input: object = {}) =>
    run(ann, 'constitutional_interpretation', { scenario: { ...scenario, ...more }, ...input })
  const free = await interpret({ context: { hour: 8 } })
  assert.deepEqual(
    [free.decision, free.determining, free.unknown_inputs, free.binding],
    ['allow', [], ['amount_micro_usd'], false],
  )
  const planned = await interpret(
    { context: { hour: 8, amount_micro_usd: '1' } },
    { include_scheduled: true },
  )
  assert.deepEqual(
    [planned.decision, planned.determining[0].reason, planned.unknown_inputs],
    ['deny', 'the market is open from 9 to 17 UTC', []],
  )
  const later = await interpret({ at: at(2 * hour_ms), context: { hour: 8, amount_micro_usd: '6000000' } })
  assert.equal(later.set_digest, planned.set_digest)
  assert.deepEqual(later.counterfactuals, [
    { without: 'maxim://hours@1.0.0', decision: 'deny' },
    { without: 'maxim://limits@1.0.0', decision: 'deny' },
  ])
  const invented = { protocol: 'MARKET', operation: 'give_everything_away' }
  await refused(
    ann,
    'constitutional_interpretation',
    { scenario: { ...scenario, ...invented } },
    'no such operation',
    'unknown_operation',
  )
  const { did: principal_did } = await newParty(stage, 'elsewhere')
  const foreign = { scenario: { ...scenario, principal_did } }
  await refused(ann, 'constitutional_interpretation', foreign, 'not_found', 'invalid_payload')
})

test('what only waits for consent is not denied, and it is said whose', async () => {
  const [ann] = await newCharter(stage, 'consenting', 1)
  const named = (policy_id: string, text: string) => ({ ...(rule(text) as object), policy_id })
  const market = 'resource.protocol == "MARKET"'
  await run(ann, 'author', named('large', forbid(market, '@approval("role:finance")\n')))
  await run(ann, 'author', named('night', forbid(`${market} && context.hour == 3`)))
  const consent = forbid('resource.protocol == "MAXIM" && context.hour == 12', '@approval("2 of anna,bob")\n')
  await run(ann, 'author', named('careful', consent))
  const interpret = (protocol: string, operation: string, hour: number) =>
    run(ann, 'constitutional_interpretation', {
      scenario: { principal_did: ann.did, protocol, operation, context: { hour } },
    })
  const waiting = await interpret('MARKET', 'create_order', 12)
  assert.deepEqual(
    [waiting.decision, waiting.determining.map(({ approval }: Output) => approval)],
    ['approval_required', ['role:finance']],
  )
  assert.deepEqual(waiting.counterfactuals, [{ without: 'maxim://large@1.0.0', decision: 'allow' }])
  const denied = await interpret('MARKET', 'create_order', 3)
  assert.equal(denied.decision, 'deny')
  assert.deepEqual(
    new Map(denied.counterfactuals.map(({ without, decision }: Output) => [without, decision])),
    new Map([
      ['maxim://large@1.0.0', 'deny'],
      ['maxim://night@1.0.0', 'approval_required'],
    ]),
  )
  assert.equal((await interpret('MAXIM', 'author', 12)).decision, 'approval_required')
  const decides = await interpret('MAXIM', 'approval_decide', 12)
  assert.equal(decides.decision, 'allow', 'nobody waits to decide')
})

const option = (id: string, effects: Record<string, number>, more: object = {}) => ({
  id,
  description: `Do ${id}.`,
  effects: Object.entries(effects).map(([value, weight]) => ({ value, weight })),
  ...more,
})
const values = [
  { name: 'care', priority: 80 },
  { name: 'profit', priority: 20 },
]
const dilemma = (...options: object[]) => ({ dilemma: 'Sell now, or wait?', options, values })

test('a dilemma is ranked: unlawful options come last, and unclear ones go to a council', async () => {
  const [ann] = await newCharter(stage, 'torn', 1)
  await run(ann, 'author', rule(forbid('resource.protocol == "MARKET"')))
  const scenario = { principal_did: ann.did, protocol: 'MARKET', operation: 'create_order' }
  const input = dilemma(
    option('sell', { profit: 100, care: 50 }, { scenario }),
    option('wait', { care: 20 }),
    option('give', { care: 60, profit: -50 }),
    option('sleep', { care: 10 }),
  )
  const answer = await run(ann, 'deliberate_dilemma', input)
  assert.deepEqual(
    answer.ranking.map(({ option_id, lawful, violated }: Output) => [option_id, lawful, violated]),
    [
      ['give', true, []],
      ['wait', true, []],
      ['sell', false, ['maxim://hours@1.0.0']],
    ],
  )
  assert.deepEqual([answer.recommendation, answer.ambiguous, answer.binding], ['give', false, false])
  assert.deepEqual(answer.dominated, [{ option_id: 'sleep', by: 'wait' }])
  const record = stage.records('torn').find(({ event_type }) => event_type === 'DilemmaDeliberated')
  assert.equal(record?.meta.dilemma_id, answer.dilemma_id)
  const close = dilemma(option('a', { care: 20 }), option('b', { care: 15, profit: 9 }))
  const unclear = await run(ann, 'deliberate_dilemma', close)
  assert.deepEqual([unclear.ambiguous, unclear.escalate_to], [true, 'MACE'])
  const twice = dilemma(option('a', { care: 1 }), option('a', { fame: 1 }))
  const { details } = await refused(ann, 'deliberate_dilemma', twice, 'ambiguous names', 'invalid_payload')
  assert.equal((details.faults as unknown[]).length, 2)
})
