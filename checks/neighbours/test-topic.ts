// A real broker for tests: create a topic, and read all of it.
import { randomUUID } from 'node:crypto'
import { Admin, Consumer, ListOffsetTimestamps, stringDeserializers } from '@platformatic/kafka'
import { arrives } from '../suite/eventually.ts'

export interface TopicMessage {
  readonly partition: number
  readonly offset: number
  readonly key: string
  readonly value: string
  readonly headers: Readonly<Record<string, string>>
}

export async function createTopic(broker: string, topic: string, partitions: number): Promise<void> {
  const admin = new Admin({ clientId: 'svc-test', bootstrapBrokers: [broker], retries: 10, retryDelay: 200 })
  await admin.createTopics({ topics: [topic], partitions, replicas: 1 })
  await admin.close()
}

/** Everything up to the current end of the partitions, each in order. */
export async function readTopic(broker: string, topic: string): Promise<TopicMessage[]> {
  const consumer = new Consumer({
    clientId: 'svc-test',
    groupId: `svc-test-${randomUUID()}`,
    bootstrapBrokers: [broker],
    deserializers: stringDeserializers,
    maxWaitTime: 50,
  })
  try {
    const ends = await consumer.listOffsets({ topics: [topic], timestamp: ListOffsetTimestamps.LATEST })
    const missing = new Map(ends.get(topic)!.map((end, partition) => [partition, Number(end)]))
    for (const [partition, end] of missing) if (end === 0) missing.delete(partition)
    if (missing.size === 0) return []
    const stream = await consumer.consume({ topics: [topic], mode: 'earliest', autocommit: false })
    const messages: TopicMessage[] = []
    const reading = async () => {
      for await (const { partition, offset, key, value, headers } of stream) {
        messages.push({ partition, offset: Number(offset), key, value, headers: Object.fromEntries(headers) })
        if (Number(offset) + 1 >= (missing.get(partition) ?? 0)) missing.delete(partition)
        if (missing.size === 0) break
      }
    }
    await arrives('the end of the topic', reading())
    return messages.sort((a, b) => a.partition - b.partition || a.offset - b.offset)
  } finally {
    await consumer.close(true)
  }
}
