// The common display of times, hashes, DIDs, states and amounts.
import { useState } from 'react'
import { shortened } from './shorten.ts'

export function When({ at }: { at: string | null | undefined }) {
  if (!at) return <span className="quiet">never</span>
  const text = at.replace('T', ' ').replace(/(\.\d+)?Z$/, '')
  return (
    <time dateTime={at} title={`${at} (UTC)`}>
      {text}
    </time>
  )
}

/** Shortened on screen; complete in the clipboard, the title and for screen readers. */
export function Long({ text, chars = 12 }: { text: string; chars?: number }) {
  const [copied, setCopied] = useState(false)
  const copy = async () => {
    await navigator.clipboard.writeText(text)
    setCopied(true)
  }
  return (
    <span className="long">
      <code title={text}>{shortened(text, chars)}</code>
      <button type="button" className="copy" onClick={() => void copy()} aria-label={`Copy ${text}`}>
        {copied ? 'copied' : 'copy'}
      </button>
    </span>
  )
}

const good = new Set([
  'success',
  'active',
  'met',
  'CLOSED',
  'ok',
  'completed',
  'verified',
  'ample',
  'healthy',
])
const bad = new Set([
  'refused',
  'error',
  'OPEN',
  'failed',
  'revoked',
  'exhausted',
  'critical',
  'broken',
  'expired',
])

/** The word carries the meaning; colour only supports it. */
export function StateMark({ state }: { state: string }) {
  const kind = good.has(state) ? 'good' : bad.has(state) ? 'bad' : 'neutral'
  return <span className={`mark ${kind}`}>{state}</span>
}
