import { SegmentedControl } from '@mantine/core'
import { useSearchParams } from 'react-router'
import { words } from '../words/en.ts'
import { isRange, type RangeWord, range_words } from './time-range.ts'

/** The chosen range, which is part of the address. */
export function useRange(): [RangeWord, (word: RangeWord) => void] {
  const [query, setQuery] = useSearchParams()
  const text = query.get('range') ?? undefined
  const choose = (word: RangeWord) =>
    setQuery((before) => {
      before.set('range', word)
      return before
    })
  return [isRange(text) ? text : '24h', choose]
}

export function RangeField() {
  const [range, choose] = useRange()
  return (
    <SegmentedControl
      aria-label={words.range}
      size="xs"
      value={range}
      onChange={choose}
      data={range_words.map((word) => ({ value: word, label: words.ranges[word] }))}
    />
  )
}
