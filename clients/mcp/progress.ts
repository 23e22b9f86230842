// What an operation says while it runs, as MCP's progress: a number that only ever grows.
import type { ServerContext } from '@modelcontextprotocol/server'

const notifications_max = 1_000

type OnProgress = (event: Readonly<Record<string, unknown>>) => void

/** Undefined where the client did not ask to be told. */
export function progressTo({ mcpReq }: ServerContext): OnProgress | undefined {
  const progressToken = mcpReq._meta?.progressToken
  if (progressToken === undefined) return undefined
  let sent = 0
  let progress = 0
  return ({ message, fraction }) => {
    if (sent++ >= notifications_max || mcpReq.signal.aborted) return
    const reported = typeof fraction === 'number' && fraction <= 1 ? fraction : 0
    // An operation that cannot tell how far it is, or said so before, moves on by a hair.
    progress = Math.max(reported, progress + (1 - progress) / notifications_max)
    const params = {
      progressToken,
      progress,
      total: 1,
      ...(typeof message === 'string' ? { message } : {}),
    }
    // Whoever no longer listens misses it; the result is what counts.
    mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined)
  }
}
