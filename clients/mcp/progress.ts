// Progress of an operation as MCP progress, whose number must increase.
import type { ServerContext } from '@modelcontextprotocol/server'

const notifications_max = 1_000

type OnProgress = (event: Readonly<Record<string, unknown>>) => void

/** Undefined if the client did not request progress. */
export function progressTo({ mcpReq }: ServerContext): OnProgress | undefined {
  const progressToken = mcpReq._meta?.progressToken
  if (progressToken === undefined) return undefined
  let sent = 0
  let progress = 0
  return ({ message, fraction }) => {
    if (sent++ >= notifications_max || mcpReq.signal.aborted) return
    const reported = typeof fraction === 'number' && fraction <= 1 ? fraction : 0
    // Without a larger fraction, the number increases by a small step.
    progress = Math.max(reported, progress + (1 - progress) / notifications_max)
    const params = {
      progressToken,
      progress,
      total: 1,
      ...(typeof message === 'string' ? { message } : {}),
    }
    // Lost notifications do not matter; only the result does.
    mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined)
  }
}
