// Reads GET /v1/live as a client: event by event, each checked against its schema.
import assert from 'node:assert/strict'
import { LiveFigures } from '@svc/contract/live'
import { Compile } from 'typebox/compile'
import type { Addresses } from '../engines/running-engine.ts'

const shape = Compile(LiveFigures)

export interface LiveFeed {
  next(): Promise<LiveFigures>
  /** Events until they report this many calls since it was opened. */
  until(calls: number): Promise<LiveFigures[]>
  /** The reason in the stream's last event. */
  ended(): Promise<string>
  close(): Promise<void>
}

export async function openLiveFeed(
  caller: Addresses,
  credentials: Record<string, string> = {
    authorization: `Bearer ${caller.api_key}`,
    'x-agent-did': caller.agent_did,
  },
): Promise<LiveFeed> {
  const response = await fetch(`${caller.api_url}/v1/live`, { headers: credentials })
  assert.equal(response.status, 200)
  assert.match(response.headers.get('content-type')!, /^text\/event-stream/)
  const events = readEvents(response)
  const nextOf = async (name: string) => {
    for (;;) {
      const { value, done } = await events.next()
      assert.ok(!done, `the stream ended before an event ${name}`)
      if (value.event === name) return JSON.parse(value.data)
    }
  }
  const next = async () => {
    const figures: unknown = await nextOf('figures')
    assert.ok(shape.Check(figures), JSON.stringify(shape.Errors(figures)[0]))
    return figures
  }
  return {
    next,
    async until(calls) {
      const received: LiveFigures[] = []
      while (received.reduce((sum, { second }) => sum + second.calls, 0) < calls) received.push(await next())
      return received
    },
    ended: async () => ((await nextOf('end')) as { reason: string }).reason,
    close: async () => void (await events.return(undefined)),
  }
}

interface ServerEvent {
  readonly event: string
  readonly data: string
}

/** Keeps the response: `fetch` cancels the body of one that is garbage collected before it is read. */
async function* readEvents(response: Response): AsyncGenerator<ServerEvent, undefined> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of response.body!) {
    text += decoder.decode(chunk, { stream: true })
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const lines = text.slice(0, end).split('\n')
      text = text.slice(end + 2)
      const field = (name: string) =>
        lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2)
      const [event, data] = [field('event'), field('data')]
      if (event !== undefined && data !== undefined) yield { event, data }
    }
  }
}
