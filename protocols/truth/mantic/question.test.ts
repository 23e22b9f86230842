// The life of a question, and who cannot write whose reputation.
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { addMember } from '@svc/adapters/access/charter'
import { newIdentity } from '@svc/adapters/access/tenants'
import { localAdmin } from '@svc/contract/identity/identity'
import { assertRefused } from '../../../checks/rehearsal/assert-refused.ts'
import { manualClock } from '../../../checks/rehearsal/manual-clock.ts'
import { type Rehearsal, rehearse } from '../../../checks/rehearsal/rehearse.ts'
import { test_did, test_tenant } from '../../../checks/rehearsal/test-ports.ts'
import { mame } from '../../cognition/mame/mame.ts'
import { mind } from '../../cognition/mind/mind.ts'
import { mata } from '../mata/mata.ts'
import { maven } from '../maven/maven.ts'
import { mantic } from './mantic.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into outputs of every shape
type Fields = Record<string, any>

const clock = manualClock('2026-11-17T10:00:00.000Z')
const hour = 3_600_000
/** Roots of those that are not their own; undefined: unproven. */
const roots = new Map<string, string | undefined>()
const newDid = (root?: string) => {
  const { did } = newIdentity(test_tenant, 'agent')
  if (root) roots.set(did, root)
  return did
}
const [ann, bob, judge, witness] = [newDid(), newDid(), newDid(), newDid()]
let stage: Rehearsal
let minutes: string
let nth = 0

before(async () => {
  const identity = {
    resolve(did: string) {
      const root = roots.has(did) ? roots.get(did) : did
      const identity =
        root === undefined
          ? { ...localAdmin(did), conformance_level: 'L0' as const, lineage_verified: false }
          : { ...localAdmin(did), human_root_did: root }
      return { outcome: 'Resolved' as const, identity }
    },
  }
  stage = await rehearse(mantic, { others: [mata, maven, mame, mind], ports: { clock, identity } })
  await addMember(stage.store.engine, test_tenant, test_did, new Date(clock.now_ms()))
  const claim = { claim: 'The minutes are complete.', evidence: [{ content: 'Signed by all.' }] }
  minutes = (await run('MAVEN.attest', claim, witness)).claim_ref
})
beforeEach(() => {
  nth += 1
})
after(() => stage.close())

const run = (operation: string, input: unknown, did = test_did): Promise<Fields> =>
  stage.run(operation, input, { did })
const inAnHour = () => new Date(clock.now_ms() + hour).toISOString()
const open = async (more: Fields = {}, by = ann): Promise<string> => {
  const question = {
    statement: 'Will it rain?',
    kind: 'binary',
    resolver: judge,
    locks_at: inAnHour(),
    ...more,
  }
  return (await run('open_question', { topic: `topic ${nth}`, ...question }, by)).question_ref
}
const forecast = (question_ref: string, content: number | Fields, did = ann) => {
  const item = typeof content === 'number' ? { probability: content } : content
  return run('forecast', { forecasts: [{ question_ref, ...item }] }, did)
}
const resolve = (question_ref: string, outcome: unknown, more: Fields = {}, did = judge) =>
  run('resolve', { question_ref, outcome, citation: { source_ref: minutes }, ...more }, did)
const anotherClaim = async () => {
  const claim = { claim: `It is recorded ${nth}.`, evidence: [{ content: `Seen ${nth}.` }] }
  return (await run('MAVEN.attest', claim, newDid())).claim_ref
}
const weightOf = (source: string, topic = `topic ${nth}`) => run('MATA.weight', { source, topic })
const denied = (promise: Promise<unknown>, reason: string) => assertRefused(promise, 'policy_denied', reason)
const invalid = (promise: Promise<unknown>, reason: string) =>
  assertRefused(promise, 'invalid_payload', reason)
const near = (value: number, expected: number) =>
  assert.ok(Math.abs(value - expected) < 1e-9, `${value} is not ${expected}`)

test('500 invented outcomes change no weight, neither of oneself nor of a rival', async () => {
  const question = await open()
  await forecast(question, 0.9, ann)
  await forecast(question, 0.4, bob)
  await resolve(question, true)
  const [before_ann, before_bob] = [await weightOf(ann), await weightOf(bob)]
  const invented = (outcome: boolean) => Array.from({ length: 500 }, () => ({ forecast: 1, outcome }))
  const topic = `topic ${nth}`
  await invalid(run('MATA.weight', { source: ann, topic, outcomes: invented(true) }, ann), 'schema')
  await invalid(run('MATA.weight', { source: bob, topic, outcomes: invented(false) }, ann), 'schema')
  assert.deepEqual([await weightOf(ann), await weightOf(bob)], [before_ann, before_bob])
  assert.deepEqual([before_ann.n, before_ann.history[0].question_ref], [1, question])
  // Nor can they be published as a map that corrects somebody's confidence.
  const forecasts = Array.from({ length: 500 }, (_, place) => ({ p: 0.99, outcome: place % 2 }))
  const map = { forecaster: bob, forecasts, method: 'platt', persist: true }
  await denied(run('calibrate', map, ann), 'outcomes without evidence')
  const authority = 'mace://sole-member'
  await denied(run('calibrate', { ...map, authority }, ann), 'charter quorum required')
  assert.match((await run('calibrate', { ...map, authority })).map_ref, /^mantic:\/\/map\//)
})

test('easy questions, and those that nobody else answers, earn no weight', async () => {
  const alone = await open()
  await forecast(alone, 0.99, ann)
  await resolve(alone, true)
  for (let at = 0; at < 12; at++) {
    const easy = await open()
    for (const did of [ann, bob]) await forecast(easy, 0.99, did)
    await resolve(easy, true)
  }
  const hard = await open()
  await forecast(hard, 0.9, bob)
  await forecast(hard, 0.4, witness)
  await resolve(hard, true, { citation: { source_ref: await anotherClaim() } })
  const [padded, honest] = [await weightOf(ann), await weightOf(bob)]
  assert.deepEqual([padded.n, padded.n_compared, honest.n_compared], [13, 12, 13])
  near(padded.excess, 0)
  assert.ok(Math.abs(honest.excess - (0.1 ** 2 - 0.6 ** 2)) < 0.01, `${honest.excess}`)
  assert.ok(padded.brier < honest.brier && padded.weight < honest.weight)
  // As little as somebody who has answered nothing.
  const opinions = [ann, newDid()].map((source) => ({ source, probability: 0.5 }))
  const { weights } = await run('MATA.pool', { opinions, topic: `topic ${nth}`, weights: 'learned' })
  near(weights[ann], 0.5)
  // Another half-life is counted from the scores themselves.
  const short = await run('MATA.weight', { source: ann, topic: `topic ${nth}`, half_life_days: 30 })
  near(short.excess, 0)
  assert.equal(short.n_compared, 12)
})

test('a forecast after the lock, or changed after it, is refused; the last one before it counts', async () => {
  const question = await open()
  await forecast(question, 0.2)
  assert.deepEqual(await forecast(question, 0.6), { submitted: 1, replaced: 1 })
  clock.advance(hour)
  await denied(forecast(question, 1), 'forecasts are locked')
  await denied(forecast(question, 1, bob), 'forecasts are locked')
  const { counted, left_out } = await resolve(question, true)
  assert.deepEqual([counted, left_out], [1, 0])
  near((await weightOf(ann)).brier, 0.16)
  assert.equal((await weightOf(bob)).n, 0)
  await denied(forecast(question, 1), 'forecasts are locked')
  await denied(resolve(question, false), 'question is closed')
})

test('an outcome known before the lock ends forecasting, and forecasts made after it was known do not count', async () => {
  const question = await open()
  await forecast(question, 0.7)
  const known_at = new Date(clock.now_ms()).toISOString()
  clock.advance(60_000)
  await forecast(question, 1, bob)
  await invalid(resolve(question, true, { known_at: inAnHour() }), 'in_the_future')
  const resolved = await resolve(question, true, { known_at })
  assert.deepEqual([resolved.counted, resolved.left_out, resolved.known_at], [1, 1, known_at])
  assert.deepEqual([(await weightOf(ann)).n, (await weightOf(bob)).n], [1, 0])
})

test('who was wrong cannot take it back by sending it again once the outcome is known', async () => {
  const question = await open()
  await forecast(question, 0.1)
  await forecast(question, 0.2)
  await forecast(question, 0.9, bob)
  const known_at = new Date(clock.now_ms()).toISOString()
  clock.advance(60_000)
  await forecast(question, 0.2)
  await forecast(question, 1)
  await forecast(question, 1, bob)
  const { counted, left_out } = await resolve(question, true, { known_at })
  assert.deepEqual([counted, left_out], [2, 0])
  near((await weightOf(ann)).brier, 0.64)
  near((await weightOf(bob)).brier, 0.01)
})

test('a forecast changes 64 times at most', async () => {
  const question = await open()
  for (let times = 0; times <= 64; times++) await forecast(question, times / 100)
  await denied(forecast(question, 1), 'too many changes')
})

test('a category that is named as something every object has must be forecast', async () => {
  const question = await open({ kind: 'categories', categories: ['constructor', 'rain'] })
  const odd = forecast(question, { distribution: { rain: 0.5, sun: 0.5 } })
  await invalid(odd, 'labels_differ')
})

test('no outcome rests on a memory that only the resolver may read', async () => {
  const question = await open()
  await forecast(question, 0.9)
  const note = { kind: 'semantic', payload: { text: 'It rained.' }, scope: 'private' }
  const { ref: source_ref } = await run('MIND.store_memory', note, judge)
  await denied(resolve(question, true, { citation: { source_ref } }), 'source is not of the tenant')
})

test('a resolver with a conflict of interest decides nothing', async () => {
  const question = await open()
  await denied(forecast(question, 0.9, judge), 'conflict of interest')
  await denied(forecast(question, 0.9, newDid(judge)), 'conflict of interest')
  await forecast(question, 0.9)
  await denied(resolve(question, true, {}, ann), 'not the resolver')
  // The resolver has come under the root of a forecaster since.
  roots.set(judge, ann)
  await denied(resolve(question, true), 'conflict of interest')
  roots.set(judge, undefined)
  await denied(resolve(question, true), 'verified lineage required')
  roots.delete(judge)
  // Nor does what a forecaster says itself show anything.
  const own = { claim: 'It rained.', evidence: [{ content: 'I got wet.' }] }
  const { claim_ref } = await run('MAVEN.attest', own, ann)
  await denied(resolve(question, true, { citation: { source_ref: claim_ref } }), 'conflict of interest')
  assert.equal((await resolve(question, true)).counted, 1)
})

test('the charter may let a resolver be of one root with forecasters, but never a forecaster itself', async () => {
  const sibling = newDid(judge)
  const terms = { authority: 'mace://sole-member' }
  await denied(open(terms, ann), 'charter quorum required')
  const question = await open(terms, test_did)
  await denied(forecast(question, 0.9, judge), 'conflict of interest')
  await forecast(question, 0.9, sibling)
  assert.equal((await resolve(question, true)).counted, 1)
  const { items } = await run('list_questions', { question_ref: question }, sibling)
  assert.deepEqual(
    [items[0].related_allowed, items[0].own.probability, items[0].outcome, items[0].source_ref],
    [true, 0.9, true, minutes],
  )
})

test('an outcome needs a citation that exists and still holds', async () => {
  const question = await open()
  await invalid(run('resolve', { question_ref: question, outcome: true }, judge), 'citation_missing')
  const missing = { citation: { source_ref: `maven://claim/${'0'.repeat(64)}` } }
  await invalid(resolve(question, true, missing), 'not_found')
  const claim = { claim: 'Nobody was there.', evidence: [{ content: 'A note.' }] }
  const { claim_ref } = await run('MAVEN.attest', claim, witness)
  await run('MAME.redact', { target: claim_ref, reason: 'error' }, witness)
  await denied(resolve(question, true, { citation: { source_ref: claim_ref } }), 'weak source')
  await invalid(resolve(question, 'rain'), 'outcome_not_in_labels')
  const closed = await run('resolve', { question_ref: question, void: 'Nobody measured it.' }, judge)
  assert.deepEqual([closed.status, closed.counted], ['void', 0])
})

test('unknown identities neither open, forecast nor resolve', async () => {
  const unknown = newDid()
  roots.set(unknown, undefined)
  await denied(open({}, unknown), 'verified lineage required')
  await denied(open({ resolver: unknown }), 'verified lineage required')
  const question = await open()
  await denied(forecast(question, 0.9, unknown), 'verified lineage required')
})

test('sixteen children of one person count as one together, and more are refused', async () => {
  const children = Array.from({ length: 17 }, () => newDid(bob))
  const question = await open()
  await forecast(question, 0.9, ann)
  for (const [place, child] of children.slice(0, 16).entries()) await forecast(question, place % 2, child)
  await denied(forecast(question, 1, children[16]), 'too many forecasters')
  await resolve(question, true)
  const effective = await Promise.all(
    children.map(async (child) => (await weightOf(child)).n_effective as number),
  )
  near(
    effective.reduce((sum, n) => sum + n, 0),
    (await weightOf(ann)).n_effective,
  )
})

test('both operations score alike: events, categories and quantities, as the textbooks do', async () => {
  const topic = `topic ${nth}`
  const shares = Array.from({ length: 12 }, (_, at) => [0.5 + at / 30, 0.3 - at / 60, 0.2 - at / 60])
  for (const [at, [sun, rain, snow]] of shares.entries()) {
    const question = await open({ kind: 'categories', categories: ['sun', 'rain', 'snow'] })
    await forecast(question, { distribution: { sun, rain, snow } })
    await resolve(question, ['sun', 'rain', 'snow'][at % 3])
  }
  const brier = shares.map((row, at) =>
    row.reduce((sum, share, place) => sum + (share - (place === at % 3 ? 1 : 0)) ** 2, 0),
  )
  const weighed = await weightOf(ann)
  near(weighed.brier, brier.reduce((sum, one) => sum + one, 0) / 12)
  const stored = await run('calibrate', { forecaster: ann, stored: { topic }, persist: true })
  near(stored.brier, weighed.brier)
  near(stored.log_score, weighed.log_loss)
  const { reliability, resolution, uncertainty, brier: of_events } = stored.decomposition
  near(reliability - resolution + uncertainty, of_events)
  const forecasts = shares.map(([sun, rain, snow], at) => ({
    distribution: { sun, rain, snow },
    outcome: ['sun', 'rain', 'snow'][at % 3],
  }))
  near((await run('calibrate', { forecaster: ann, forecasts })).brier, weighed.brier)

  const quantiles = [
    [0.1, 2],
    [0.5, 4],
    [0.9, 8],
  ]
  for (let at = 0; at < 10; at++) {
    const question = await open({ kind: 'quantity', range: [0, 10] }, bob)
    await forecast(question, { quantiles }, bob)
    await resolve(question, at)
  }
  const amounts = await weightOf(bob)
  const levels = await run('calibrate', { forecaster: bob, stored: { topic } })
  assert.deepEqual([amounts.brier, levels.n, amounts.n], [undefined, 10, 10])
  near(levels.crps, amounts.crps)
  near(levels.quantile_loss, amounts.quantile_loss)
  assert.ok(amounts.crps > 0 && amounts.quantile_loss > 0)
})

test('forecasts must fit their question, and belong to one tenant', async () => {
  const question = await open({ kind: 'categories', categories: ['a', 'b'] })
  await invalid(forecast(question, 0.5), 'kinds_differ')
  await invalid(forecast(question, { distribution: { a: 0.5, c: 0.5 } }), 'labels_differ')
  await invalid(forecast(question, { distribution: { a: 0.5, b: 0.6 } }), 'not_normalised')
  await invalid(open({ kind: 'categories' }), 'one_kind_each')
  await invalid(open({ kind: 'quantity', range: [2, 1] }), 'bad_range')
  await invalid(open({ locks_at: '2026-11-01T00:00:00Z' }), 'in_the_past')
  await invalid(forecast('mantic://question/0d9c1d1f-8a52-4b8f-9d5e-5f0c1d6e7a10', 0.5), 'not_found')
  const twice = [0.1, 0.9].map((a) => ({ question_ref: question, distribution: { a, b: 1 - a } }))
  await invalid(run('forecast', { forecasts: twice }, ann), 'duplicate_question')
})

test('100,000 forecasts fit in parts, and calibrate like one list; nobody reads the upload of another', async () => {
  const all = Array.from({ length: 100_000 }, (_, at) => ({
    p: Math.round(((at * 0.618_033_988_75) % 1) * 1e6) / 1e6,
    outcome: (at * 0.754_877_666) % 1 < (at * 0.618_033_988_75) % 1,
  }))
  let upload_ref: string | undefined
  for (let part = 1; part <= 10; part++) {
    const forecasts = all.slice((part - 1) * 10_000, part * 10_000)
    const input = { part, forecasts, ...(upload_ref && { upload_ref }) }
    const uploaded = await run('upload_forecasts', input, ann)
    assert.deepEqual([uploaded.parts, uploaded.forecasts], [part, part * 10_000])
    upload_ref = uploaded.upload_ref
  }
  const request = { forecaster: ann, uploaded: upload_ref, method: 'none' }
  const { n, brier } = await run('calibrate', request, ann)
  const expected = all.reduce((sum, { p, outcome }) => sum + (p - Number(outcome)) ** 2, 0) / all.length
  assert.equal(n, 100_000)
  near(brier, expected)
  await denied(
    run('upload_forecasts', { part: 11, upload_ref, forecasts: all.slice(0, 1) }, ann),
    'upload is full',
  )
  await invalid(run('calibrate', request, bob), 'not_found')
  await invalid(
    run('upload_forecasts', { part: 1, upload_ref, forecasts: all.slice(0, 1) }, bob),
    'not_found',
  )
  clock.advance(24 * hour)
  await invalid(run('calibrate', request, ann), 'not_found')
})
