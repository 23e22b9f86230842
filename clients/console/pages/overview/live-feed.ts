// The engine's live figures: the newest.
import { useEffect, useState } from 'react'
import type { LiveFigures } from '../../../../generated/sdk-types.ts'
import { base_url } from '../../api/base.ts'
import { useSession } from '../../shell/use-session.tsx'

export interface Feed {
  readonly newest: LiveFigures | undefined
  readonly state: 'connecting' | 'live' | 'away' | 'refused'
  /** Why the feed was refused. */
  readonly sentence?: string
}

const reopen_ms = 5_000

export function useLiveFeed(): Feed {
  const { fetch } = useSession()
  const [feed, setFeed] = useState<Feed>({ newest: undefined, state: 'connecting' })
  useEffect(() => {
    let source: EventSource
    let reopening: ReturnType<typeof setTimeout> | undefined
    let is_left = false
    const judge = ({ sentence, passes }: Refused) => {
      if (is_left) return
      if (!passes) return setFeed({ newest: undefined, state: 'refused', sentence })
      setFeed((before) => ({ ...before, state: 'away' }))
      reopening = setTimeout(open, reopen_ms)
    }
    const open = () => {
      source = new EventSource(`${base_url}/v1/live`)
      source.addEventListener('figures', ({ data }) => setFeed({ newest: JSON.parse(data), state: 'live' }))
      source.addEventListener('error', () => {
        // A closed source was refused; after any other error the connection is retried.
        if (source.readyState !== EventSource.CLOSED) setFeed((before) => ({ ...before, state: 'away' }))
        else void whyRefused(fetch).then(judge)
      })
    }
    open()
    return () => {
      is_left = true
      clearTimeout(reopening)
      source.close()
    }
  }, [fetch])
  return feed
}

interface Refused {
  readonly sentence: string
  /** The engine restarts or is full: the feed reconnects. */
  readonly passes: boolean
}

/** An event source does not expose the response; another request does. */
async function whyRefused(ask: typeof fetch): Promise<Refused> {
  const leaving = new AbortController()
  try {
    const answer = await ask(`${base_url}/v1/live`, { signal: leaving.signal })
    if (answer.ok || answer.status >= 500) return { sentence: '', passes: true }
    return { sentence: (await answer.json()).error.message, passes: answer.status === 429 }
  } catch {
    return { sentence: '', passes: true }
  } finally {
    leaving.abort()
  }
}
