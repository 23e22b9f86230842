// Messages per second at each QoS through dispatch, side by side: sent, received in batches, and
// acknowledged. And what one client sends: one message after the other, and in batches.
import type { Engine } from '@svc/engine/dispatch'
import { startInProcess } from '../engines/in-process.ts'

const rounds = 5
const messages = 600
const at_once = 8
const batch = 50
/** Parallel mailboxes; each is locked while it changes, so this is the concurrency. */
const mailboxes = 4
/** By one client that waits for each answer. */
const alone = 100
const batches = 10
const batch_sent = 100

interface Caller {
  readonly did: string
  readonly tenant_id: string
}

interface Measured {
  readonly qos: number
  readonly send_per_s: number
  readonly receive_per_s: number
  readonly through_per_s: number
}

export async function measureMail(): Promise<Record<string, unknown>> {
  const service = await startInProcess({ check_outputs: false, config: { limits: 'off' } })
  const { engine, audit_log } = service.service
  const caller = { did: service.agent_did, tenant_id: service.tenant_id }
  const measured: Measured[] = []
  const clients: OneClient[] = []
  try {
    await audit_log.ready(caller.tenant_id)
    // The first round warms up; the others alternate, so that all have the same conditions.
    for (let round = 0; round <= rounds; round++)
      for (const qos of [0, 1, 2]) {
        const one = await measure(engine, caller, qos, round)
        if (round > 0) measured.push(one)
      }
    for (let round = 0; round <= rounds; round++) {
      const client = await measureOneClient(engine, caller, round)
      if (round > 0) clients.push(client)
    }
  } finally {
    await service.stop()
  }
  const [zero, one, two] = [0, 1, 2].map((qos) => medians(measured.filter((run) => run.qos === qos)))
  for (const { qos, send_per_s, receive_per_s, through_per_s } of [zero!, one!, two!])
    console.log(
      `mail, QoS ${qos}: ${send_per_s.toFixed(0)} sent a second, ${receive_per_s.toFixed(0)} received and acknowledged ` +
        `(batches of ${batch}), ${through_per_s.toFixed(0)} from end to end`,
    )
  const ratios = {
    qos_1: one!.through_per_s / zero!.through_per_s,
    qos_2: two!.through_per_s / zero!.through_per_s,
  }
  console.log(`mail: QoS 1 is ${ratios.qos_1.toFixed(2)} times QoS 0, QoS 2 ${ratios.qos_2.toFixed(2)} times`)
  const client = {
    single_per_s: median(clients.map(({ single_per_s }) => single_per_s)),
    batch_per_s: median(clients.map(({ batch_per_s }) => batch_per_s)),
    batch_ratio: median(clients.map(({ single_per_s, batch_per_s }) => batch_per_s / single_per_s)),
  }
  console.log(
    `mail, one client: ${client.single_per_s.toFixed(0)} sent a second one by one, ` +
      `${client.batch_per_s.toFixed(0)} in batches of ${batch_sent}: ${client.batch_ratio.toFixed(1)} times`,
  )
  return { measured: [zero, one, two], ratios, client }
}

interface OneClient {
  readonly single_per_s: number
  readonly batch_per_s: number
}

async function measureOneClient(engine: Engine, caller: Caller, round: number): Promise<OneClient> {
  const message = (to: string, number: number) => ({
    to,
    body: { number, text: 'a message as long as most of them are' },
    dedupe_id: `n${number}`,
  })
  const begun = performance.now()
  for (let n = 0; n < alone; n++)
    await dispatch(engine, caller, 'message_send', message(`mailbox:alone-${round}`, n))
  const between = performance.now()
  for (let n = 0; n < batches; n++) {
    const to = `mailbox:batches-${round}`
    const messages = Array.from({ length: batch_sent }, (_, m) => message(to, n * batch_sent + m))
    await dispatch(engine, caller, 'message_send_many', { messages })
  }
  const ended = performance.now()
  return {
    single_per_s: alone / ((between - begun) / 1_000),
    batch_per_s: (batches * batch_sent) / ((ended - between) / 1_000),
  }
}

async function measure(engine: Engine, caller: Caller, qos: number, round: number): Promise<Measured> {
  const boxes = Array.from({ length: mailboxes }, (_, n) => `mailbox:bench-${qos}-${round}-${n}`)
  let next = 0
  const send = async () => {
    while (next < messages) {
      const n = next++
      const body = { number: n, text: 'a message as long as most of them are' }
      await dispatch(engine, caller, 'message_send', {
        to: boxes[n % mailboxes],
        body,
        qos,
        dedupe_id: `n${n}`,
      })
    }
  }
  const begun = performance.now()
  await Promise.all(Array.from({ length: at_once }, send))
  const sent = performance.now()
  await Promise.all(boxes.map((mailbox) => drain(engine, caller, mailbox, qos)))
  const ended = performance.now()
  const perSecond = (ms: number) => messages / (ms / 1_000)
  return {
    qos,
    send_per_s: perSecond(sent - begun),
    receive_per_s: perSecond(ended - sent),
    through_per_s: perSecond(ended - begun),
  }
}

/** Each call acknowledges the previous delivery. */
async function drain(engine: Engine, caller: Caller, mailbox: string, qos: number): Promise<void> {
  let ack: string[] = []
  let release: string[] = []
  for (let left = messages / mailboxes; left > 0 || ack.length + release.length > 0; ) {
    const input = { mailbox, max: batch, ...(qos > 0 && { ack }), ...(qos === 2 && { release }) }
    const output = await dispatch(engine, caller, 'message_receive', input)
    release = qos === 2 ? ack : []
    ack = output.messages.flatMap(({ receipt }) => receipt ?? [])
    left -= output.messages.length
  }
}

function medians(runs: readonly Measured[]): Measured {
  return {
    qos: runs[0]!.qos,
    send_per_s: median(runs.map((run) => run.send_per_s)),
    receive_per_s: median(runs.map((run) => run.receive_per_s)),
    through_per_s: median(runs.map((run) => run.through_per_s)),
  }
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!
}

interface Output {
  readonly messages: readonly { readonly receipt?: string }[]
}

async function dispatch(engine: Engine, caller: Caller, operation: string, input: unknown): Promise<Output> {
  const { did, tenant_id } = caller
  const outcome = await engine.dispatch({
    request: { protocol: 'MIM', version: 'v1', operation, input, tenant_id },
    credential: { key_id: 'bench000', did, tenant_id, tier: 'sovereign', capabilities: [] },
    origin: 'http',
  })
  if (outcome.kind !== 'success') throw new Error(`a call failed: ${JSON.stringify(outcome)}`)
  return JSON.parse(outcome.output_text)
}
