// What an operation needs before it does its work, and the known worst inputs.
import assert from 'node:assert/strict'
import { type Addresses, dispatch } from '../../engines/running-engine.ts'
import type { Tried } from './search.ts'

const edited_bytes = 250_000
const filler = 'x'.repeat(edited_bytes)

export interface Scene {
  /** By `PROTOCOL.operation`: an input whose references exist; the others use their example. */
  readonly bases: Readonly<Record<string, unknown>>
  readonly named: Readonly<Record<string, readonly Tried[]>>
}

export async function openScene(engine: Addresses): Promise<Scene> {
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape are looked into
  const done = async (protocol: string, operation: string, input: unknown): Promise<any> => {
    const answer = await dispatch(engine, { protocol, operation, input })
    assert.equal(answer.status, 200, `${protocol}.${operation}: ${JSON.stringify(answer.body).slice(0, 500)}`)
    return { ...answer.body.output, correlation_id: answer.body.metadata.correlation_id }
  }
  const remember: Remember = async (payload, triples = []) =>
    (await done('MIND', 'store_memory', { kind: 'semantic', payload, triples })).ref
  const [one, other] = [
    await remember({ supplier: 'Acme', list: [1, 2, 3] }),
    await remember({ supplier: 'Bolt' }),
  ]
  const draft = await done('MAGE', 'draft', { kind: 'document', title: 'A', content: 'a' })
  const inquiry = await done('MARI', 'inquire', { question: 'Who is late?', depth: 1, max_findings: 10 })
  const claim = await done('MAVEN', 'attest', {
    claim: 'Pump 7 runs.',
    evidence: [{ content: 'It does.' }],
    confidence: 0.9,
  })
  const { manifest_ref } = await done('MOON', 'submit_manifest', {
    manifest: {
      name: 'worst',
      version: '1.0.0',
      steps: [{ kind: 'Audit', event_type: 'custom.worst', metadata: {} }],
    },
  })
  const claim_ref = claim.claim_ref ?? claim.ref
  return {
    bases: {
      'MAME.edit': edit(one, [{ op: 'test', path: '/supplier', value: 'Acme' }]),
      'MAME.redact': { target: one, scope: 'fields', json_pointers: ['/nothing'], reason: 'other' },
      'MAGE.publish': { draft_id: draft.draft_id, version: 1, license: 'Apache-2.0', visibility: 'tenant' },
      'MARI.synthesize': { inquiry_ref: inquiry.inquiry_ref, format: 'brief', max_words: 200 },
      'MAVEN.cite': { source_ref: claim_ref, style: 'apa' },
      'MAVEN.contradict': {
        claim_ref,
        by: { claim: 'Pump 7 stands.' },
        kind: 'rebut',
        rationale: 'It does.',
      },
      'MAX.traceability_graph': { correlation_id: claim.correlation_id },
      'MAX.explainability_request': { correlation_id: claim.correlation_id },
      'MAGI.trace': { root: claim.correlation_id, direction: 'causes', max_depth: 8 },
      'MIND.associate_memories': { source: one, target: other, relation: 'causes' },
      ...(manifest_ref && { 'MOON.execute_workflow': { action: 'start', manifest_ref, input: {} } }),
    },
    named: {
      'MAME.edit': await editsOf(remember),
      'MAGE.draft': drafts(),
      'MAXIM.backtest': backtests(),
      'MOON.submit_manifest': manifests(),
      'MIM.message_send': messages(engine.agent_did),
    },
  }
}

type Remember = (payload: unknown, triples?: readonly unknown[]) => Promise<string>

/** Each on its own memory: an edit cannot be repeated. */
async function editsOf(remember: Remember): Promise<Tried[]> {
  const steps = (count: number, step: (place: number) => object) =>
    Array.from({ length: count }, (_, place) => step(place))
  const doubling = (place: number) => ({ op: 'copy', from: '', path: `/copy${place}` })
  const members = (count: number, name = 'value') =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`key${i}`, `${name}${i}`]))
  const stated = steps(100, (i) => ({ subject: `value${i}`, predicate: `key${i}`, object: `value${i + 1}` }))
  const wide = members(3_900)
  const list = { list: Array.from({ length: 50_000 }, () => 1) }
  const all: readonly [recipe: string, payload: unknown, patch: unknown, triples?: readonly unknown[]][] = [
    ['copy, 13 times, a string of 250 KB', { text: filler }, steps(13, doubling)],
    ['copy, 100 times, a wide object', wide, steps(100, doubling)],
    [
      'move, 100 times, in a wide object',
      wide,
      steps(100, () => ({ op: 'move', from: '/key1', path: '/key1' })),
    ],
    [
      'replace, 100 times, in a wide object',
      wide,
      steps(100, (i) => ({ op: 'replace', path: `/key${i}`, value: i })),
    ],
    [
      'add, 100 times, to a list of 50,000',
      list,
      steps(100, () => ({ op: 'add', path: '/list/0', value: 1 })),
    ],
    ['replace all that 100 facts speak of', members(900), members(900, 'other'), stated],
    ['replace by 250 KB', { a: 1 }, { text: filler }],
    ['replace by a list of 50,000', { a: 1 }, list],
  ]
  const tried: Tried[] = []
  for (const [recipe, payload, patch, triples] of all) {
    const renew = async () => edit(await remember(payload, triples), patch)
    tried.push({ recipe, input: await renew(), renew })
  }
  return tried
}

function edit(target: string, patch: unknown) {
  return { target, expected_version: 1, patch, reason: 'worst' }
}

function drafts(): Tried[] {
  const draft = (template: string, data: unknown) => ({ kind: 'document', title: 'Worst', template, data })
  const list = Array.from({ length: 30_000 }, () => 1)
  const text = (content: string, kind = 'document', media_type?: string) => ({
    kind,
    title: 'Worst',
    content,
    media_type,
  })
  return [
    {
      recipe: 'a name of 32,000 dots in a list',
      input: draft(`{{#list}}{{a${'.'.repeat(32_000)}}}{{/list}}`, { list }),
    },
    {
      recipe: 'sections in sections',
      input: draft(`${'{{#l}}'.repeat(6)}${'{{/l}}'.repeat(6)}`, { l: [1, 2, 3, 4, 5, 6, 7] }),
    },
    { recipe: '13,000 tags of another form', input: draft(`{{=<% %>=}}${'<%a%>'.repeat(13_000)}`, { a: 1 }) },
    { recipe: 'one value of 4 MB', input: draft('{{v}}', { v: 'é'.repeat(2_000_000) }) },
    { recipe: 'text of 1 MB', input: text('a'.repeat(1_000_000)) },
    {
      recipe: 'base64 of 4 MiB',
      input: { kind: 'dataset', title: 'Worst', content: 'A'.repeat(4 * 1024 * 1024), encoding: 'base64' },
    },
    { recipe: 'JSON of 99 KB', input: text(`[${'[],'.repeat(32_000)}0]`, 'dataset', 'application/json') },
    ...cedars().map(({ recipe, text: policy }) => ({ recipe, input: text(policy, 'policy') })),
  ]
}

/** Input patterns that are short to write and slow to evaluate. New ones each time, since they are cached. */
function manifests(): Tried[] {
  let made = 0
  const patterns = (count: number, pattern: (i: number) => string) => () => ({
    anyOf: Array.from({ length: count }, (_, i) => ({ pattern: `${++made}${pattern(i)}` })),
  })
  const all: readonly [recipe: string, input_schema: () => object][] = [
    ['a long class, 4,900 times', patterns(1, () => `[${'a'.repeat(90_000)}]{4900}`)],
    ['3,000 patterns', patterns(3_000, () => '')],
    ['20 classes, 950 times each', patterns(20, (i) => `[\\p{L}${i}]{950}`)],
  ]
  return all.map(([recipe, input_schema]) => {
    const steps = [{ kind: 'Audit', event_type: 'custom.worst', metadata: {} }]
    const input = () => ({
      manifest: { name: `worst-${++made}`, version: '1.0.0', input_schema: input_schema(), steps },
    })
    return { recipe, input: input(), renew: async () => input() }
  })
}

function messages(to: string): Tried[] {
  return [{ recipe: 'a body of 5 MiB', input: { to, body: { text: 'a'.repeat(5 * 1024 * 1024 - 1_024) } } }]
}

function backtests(): Tried[] {
  return cedars().map(({ recipe, text }) => ({
    recipe,
    input: { policy_id: 'worst', policy_body: text, decisions: 500 },
  }))
}

/** Cedar rules of the maximum length. */
function cedars(): { recipe: string; text: string }[] {
  const rule = (when: string) => `forbid(principal, action, resource) when { ${when} };`
  const filled = (piece: string) => piece.repeat(Math.floor(64_000 / piece.length))
  return [
    { recipe: 'Cedar: many rules', text: filled(rule('true')) },
    { recipe: 'Cedar: a long condition', text: rule(`${filled('true && ')}true`) },
    { recipe: 'Cedar: parentheses', text: rule(`${'('.repeat(2_000)}true${')'.repeat(2_000)}`) },
    { recipe: 'Cedar: a long set', text: rule(`[${filled('1,')}1].contains(1)`) },
  ]
}
