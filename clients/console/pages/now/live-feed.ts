// The engine's live figures: the newest, and enough of those before it for a drawing.
import { useEffect, useState } from 'react'
import type { LiveFigures } from '../../../../generated/sdk-types.ts'
import { base_url } from '../../api/base.ts'
import { keepNewest } from './kept-figures.ts'

export interface Feed {
  /** The oldest first. */
  readonly kept: readonly LiveFigures[]
  readonly state: 'connecting' | 'live' | 'away' | 'refused'
  /** Why nothing is told, where it was refused. */
  readonly sentence?: string
}

export function useLiveFeed(): Feed {
  const [feed, setFeed] = useState<Feed>({ kept: [], state: 'connecting' })
  useEffect(() => {
    const source = new EventSource(`${base_url}/v1/live`)
    source.addEventListener('figures', ({ data }) =>
      setFeed(({ kept }) => ({ kept: keepNewest(kept, JSON.parse(data)), state: 'live' })),
    )
    source.addEventListener('error', () => {
      // A closed source was refused; any other error is a connection that comes back by itself.
      if (source.readyState !== EventSource.CLOSED) setFeed((before) => ({ ...before, state: 'away' }))
      else void whyRefused().then((sentence) => setFeed({ kept: [], state: 'refused', sentence }))
    })
    return () => source.close()
  }, [])
  return feed
}

/** An event source does not tell what it was answered with; asking once more does. */
async function whyRefused(): Promise<string> {
  const leaving = new AbortController()
  try {
    const answer = await fetch(`${base_url}/v1/live`, { signal: leaving.signal })
    if (answer.ok) return 'The connection was closed; open this page again.'
    return (await answer.json()).error.message
  } catch {
    return 'The engine does not answer; open this page again shortly.'
  } finally {
    leaving.abort()
  }
}
