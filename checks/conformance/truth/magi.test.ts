// Scenarios 15 and 16 over HTTP, and what a trace guarantees: links proved by the audit log, causes shown by replay.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { addMember } from '@svc/adapters/access/charter'
import { asOwner } from '@svc/audit/test-audit-log'
import { overwrite } from '@svc/audit/test-stored'
import { contentHash } from '@svc/contract/signing/canonical-json'
import { type Answer, dispatch } from '../../engines/running-engine.ts'
import { startModel } from '../../neighbours/test-model.ts'
import { eventually } from '../../suite/eventually.ts'
import { assertRefusal, assertSuccess } from '../dispatch/expectations.ts'
import { trialProtocol } from '../execution/trial-protocol.ts'
import { type MadeScene, openMadeScene, type Party } from '../identity/made-scene.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into outputs of every shape
type Fields = Record<string, any>

const hour_ms = 3_600_000
/** Calls per organization to a heavy protocol. */
const room = 30
let scene: MadeScene
let proposal: unknown
let model: Awaited<ReturnType<typeof startModel>>

before(async () => {
  model = await startModel(() => (proposal ? { value: proposal } : { status: 400 }))
  const crowded = trialProtocol('v1.0.0', 'CROWDED').protocol
  const wide = { capacity: 10_000, refill_per_s: 1_000 }
  const heavy = { capacity: room, refill_per_s: 0.001 }
  scene = await openMadeScene({
    treaties: undefined as never,
    more_protocols: [trialProtocol().protocol, { ...crowded, rate: 'heavy' }],
    config: {
      limits: { infrastructure: wide, standard: wide, heavy },
      model: { url: model.url, name: 'a model of the test', key: undefined },
    },
  })
})
after(async () => {
  await scene.service.stop()
  await model.close()
})

const ask = (
  who: Party,
  protocol: string,
  operation: string,
  input: unknown,
  to = who.tenant_id,
): Promise<Answer> => dispatch(who, { protocol, operation, input, tenant_id: to })
const done = async (who: Party, protocol: string, operation: string, input: unknown): Promise<Fields> =>
  assertSuccess(await ask(who, protocol, operation, input)).output
const trace = (who: Party, root: string, more: Fields = {}) => done(who, 'MAGI', 'trace', { root, ...more })

async function seat(tenant_id: string): Promise<Party> {
  const party = await scene.newParty(tenant_id)
  const since = new Date(scene.clock.now_ms() - 1)
  await addMember(scene.service.service.store.engine, tenant_id, party.agent_did, since)
  return party
}

/** Enacts a rule by a charter of three; returns the record hashes by event. */
async function enactRule(charter: readonly Party[], policy_id: string, condition: string): Promise<void> {
  const [ann] = charter as [Party]
  const policy_body = `@reason("payments are closed")\nforbid(principal, action, resource) when { ${condition} };`
  const active_from = new Date(scene.clock.now_ms()).toISOString()
  const rule = { policy_id, version: '1.0.0', policy_body, active_from }
  const subject = contentHash({ ...rule, retire: false })
  const binds = [{ protocol: 'MAXIM', operation: 'author', subject }]
  const { motion_id } = await done(ann, 'MACE', 'convene', {
    motion: { title: 'A rule', text: 'Let it be enacted.', charter_level: true, binds },
    quorum: 'majority',
    deadline_ms: 24 * hour_ms,
    composition_rules: {},
  })
  for (const who of charter)
    await done(who, 'MACE', 'deliberate', { motion_id, position: 'for', reasoning: 'I say so.' })
  await done(ann, 'MACE', 'tally', { motion_id })
  await done(ann, 'MAXIM', 'author', rule)
}

const eventOf = async (tenant_id: string, event_type: string) =>
  (await scene.service.records(tenant_id, { event_types: [event_type] }))[0]!

test('scenario 15: a refused payment leads over the rule to the motion, and without the rule it would have gone through', async () => {
  const charter = [await seat('payers'), await seat('payers'), await seat('payers')]
  const [ann] = charter as [Party]
  await enactRule(charter, 'closed', 'resource.protocol == "TRIAL"')
  const pay = () => ask(ann, 'TRIAL', 'echo', { amount_usd: '5' })
  await eventually(async () => assert.equal((await pay()).body.error?.code, 'policy_denied'))
  const { error } = (await pay()).body
  const authored = await eventOf('payers', 'PolicyAuthored')
  const tallied = await eventOf('payers', 'MotionTallied')
  const convened = await eventOf('payers', 'MotionConvened')
  const removed = [authored.record_hash, tallied.record_hash, '0'.repeat(64)]
  const answer = await trace(ann, error.correlation_id, { counterfactual: removed })
  assert.deepEqual(answer.verification.first_bad, undefined)
  assert.deepEqual([answer.verification.chain_ok, answer.verification.signatures_ok], [true, true])
  assert.deepEqual([answer.truncated, answer.dropped], [false, []])
  const policy = answer.root_causes.find(({ node }: Fields) => node === 'maxim://closed@1.0.0')
  assert.partialDeepStrictEqual(policy, { necessity: true, responsibility: 1, basis: 'replayed' })
  const path = answer.critical_path
  for (const id of [
    'maxim://closed@1.0.0',
    `record:${authored.record_hash}`,
    `record:${tallied.record_hash}`,
  ])
    assert.ok(path.includes(id), `${id} in ${path}`)
  assert.equal(path.at(-1), `record:${convened.record_hash}`)
  assert.equal(path[0], answer.target)
  assert.deepEqual(
    answer.counterfactuals.map(({ changed, basis }: Fields) => [changed, basis]),
    [
      [true, 'replayed'],
      [true, 'replayed'],
      [false, 'replayed'],
      [true, 'replayed'],
    ],
  )
  const hashes = new Set((await scene.service.records('payers')).map(({ record_hash }) => record_hash))
  assert.ok(answer.narrative.length > 3)
  for (const { citations } of answer.narrative)
    for (const hash of citations) assert.ok(hashes.has(hash), `${hash} is a record`)
  const again = await trace(ann, error.correlation_id, { counterfactual: removed })
  assert.equal(again.trace_ref, answer.trace_ref)
})

test('two rules share a refusal; a motion is followed forward to the refusal', async () => {
  const ann = await seat('twice')
  await enactRule([ann], 'one', 'resource.protocol == "TRIAL"')
  await enactRule([ann], 'two', 'resource.operation == "echo"')
  const pay = () => ask(ann, 'TRIAL', 'echo', {})
  const forbidden = async () => {
    const answer = await trace(ann, (await pay()).body.error.correlation_id)
    assert.equal(answer.root_causes.filter(({ node }: Fields) => node.startsWith('maxim://')).length, 2)
    return answer
  }
  await eventually(forbidden)
  const forbidden_trace = await forbidden()
  for (const cause of forbidden_trace.root_causes.filter(({ node }: Fields) => node.startsWith('maxim://')))
    assert.partialDeepStrictEqual(cause, { necessity: false, responsibility: 0.5, basis: 'replayed' })
  const { record_hash } = await eventOf('twice', 'MotionConvened')
  const ahead = await trace(ann, record_hash, { direction: 'effects' })
  assert.ok(ahead.nodes.some(({ id }: Fields) => id === forbidden_trace.target))
  assert.deepEqual(ahead.root_causes, [])
  const around = await trace(ann, 'maxim://one@1.0.0', { direction: 'both' })
  const ids = new Set(around.nodes.map(({ id }: Fields) => id))
  assert.ok(ids.has(forbidden_trace.target) && ids.has(`record:${record_hash}`))
})

test('of two rules over an input that was not kept, either of which was enough, neither is called necessary', async () => {
  const ann = await seat('by-input')
  const over = (limit: number) =>
    `resource.protocol == "MIND" && resource.operation == "recall_memory" && context has input && context.input has limit && context.input.limit > ${limit}`
  await enactRule([ann], 'one', over(40))
  await enactRule([ann], 'two', over(30))
  await enactRule([ann], 'elsewhere', 'resource.protocol == "MARKET"')
  const recall = () =>
    ask(ann, 'MIND', 'recall_memory', { predicate: { semantic: { text: 'x' } }, limit: 50 })
  const rules = async () => {
    const { error } = (await recall()).body
    assert.equal(error?.code, 'policy_denied')
    const { root_causes, edges } = await trace(ann, error.correlation_id)
    const named = root_causes.filter(({ node }: Fields) => node.startsWith('maxim://'))
    assert.equal(named.length, 2)
    return { named, edges }
  }
  await eventually(rules)
  const { named, edges } = await rules()
  for (const cause of named)
    assert.partialDeepStrictEqual(cause, { necessity: false, responsibility: 0.5, basis: 'assumed' })
  const relations = edges.filter(({ to }: Fields) => to.startsWith('maxim://') && !to.includes('/set/'))
  assert.deepEqual(
    new Set(relations.flatMap(({ relation }: Fields) => (/efused/.test(relation) ? [relation] : []))),
    new Set(['refusedBy', 'mayBeRefusedBy']),
  )
  assert.ok(
    relations.every(({ to }: Fields) => !to.includes('elsewhere')),
    'a rule that could not apply is none',
  )
})

test('an allowed call depends on its grant; a conclusion depends on what it cites', async () => {
  const ann = await seat('thinkers')
  const evidence = (ref: string) => ({ ref, stance: 'supports' })
  const base = await done(ann, 'MAVEN', 'attest', {
    claim: 'Water boils.',
    evidence: [{ content: 'A thermometer.' }],
  })
  const input = { claim: 'Steam is hot.', evidence: [evidence(base.claim_ref)] }
  const { output, metadata } = assertSuccess(await ask(ann, 'MAVEN', 'attest', input))
  const answer = await trace(ann, output.claim_ref as string)
  const derived = { from: output.claim_ref, to: base.claim_ref, relation: 'wasDerivedFrom', confidence: 0.95 }
  assert.partialDeepStrictEqual(
    answer.edges.filter(({ to }: Fields) => to === base.claim_ref),
    [derived],
  )
  assert.equal(answer.confidence, 0.95)
  const cause = answer.root_causes.find(({ node }: Fields) => node === base.claim_ref)
  assert.partialDeepStrictEqual(cause, { necessity: true, basis: 'assumed' })
  const other = await done(ann, 'MAVEN', 'attest', {
    claim: 'Steam burns.',
    evidence: [{ content: 'A finger.' }],
  })
  const both = await done(ann, 'MAVEN', 'attest', {
    claim: 'Steam is dangerous.',
    evidence: [evidence(base.claim_ref), evidence(other.claim_ref)],
  })
  const { root_causes } = await trace(ann, both.claim_ref)
  const sources = root_causes.filter(({ node }: Fields) => [base.claim_ref, other.claim_ref].includes(node))
  assert.deepEqual(
    sources.map(({ necessity, responsibility, basis }: Fields) => [necessity, responsibility, basis]),
    [
      [false, 0.5, 'assumed'],
      [false, 0.5, 'assumed'],
    ],
    'each of two sources may have been enough',
  )
  const allowed = await trace(ann, metadata.correlation_id)
  const grant = allowed.root_causes.find(({ node }: Fields) => node.startsWith('grant:'))
  assert.partialDeepStrictEqual(grant, { necessity: true, basis: 'replayed' })
  const ahead = await trace(ann, base.claim_ref, { direction: 'effects' })
  assert.ok(ahead.nodes.some(({ id }: Fields) => id === output.claim_ref))
})

test('outsiders learn nothing, a small budget gives a short answer, and model text is kept only with citations', async () => {
  const [ann, eve] = [await seat('keepers'), await seat('strangers')]
  const { output, metadata } = assertSuccess(
    await ask(ann, 'MAVEN', 'attest', { claim: 'Ice floats.', evidence: [{ content: 'A glass.' }] }),
  )
  const { record_hash } = await eventOf('keepers', 'ClaimAttested')
  const roots = [
    metadata.correlation_id,
    record_hash,
    `max://keepers/record/${record_hash}`,
    output.claim_ref,
  ]
  for (const root of roots) {
    const answer = await ask(eve, 'MAGI', 'trace', { root })
    assertRefusal(answer, { code: 'invalid_payload', stage: 7, reason: 'not_found' })
  }
  const budget = { tokens: 1, deadline_ms: 5_000 }
  const little = await trace(ann, metadata.correlation_id, { budget, question: 'Why did it float?' })
  assert.deepEqual(
    [little.truncated, little.truncated_by.includes('tokens'), little.narrative],
    [true, true, []],
  )
  const unknown = await ask(ann, 'MAGI', 'trace', { root: 'maxim://nobody@1.0.0' })
  assertRefusal(unknown, { code: 'invalid_payload', stage: 7, reason: 'not_found' })
  const cut = await trace(ann, metadata.correlation_id, { max_nodes: 1 })
  assert.deepEqual([cut.nodes.length, cut.truncated_by], [1, ['nodes']])
  proposal = {
    sentences: [
      { sentence: 'Ann attested it.', citations: [`record:${record_hash}`] },
      { sentence: 'Eve attested it.', citations: [`record:${'0'.repeat(64)}`] },
    ],
  }
  const { narrative } = await trace(ann, record_hash, { question: 'Who was it?' })
  proposal = undefined
  const proposed = narrative.filter(({ verified }: Fields) => !verified)
  assert.deepEqual(proposed, [{ sentence: 'Ann attested it.', citations: [record_hash], verified: false }])
})

test('a rate-limited call is traced to the calls that exhausted the limit', async () => {
  const ann = await seat('hasty')
  for (let call = 0; call < room; call++) assertSuccess(await ask(ann, 'CROWDED', 'echo', {}))
  const { error } = (await ask(ann, 'CROWDED', 'echo', {})).body
  assert.equal(error.code, 'rate_limited')
  const answer = await trace(ann, error.correlation_id)
  const isRule = ({ node }: Fields) => node === 'rule:bucket empty'
  const calls = answer.root_causes.filter(({ node }: Fields) => node.startsWith('record:'))
  assert.partialDeepStrictEqual(answer.root_causes.find(isRule), { necessity: true, basis: 'replayed' })
  assert.equal(calls.length, room)
  for (const call of calls)
    assert.partialDeepStrictEqual(call, { necessity: true, responsibility: 1, basis: 'replayed' })
})

test('the counterpart of a call is read under an active treaty, and is an opaque hash otherwise', async () => {
  const [ann, bob] = [await seat('north'), await seat('south')]
  const { treaty_id } = await done(ann, 'MOAT', 'propose', {
    counterparty_did: bob.agent_did,
    capability_schedule: [{ capability: 'svc.trial.echo', granted_to: 'both' }],
    expires_at: new Date(scene.clock.now_ms() + 1_000 * hour_ms).toISOString(),
  })
  await done(ann, 'MOAT', 'sign', { treaty_id })
  await done(bob, 'MOAT', 'sign', { treaty_id })
  const cross = () => ask(ann, 'TRIAL', 'echo', {}, 'south')
  await eventually(async () => assert.equal((await cross()).status, 200))
  const { correlation_id } = assertSuccess(await cross()).metadata
  const about = { correlation_ids: [correlation_id] }
  // Each side learns of the other's record shortly after storing its own.
  await eventually(async () => assert.equal((await scene.service.records('north', about)).length, 2))
  const [copy] = await scene.service.records('south', about)
  const id = `record:${copy!.record_hash}`
  const theirs = async (include_foreign: boolean) => {
    const answer = await trace(ann, correlation_id, { direction: 'both', include_foreign })
    return [answer.verification.signatures_ok, answer.nodes.find((node: Fields) => node.id === id)]
  }
  const [ok, shown] = await theirs(true)
  assert.partialDeepStrictEqual([ok, shown], [true, { tenant_id: 'south', operation: 'echo' }])
  const closed = { id, type: 'Activity', record_hash: copy!.record_hash, opaque: true }
  assert.partialDeepStrictEqual((await theirs(false))[1], closed)
  const causes = await trace(ann, correlation_id)
  const treaty = causes.root_causes.find(({ node }: Fields) => node === `moat://${treaty_id}`)
  assert.partialDeepStrictEqual(treaty, { necessity: true, basis: 'replayed' })
  await done(ann, 'MOAT', 'terminate', { treaty_id, reason: 'It is over.' })
  scene.clock.advance(hour_ms)
  assert.partialDeepStrictEqual((await theirs(true))[1], closed)
})

test('scenario 16: one byte of a record that was used is flipped; the trace says which, and an alarm is recorded', async () => {
  const target = await eventOf('payers', 'SecurityViolation')
  const authored = await eventOf('payers', 'PolicyAuthored')
  const [ann] = [await scene.newParty('payers')]
  await asOwner(scene.service.db_url, async (owner) => {
    await overwrite(owner, 'payers', authored.seq, ({ body }) => ({
      body: body!.replace('"latency_ms":0', '"latency_ms":1'),
    }))
  })
  const answer = await ask(ann!, 'MAGI', 'trace', { root: target.record_hash })
  const { output, metadata } = assertSuccess(answer) as { output: Fields; metadata: Fields }
  const { chain_ok, signatures_ok, first_bad } = output.verification
  assert.deepEqual([chain_ok, signatures_ok], [false, false])
  assert.deepEqual([first_bad.seq, first_bad.record_hash], [authored.seq, authored.record_hash])
  assert.ok(output.root_causes.length > 0)
  const filter = { correlation_ids: [metadata.correlation_id], event_types: ['SecurityViolation'] }
  const [alarm] = await scene.service.records('payers', filter)
  assert.equal(alarm?.meta.record_hash, authored.record_hash)
})
