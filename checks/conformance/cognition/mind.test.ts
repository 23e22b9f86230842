// MIND over HTTP: memories are recalled by their owner for as long as they last.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type InProcessService, startInProcess } from '../../engines/in-process.ts'
import { type Addresses, dispatch } from '../../engines/running-engine.ts'
import { assertRefusal, assertSuccess } from '../dispatch/expectations.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into outputs of every shape
type Fields = Record<string, any>

let service: InProcessService

before(async () => {
  service = await startInProcess()
})
after(() => service.stop())

const ask = (operation: string, input: unknown, who: Addresses = service) =>
  dispatch(who, { protocol: 'MIND', operation, input })
const done = async (operation: string, input: unknown, who?: Addresses): Promise<Fields> =>
  assertSuccess(await ask(operation, input, who)).output
const store = (payload: Fields, more: Fields = {}, who?: Addresses) =>
  done('store_memory', { kind: 'episodic', payload, ...more }, who)
const recall = async (predicate: Fields, more: Fields = {}, who?: Addresses): Promise<Fields[]> =>
  (await done('recall_memory', { predicate, ...more }, who)).memories
const about = (text: string, more: Fields = {}, who?: Addresses) => recall({ semantic: { text } }, more, who)

test('a query finds the memory that answers it without common words, and says why', async () => {
  const namespace = 'paraphrase'
  const late = await store(
    { text: 'The supplier told us that the pumps arrive two days late.' },
    { namespace },
  )
  await store({ text: 'The canteen serves fish on Fridays.' }, { namespace })
  await store({ text: 'Rosa has painted the office green.' }, { namespace })
  const [best] = await about('Which delivery is delayed?', { namespace, explain: true })
  assert.equal(best!.memory_id, late.memory_id)
  assert.equal(best!.why.vector_rank, 1)
  const [misspelled] = await about('Rosaa', { namespace })
  assert.deepEqual(misspelled?.payload, { text: 'Rosa has painted the office green.' })
  const without = await about('office -green or fish', { namespace, limit: 1 })
  assert.deepEqual(without[0]?.payload, { text: 'The canteen serves fish on Fridays.' })
  const records = await service.records(service.tenant_id, { event_types: ['MemoryStored'] })
  const record = records.find(({ meta }) => meta.ref === late.ref)
  assert.equal(record?.meta.content_commitment, late.content_commitment)
  assert.ok(!JSON.stringify(records).includes('pumps'), 'no content in the audit log')
})

test('another organization finds nothing, and cannot detect what exists', async () => {
  const secret = await store({ text: 'Our secret is the mustard.' }, { namespace: 'secret' })
  const stranger = await service.newCaller({ tenant_id: 'stranger' })
  assert.deepEqual(await about('secret mustard', {}, stranger), [])
  const own = await store({ text: 'mine' }, {}, stranger)
  const asking = (target: string) =>
    ask('associate_memories', { source: own.ref, target, relation: 'near' }, stranger)
  const [theirs, nobodys] = [await asking(secret.ref), await asking(secret.ref.replace(/.$/, 'x'))]
  const expected = { code: 'invalid_payload', stage: 7, reason: 'not_found' } as const
  for (const answer of [theirs, nobodys]) assertRefusal(answer, expected)
})
