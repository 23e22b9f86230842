// A number, sum, duration or time with its unit; the exact value is shown on hover.
import { Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { nowMs, useMinute } from '../shell/clock.ts'
import { words } from '../words/en.ts'
import { changeText, countText, durationText, exactText, moneyText, relativeText } from './figures.ts'

export function Money({ usd }: { usd: number | string | null | undefined }) {
  if (usd === null || usd === undefined) return words.none
  return (
    <span className="figure" title={`${usd} USD`}>
      {moneyText(usd)}
    </span>
  )
}

export function Count({ of }: { of: number | null | undefined }) {
  if (of === null || of === undefined) return words.none
  return (
    <span className="figure" title={String(of)}>
      {countText(of)}
    </span>
  )
}

export function Duration({ ms }: { ms: number | null | undefined }) {
  if (ms === null || ms === undefined) return words.none
  return (
    <span className="figure" title={`${ms} ms`}>
      {durationText(ms)}
    </span>
  )
}

/** Relative, in steps of a minute; the exact time in the reader's zone on hover and for screen readers. */
export function When({ at, never = words.never }: { at: string | null | undefined; never?: string }) {
  useMinute()
  if (!at) return <span className="quiet">{never}</span>
  return (
    <time dateTime={at} className="figure" title={exactText(at)}>
      {relativeText(at, nowMs())}
    </time>
  )
}

/** One named value in a list of facts; nothing where there is no value. */
export function Fact({ name, value }: { name: string; value: ReactNode }) {
  if (value === undefined || value === null || value === '') return null
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  )
}

interface StatProps {
  readonly name: string
  readonly value: ReactNode
  /** For the comparison; nothing is compared without both. */
  readonly now?: number | undefined
  readonly before?: number | undefined
  /** Whether more is worse, as with refusals. */
  readonly is_worse?: boolean
  readonly href?: string
}

/** A large figure with its change against the period before. */
export function Stat({ name, value, now, before, is_worse, href }: StatProps) {
  const change = now !== undefined && before !== undefined ? changeText(now, before) : undefined
  const is_up = (now ?? 0) > (before ?? 0)
  const color = change === '±0%' || is_worse === undefined ? 'dimmed' : is_up === is_worse ? 'red' : 'teal'
  return (
    <div className="stat">
      <dt>
        {href ? (
          <a className="stat-link" href={href}>
            {name}
          </a>
        ) : (
          name
        )}
      </dt>
      <dd className="stat-value">{value}</dd>
      <dd className="stat-change">
        {change ? (
          <Text component="span" size="xs" c={color === 'dimmed' ? 'dimmed' : `var(--tone-${color})`}>
            {change === '±0%' ? words.same_as_before : `${change} ${words.before}`}
          </Text>
        ) : (
          <Text component="span" size="xs" c="dimmed">
            {' '}
          </Text>
        )}
      </dd>
    </div>
  )
}
