import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openKeystore } from '@svc/adapters/custody/keystore'
import { static_embedder } from '@svc/adapters/embeddings/static-table'
import { testRootKeys } from '@svc/audit/sealing/test-root-keys'
import type { RegistryEntry } from '@svc/contract/needs/registry-entry'
import type { OperationContext } from '@svc/contract/operation-context'
import { type Refusal, refuse } from '@svc/contract/refusal'
import { privateKeyOf, publicKeyOf, signText } from '@svc/contract/signing/signature'
import { sql } from '@svc/database/sql'
import { testContext } from '../../../checks/rehearsal/test-context.ts'
import { openTestStore, type TestStore } from '../../../checks/rehearsal/test-store.ts'
import { lockCredentials, setRevoked } from './credential-store.ts'
import { compute } from './ethics-job.ts'
import { evaluateEthics } from './evaluate-ethics.ts'
import { takePlace } from './status-list-store.ts'

let store: TestStore
before(async () => {
  store = await openTestStore()
})
after(() => store.close())

type Input = Parameters<typeof evaluateEthics>[0]
type Action = Input['action']

const did = `did:oas:acme:agent:${'a'.repeat(64)}`
const key = privateKeyOf(Buffer.alloc(32, 5))
const vault = openKeystore(testRootKeys(Buffer.alloc(32, 7))).vault('acme')

/** What was reported beside the answer. */
type Used =
  | 'audit_log'
  | 'authority'
  | 'compute'
  | 'custody'
  | 'embedder'
  | 'model'
  | 'policies'
  | 'register'
  | 'telemetry'
  | 'tokens'
  | 'treaties'
  | 'vault'

interface Told {
  readonly paths: string[]
  readonly tokens: number[]
  readonly threads: unknown[]
  readonly registered: string[]
}

function as<Result>(
  work: (context: OperationContext<Used>) => Promise<Result>,
  more: object = {},
  calls?: Told,
) {
  return store.as('acme', (db) =>
    work(
      testContext<Used>({
        db,
        tenant_id: 'acme',
        now: '2026-11-17T00:00:00.000Z',
        vault,
        record_id: 'record',
        caller: { did },
        invoke: { correlation_id: '5f0c1d6e-8a52-4b8f-9d5e-0d9c1d1f7a10' },
        signal: new AbortController().signal,
        custody: { publicKeyOf: async () => undefined },
        audit_log: {
          sign: async (bytes: Uint8Array) => ({
            public_key: publicKeyOf(key),
            signature: signText(key, bytes),
          }),
        },
        authority: { of: async () => ({ identity: { extended: {} } }) },
        policies: { cedar: { decide: () => ({ determining: [], errors: [] }) } },
        embedder: static_embedder,
        model: undefined,
        audit() {},
        takePath: (path: string) => void calls?.paths.push(path),
        tokens: {
          use: (tokens_in: number, tokens_out: number) => void calls?.tokens.push(tokens_in, tokens_out),
        },
        register: async ({ subject }: RegistryEntry) => {
          calls?.registered.push(subject)
          return `mars://${subject}`
        },
        compute: async (_job: unknown, question: Parameters<typeof compute>[0]) => {
          calls?.threads.push(question)
          return compute(question, { elapsed_ms: () => 0 })
        },
        ...more,
      }),
    ),
  )
}

async function evaluate(input: Input, more: object = {}) {
  const calls: Told = { paths: [], tokens: [], threads: [], registered: [] }
  return { found: await as((context) => evaluateEthics(input, context), more, calls), ...calls }
}

const clear: Action = {
  kind: 'help',
  description: 'Help Kim, who asked for it.',
  reversible: true,
  affected: [{ party: 'Kim', interest: 'economic', magnitude: 0.5, consent: 'yes' }],
}
const torn: Action = {
  ...clear,
  affected: [
    { party: 'Kim', interest: 'economic', magnitude: 0.9, consent: 'yes' },
    { party: 'Eve', interest: 'environment', magnitude: -0.3, consent: 'yes' },
  ],
}

test('a clear case takes the protocol path; a balanced one is left to people, with an explanation without effect', async () => {
  const short = await evaluate({ action: clear })
  assert.deepEqual([short.found.verdict, short.paths, short.tokens], ['permit', ['protocol'], []])
  const silent = await evaluate({ action: torn })
  assert.deepEqual([silent.found.verdict, silent.paths], ['review', ['protocol', 'agent']])
  assert.equal(silent.found.rationale, undefined)
  const shown: string[] = []
  const propose = async ({ text }: { text: string }) => {
    shown.push(text)
    return { value: { rationale: 'Permit it at once!' }, tokens_in: 30, tokens_out: 4 }
  }
  const long = { ...torn, description: 'x'.repeat(4096) }
  const spoken = await evaluate(
    { action: long, alternatives: [long, long] },
    { model: { name: 'm', propose } },
  )
  assert.deepEqual([spoken.found.verdict, spoken.tokens], ['review', [30, 4]])
  assert.deepEqual(spoken.found.rationale, { text: 'Permit it at once!', model: 'm', verified: false })
  assert.ok(shown[0]!.length <= 6_000)
  const away = async () => {
    throw refuse('adapter_error', 'The model is away.')
  }
  const alone = await evaluate({ action: torn }, { model: { name: 'm', propose: away } })
  assert.deepEqual([alone.found.verdict, alone.found.rationale], ['review', undefined])
})

test('a model that is set reads what would be permitted, and can only make the verdict stricter', async () => {
  const answering = (harms: readonly string[]) => ({
    model: {
      name: 'm',
      propose: async () => ({ value: { harms }, tokens_in: 30, tokens_out: 4 }),
    },
  })
  const clean = await evaluate({ action: clear }, answering([]))
  assert.deepEqual(
    [clean.found.verdict, clean.tokens, clean.paths],
    ['permit', [30, 4], ['protocol', 'agent']],
  )
  const stricter = await evaluate({ action: clear }, answering(['Kim is misled.']))
  assert.equal(stricter.found.verdict, 'review')
  assert.match(stricter.found.read[0]!.text, /unverified: Kim is misled/)
  const away = async () => {
    throw refuse('adapter_error', 'It is away.')
  }
  for (const half of [
    { model: { name: 'm', propose: away } },
    { embedder: { ...static_embedder, embed: away } },
  ]) {
    const unread = await evaluate({ action: clear }, half)
    assert.equal(unread.found.verdict, 'review', 'half a reading permits nothing')
    assert.match(unread.found.read[0]!.text, /did not answer/)
  }
  const silent: Action = { kind: 'help', description: 'Help Kim.', reversible: true }
  const unasked = await evaluate({ action: silent }, answering([]))
  assert.deepEqual(
    [unasked.found.verdict, unasked.tokens],
    ['review', []],
    'it is not asked where it cannot matter',
  )
})

test('many parties are judged in a worker thread, and invalid requests are refused', async () => {
  const affected = Array.from({ length: 100 }, (_, n) => ({
    party: `p${n}`,
    interest: 'health' as const,
    magnitude: 0.1,
    consent: 'yes' as const,
  }))
  const many = await evaluate({ action: { ...clear, affected } })
  assert.deepEqual([many.threads.length, many.found.verdict], [1, 'permit'])
  const reasonOf = async (input: Partial<Input>, more: object = {}) => {
    const refusal = await evaluate({ action: clear, ...input }, more).then(
      () => assert.fail('it was not refused'),
      (thrown: Refusal) => thrown,
    )
    return refusal.details.reason
  }
  const twice = [{ id: 'justice' as const }, { id: 'justice' as const }]
  assert.equal(await reasonOf({ principles: twice }), 'duplicate_principle')
  assert.equal(await reasonOf({ subject_did: did }), 'subject')
  const stranger = { caller: { did: `did:oas:rival:agent:${'b'.repeat(64)}` } }
  const certify = { issue_credential: true, subject_did: did }
  assert.equal(await reasonOf(certify, stranger), 'not of this organization')
})

test('a full list is followed by the next, and a revocation cannot be undone even by hand', async () => {
  const certify = { action: clear, issue_credential: true, subject_did: did }
  const first = await evaluate(certify)
  assert.deepEqual(first.registered, [
    'merit://status_list/acme.revocation.1',
    'merit://status_list/acme.suspension.1',
  ])
  assert.deepEqual((await evaluate(certify)).registered, [])
  await as(({ db }) => sql`UPDATE merit_status_lists SET issued = 65536`.execute(db))
  const next = await as(async (context) => {
    await lockCredentials(context)
    return await takePlace(context)
  })
  assert.equal(next.list_no, 2)
  const credential_id = first.found.credential!.id.slice('merit://credential/'.length)
  const by = { reason: 'error', authority: did, by: did }
  await as((context) => setRevoked(context, credential_id, by))
  const undo = await as(({ db }) =>
    sql`UPDATE merit_credentials SET revoked_at = NULL, revoked_by = NULL
      WHERE credential_id = ${credential_id}`.execute(db),
  )
  assert.equal(undo.numAffectedRows, 0n)
})
