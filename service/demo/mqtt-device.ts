// A device at the engine's own broker: as little of MQTT 3.1.1 as it takes to say something (CONNECT and PUBLISH with QoS 1).
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

export interface DeviceLogin {
  /** Also its client id. */
  readonly name: string
  readonly password: string
}

export interface MqttDevice {
  /** Resolves once the broker has it. */
  publish(topic: string, payload: object, retain?: boolean): Promise<void>
}

const packet = { connect: 0x10, publish: 0x32, retained: 0x01, connack: 2, puback: 4 } as const
const protocol = Buffer.from([0, 4, 0x4d, 0x51, 0x54, 0x54, 4])
/** User, password, and a new session; it never has to say that it is still there. */
const wishes = Buffer.from([0xc2, 0, 0])
const packet_ids = 0xffff

export async function connectDevice(port: number, { name, password }: DeviceLogin): Promise<MqttDevice> {
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  const next = answersOf(socket)
  socket.write(framed(packet.connect, [protocol, wishes, text(name), text(name), text(password)]))
  const [kind, , , code] = await next()
  if (kind! >> 4 !== packet.connack || code !== 0) throw new Error('the broker refused a device')
  let id = 0
  let before: Promise<unknown> = Promise.resolve()
  return {
    publish(topic, payload, retain = false) {
      const sent = before.then(async () => {
        id = (id % packet_ids) + 1
        const body = [text(topic), Buffer.from([id >> 8, id & 0xff]), Buffer.from(JSON.stringify(payload))]
        socket.write(framed(packet.publish | (retain ? packet.retained : 0), body))
        const [answer] = await next()
        if (answer! >> 4 !== packet.puback) throw new Error('the broker did not take a report')
      })
      before = sent.catch(() => undefined)
      return sent
    },
  }
}

/** Packets in the order in which they come: those that answer these two have four bytes each. */
function answersOf(socket: Socket): () => Promise<Buffer> {
  const bytes_each = 4
  const chunks = socket[Symbol.asyncIterator]()
  let arrived = Buffer.alloc(0)
  return async () => {
    while (arrived.length < bytes_each) {
      const { value, done } = await chunks.next()
      if (done) throw new Error('the broker has closed the connection')
      arrived = Buffer.concat([arrived, value])
    }
    const answer = arrived.subarray(0, bytes_each)
    arrived = arrived.subarray(bytes_each)
    return answer
  }
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value)
  return Buffer.concat([Buffer.from([bytes.length >> 8, bytes.length & 0xff]), bytes])
}

/** Its length in digits of seven bits, the lowest first. */
function framed(kind: number, parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts)
  const digits: number[] = []
  let left = body.length
  do {
    digits.push((left & 0x7f) | (left > 0x7f ? 0x80 : 0))
    left >>= 7
  } while (left > 0)
  return Buffer.concat([Buffer.from([kind, ...digits]), body])
}
