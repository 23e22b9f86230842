// Any interleaving of sends, receives, answers and time, against a model without index, flag or lock.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { asOwner } from '@svc/audit/test-audit-log'
import { Refusal } from '@svc/contract/refusal'
import fc from 'fast-check'
import { is_long } from '../../../checks/faults/scene/chance.ts'
import { MailModel, type ModelAnswer } from '../../../checks/scenes/mail-model.ts'
import { type MailScene, mail_start_ms, mailDid, openMailScene } from '../../../checks/scenes/mail-scene.ts'

const runs = is_long ? 300 : 4
const handed_kept = 12
let scene: MailScene
before(async () => {
  scene = await openMailScene()
})
after(() => scene.test_store.close())

interface Sending {
  readonly do: 'send'
  readonly qos: 0 | 1 | 2
  readonly key: string | null
  readonly priority: number
  readonly ttl_ms: number
  readonly delay_ms: number
  readonly dedupe: number | null
}
interface Receiving {
  readonly do: 'receive'
  readonly max: number
  readonly visibility_ms: number
  readonly mode: 'live' | 'dead'
  readonly ack: readonly number[]
  readonly release: readonly number[]
  readonly nack: readonly { readonly nth: number; readonly delay_ms: number; readonly dead: boolean }[]
}
type Step = Sending | Receiving | { readonly do: 'wait'; readonly ms: number }

const nth = fc.nat({ max: 12 })
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('send' as const),
      qos: fc.constantFrom(0, 1, 2) as fc.Arbitrary<0 | 1 | 2>,
      key: fc.constantFrom(null, 'a', 'b'),
      priority: fc.constantFrom(4, 4, 9, 0),
      ttl_ms: fc.constantFrom(2_000, 20_000, 1_000_000),
      delay_ms: fc.constantFrom(0, 0, 0, 1_500),
      dedupe: fc.option(fc.nat({ max: 3 })),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('receive' as const),
      max: fc.integer({ min: 1, max: 4 }),
      visibility_ms: fc.constantFrom(1_000, 5_000),
      mode: fc.constantFrom('live', 'live', 'live', 'dead') as fc.Arbitrary<'live' | 'dead'>,
      ack: fc.array(nth, { maxLength: 2 }),
      release: fc.array(nth, { maxLength: 2 }),
      nack: fc.array(fc.record({ nth, delay_ms: fc.constantFrom(0, 700), dead: fc.boolean() }), {
        maxLength: 1,
      }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('wait' as const),
      ms: fc.constantFrom(500, 1_000, 5_000, 15_000),
    }),
  },
)

interface History {
  readonly mailbox: string
  readonly model: MailModel
  /** The first few deliveries with a receipt, so that they are answered repeatedly. */
  readonly handed: Handed[]
  now_ms: number
}
interface Handed {
  readonly receipt: string
  readonly answer: ModelAnswer
}

const who = mailDid('a')
let boxes = 0

/** Runs one history in its own mailbox, step by step with the model; results must match to the last id. */
async function live(steps: readonly Step[]): Promise<void> {
  const history: History = {
    mailbox: `mailbox:model-${++boxes}`,
    model: new MailModel(),
    handed: [],
    now_ms: mail_start_ms,
  }
  for (const [place, done] of steps.entries()) {
    if (done.do === 'wait') history.now_ms += done.ms
    else if (done.do === 'send') await sendBoth(history, done, place)
    else await receiveBoth(history, done)
  }
  const { mailbox, model, now_ms } = history
  model.settle(now_ms)
  await scene.receive(who, { mailbox, mode: 'peek' }, now_ms)
  assert.deepEqual(await statesOf(mailbox), model.states())
}

async function sendBoth({ mailbox, model, now_ms }: History, step: Sending, place: number): Promise<void> {
  const { qos, priority, ttl_ms, delay_ms, key, dedupe } = step
  const dedupe_id = dedupe === null ? (qos === 2 ? `only-${place}` : undefined) : `d${dedupe}`
  const optional = { ...(key && { ordering_key: key }), ...(dedupe_id && { dedupe_id }) }
  const times = { ttl_ms, deliver_after_ms: delay_ms }
  const sent = await scene.send(
    who,
    { to: mailbox, body: place, qos, priority, ...times, ...optional },
    now_ms,
  )
  const expected = model.send({ ...step, id: sent.message_id, dedupe_id, now_ms })
  const { duplicate, seq, message_id: id } = sent
  assert.deepEqual({ duplicate, seq, id }, expected)
}

async function receiveBoth({ mailbox, model, handed, now_ms }: History, step: Receiving): Promise<void> {
  const { max, mode, visibility_ms } = step
  const answers = answersOf(step, handed)
  const that = (wanted_kind: string) => answers.filter(({ kind }) => kind === wanted_kind)
  const output = await scene.receive(
    who,
    {
      mailbox,
      max,
      mode,
      visibility_timeout_ms: visibility_ms,
      ack: that('ack').map(({ receipt }) => receipt),
      release: that('release').map(({ receipt }) => receipt),
      nack: that('nack').map(({ receipt, delay_ms, dead }) => ({ receipt, delay_ms, dead })),
    },
    now_ms,
  )
  const expected = model.receive({ ...step, answers, now_ms })
  const { acked, released, nacked, stale, unreleased, backlog } = output
  const actual = {
    seen: output.messages.map(({ message_id: id, attempt, seq }) => ({ id, attempt, seq })),
    said: [acked, released, nacked, stale].map((list) => list.toSorted()),
    unreleased: unreleased.map(({ message_id }) => message_id),
    backlog,
  }
  const answers_expected = expected.said.map((list) => [...new Set(list)].toSorted())
  assert.deepEqual(actual, { ...expected, said: answers_expected })
  for (const { message_id: id, receipt, attempt } of output.messages)
    if (receipt && handed.length < handed_kept) handed.push({ receipt, answer: { id, attempt } })
}

function answersOf({ ack, release, nack }: Receiving, handed: readonly Handed[]) {
  if (handed.length === 0) return []
  const answers = [
    ...ack.map((n) => ({ kind: 'ack' as const, nth: n, delay_ms: 0, dead: false })),
    ...release.map((n) => ({ kind: 'release' as const, nth: n, delay_ms: 0, dead: false })),
    ...nack.map((one) => ({ kind: 'nack' as const, ...one })),
  ]
  return answers.map(({ nth: n, ...one }) => {
    const { receipt, answer } = handed[n % handed.length]!
    return { ...one, ...answer, receipt }
  })
}

const statesOf = (mailbox: string) =>
  asOwner(scene.test_store.database.url, async (owner) => {
    const { rows } = await owner.query(
      `SELECT state, count(*)::int AS n FROM mail_messages WHERE mailbox = $1 GROUP BY state`,
      [mailbox],
    )
    return Object.fromEntries(rows.map(({ state, n }) => [state, n]))
  })

test('for any history mail behaves like its model, and no message is lost or duplicated', async () => {
  await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 15, maxLength: 40 }), live), { numRuns: runs })
})

test('concurrent sends to one mailbox: each message is received once, each key in order, no deadlock', async () => {
  const mailbox = 'mailbox:crowd'
  const [senders, each] = [4, 8]
  const sendAll = async (sender: number) => {
    for (let n = 0; n < each; n++)
      await scene.send(who, {
        to: [mailbox, 'mailbox:crowd-copy'],
        body: { sender, n },
        ordering_key: `k${sender % 2}`,
      })
  }
  const received: { sender: number; n: number }[] = []
  const consume = async () => {
    for (let looks = 0; received.length < senders * each; looks++) {
      assert.ok(looks < 1_000, 'everything is handed out in the end')
      const { messages } = await scene.receive(who, { mailbox })
      received.push(...messages.map(({ body }) => body as { sender: number; n: number }))
      await scene.receive(who, {
        mailbox,
        mode: 'peek',
        max: 1,
        ack: messages.map(({ receipt }) => receipt!),
      })
    }
  }
  await Promise.all([0, 1, 2, 3].map(sendAll).concat([consume(), consume(), consume()]))
  for (let sender = 0; sender < senders; sender++) {
    const order = received.filter((one) => one.sender === sender).map(({ n }) => n)
    assert.deepEqual(order, [...Array(each).keys()])
  }
  assert.deepEqual(await statesOf(mailbox), { acked: senders * each })
})

test('messages and bytes per mailbox, and mailboxes per organization, are limited', async () => {
  const to = 'mailbox:full'
  const setTo = (columns: string) =>
    asOwner(scene.test_store.database.url, (owner) =>
      owner.query(`UPDATE mailboxes SET ${columns} WHERE mailbox = '${to}'`),
    )
  const isFull = (reason: string) => (thrown: unknown) =>
    thrown instanceof Refusal && thrown.code === 'policy_denied' && thrown.details.reason === reason
  await scene.send(who, { to, body: 1, ttl_ms: 1_000 })
  await setTo('live = 99999')
  await scene.send(who, { to, body: 2 })
  await assert.rejects(scene.send(who, { to: [to, 'mailbox:beside'], body: 3 }), isFull('mailbox full'))
  // One has expired meanwhile, so one more fits.
  await scene.send(who, { to, body: 4 }, mail_start_ms + 1_000)
  await assert.rejects(scene.send(who, { to, body: 5 }, mail_start_ms + 1_000), isFull('mailbox full'))
  await setTo(`live = 2, bytes = ${1024 ** 3 - 1}`)
  await scene.send(who, { to, body: 6 })
  await assert.rejects(scene.send(who, { to, body: 7 }), isFull('mailbox full'))
  assert.deepEqual(await statesOf('mailbox:beside'), {}, 'all of a send or nothing')
  await asOwner(scene.test_store.database.url, (owner) =>
    owner.query(`INSERT INTO mailboxes (tenant_id, mailbox, owner_did, opened_at)
      SELECT 'crowded', 'mailbox:' || n, 'x', now() FROM generate_series(1, 20000) n`),
  )
  const guest = mailDid('b', 'crowded')
  await assert.rejects(scene.send(guest, { to: 'mailbox:new', body: 1 }), isFull('too many mailboxes'))
  assert.equal((await scene.send(guest, { to: 'mailbox:1', body: 1 })).seq, 1)
})
