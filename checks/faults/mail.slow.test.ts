// kill -9 of the engine while mail is sent and received: QoS 1 loses nothing, QoS 2 neither loses nor
// duplicates, order is kept.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Answer, dispatch, freePorts, type RunningEngine } from '../engines/running-engine.ts'
import { until } from '../suite/eventually.ts'
import { stopwatch } from '../suite/real-time.ts'
import { announce, is_long, openChance, report } from './scene/chance.ts'
import { openScene } from './scene/scene.ts'

const kills = is_long ? 20 : 1
const messages_each = is_long ? 5_000 : 30
const senders = is_long ? 16 : 3
const consumers = 2
const visibility_ms = 3_000

// biome-ignore lint/suspicious/noExplicitAny: outputs of two operations
type Fields = Record<string, any>
type Ask = (operation: string, input: Fields) => Promise<Fields>

/** A sender's message, by its number. */
interface Numbered {
  readonly sender: number
  readonly n: number
}

interface Seen {
  /** In delivery order, including redeliveries. */
  readonly handed: Numbered[]
  /** Those the engine confirmed as acked. */
  readonly taken: Numbered[]
}

test("kill -9 loses no QoS 1 message, neither loses nor duplicates a QoS 2 message, and keeps each sender's order", {
  timeout: 1_800_000,
}, async (t) => {
  const chance = openChance()
  announce(t, import.meta.filename, 2 * messages_each, chance)
  const scene = openScene(t)
  const port = await freePorts()
  const env = { SVC_DB_URL: await scene.borrowDatabase() }
  let engine: RunningEngine = await scene.start('engine', { port, env })
  const elapsed_ms = stopwatch()
  const ask: Ask = async (operation, input) => {
    const answer: Answer = await until(`${operation} is answered`, () =>
      dispatch(engine, { protocol: 'MIM', operation, input }).then(
        (answer) => answer.status < 500 && answer,
        () => undefined,
      ),
    )
    assert.equal(answer.status, 200, `${operation}: ${JSON.stringify(answer.body)}`)
    return answer.body.output
  }
  const observed = { 1: { handed: [], taken: [] }, 2: { handed: [], taken: [] } } as Record<1 | 2, Seen>
  const work = ([1, 2] as const).flatMap((qos) => [
    ...Array.from({ length: senders }, (_, sender) => sendAll(ask, qos, sender)),
    ...Array.from({ length: consumers }, () => consume(ask, qos, observed[qos])),
  ])
  const working = Promise.all(work)
  working.catch(() => {})
  const done = () => observed[1].taken.length + observed[2].taken.length
  for (let kill = 1; kill <= kills; kill++) {
    const target = (2 * messages_each * (kill - chance.below(1000) / 1000)) / (kills + 1)
    await until('enough mail is taken', () => done() >= target)
    await engine.stop('SIGKILL')
    engine = await scene.start('engine', { port, env })
  }
  await working
  for (const qos of [1, 2] as const) requireLaws(qos, observed[qos])
  const left = await ask('message_receive', { mailbox: mailboxOf(1), mode: 'dead' })
  assert.deepEqual(left.backlog, { live: 0, dead: 0 })
  const again = observed[1].handed.length + observed[2].handed.length - 2 * messages_each
  const seconds = elapsed_ms() / 1000
  report(t, { kills, messages: 2 * messages_each, lost: 0, doubled: 0, handed_again: again, seconds })
  assert.equal(await engine.stop(), 0)
})

const mailboxOf = (qos: number) => `mailbox:kills-${qos}`

/** Retried with the same dedupe id until it is answered: one message, whatever was lost. */
async function sendAll(ask: Ask, qos: 1 | 2, sender: number): Promise<void> {
  for (let n = sender; n < messages_each; n += senders) {
    const key = { ordering_key: `sender ${sender}`, dedupe_id: `${sender} ${n}` }
    await ask('message_send', { to: mailboxOf(qos), body: { sender, n }, qos, ...key })
  }
}

async function consume(ask: Ask, qos: 1 | 2, { handed, taken }: Seen): Promise<void> {
  while (taken.length < messages_each) {
    const input = { mailbox: mailboxOf(qos), max: 100, wait_ms: 500, visibility_timeout_ms: visibility_ms }
    const { messages } = await ask('message_receive', input)
    handed.push(...messages.map(({ body }: Fields) => body))
    const ack = messages.map(({ receipt }: Fields) => receipt)
    if (ack.length === 0) continue
    // Sends the same receipts again if the answer was lost: same answer, one effect.
    const { acked } = await ask('message_receive', { mailbox: mailboxOf(qos), mode: 'peek', max: 1, ack })
    const mine = new Set(acked)
    taken.push(...messages.filter(({ receipt }: Fields) => mine.has(receipt)).map(({ body }: Fields) => body))
    if (qos === 2)
      await ask('message_receive', { mailbox: mailboxOf(qos), mode: 'peek', max: 1, release: acked })
  }
}

function requireLaws(qos: 1 | 2, { handed, taken }: Seen): void {
  const numbers = taken.map(({ n }) => n).toSorted((a, b) => a - b)
  assert.deepEqual(numbers, [...Array(messages_each).keys()], `QoS ${qos}: each is taken, and taken once`)
  for (let sender = 0; sender < senders; sender++) {
    const order = new Set(handed.filter((one) => one.sender === sender).map(({ n }) => n))
    assert.deepEqual(
      [...order],
      [...order].toSorted((a, b) => a - b),
      `QoS ${qos}: sender ${sender} in order`,
    )
  }
}
