import { Autocomplete, Button, Select, TextInput } from '@mantine/core'
import { DateTimePicker } from '@mantine/dates'
import '@mantine/dates/styles.css'
import { useDebouncedCallback } from '@mantine/hooks'
import { useEffect, useState } from 'react'
import { AgentPicker } from '../parts/pickers.tsx'
import { stateText } from '../parts/shorten.ts'
import { words } from '../words/en.ts'
import type { ListFilter } from './describe.ts'
import type { ListState } from './list-query.ts'

const typing_ms = 350

/** The filters are part of the address, so that a search can be bookmarked and shared. */
export function ListFilters({ filters, state }: { filters: readonly ListFilter[]; state: ListState }) {
  if (filters.length === 0) return null
  return (
    <search className="list-bar" aria-label={words.filters}>
      {filters.map((filter) => (
        <FilterField
          key={filter.field}
          filter={filter}
          value={state.query[filter.field] ?? ''}
          onChange={(value) => state.set(filter.field, value)}
        />
      ))}
      {state.is_filtered && (
        <Button variant="subtle" onClick={() => state.replace({})}>
          {words.clear_filters}
        </Button>
      )}
    </search>
  )
}

interface FieldProps {
  readonly filter: ListFilter
  readonly value: string
  onChange(value: string): void
}

function FilterField({ filter, value, onChange }: FieldProps) {
  const { label, kind, choices = [] } = filter
  if (kind === 'choice')
    return (
      <Select
        label={label}
        placeholder={words.any}
        clearable
        searchable={choices.length > 8}
        data={choices.map(([choice, name]) => ({ value: choice, label: stateText(name) }))}
        value={value === '' ? null : value}
        onChange={(choice) => onChange(choice ?? '')}
      />
    )
  if (kind === 'agent')
    return <AgentPicker label={label} placeholder={words.any} value={value} onChange={onChange} />
  if (kind === 'time')
    return (
      <DateTimePicker
        label={label}
        placeholder={words.any}
        clearable
        withSeconds
        valueFormat="D MMM YYYY HH:mm:ss"
        value={value === '' ? null : localText(value)}
        onChange={(text) => onChange(text ? new Date(text).toISOString() : '')}
      />
    )
  return <TextFilter filter={filter} value={value} onChange={onChange} />
}

/** The address keeps UTC; the field shows the reader's zone. */
function localText(utc: string): string {
  const at = new Date(utc)
  if (Number.isNaN(at.getTime())) return utc
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 19).replace('T', ' ')
}

/** The address follows what is typed after a short pause, so that not every letter is a question. */
function TextFilter({ filter, value, onChange }: FieldProps) {
  const [typed, setTyped] = useState(value)
  useEffect(() => setTyped(value), [value])
  const settle = useDebouncedCallback(onChange, typing_ms)
  const change = (text: string) => {
    setTyped(text)
    settle(text.trim())
  }
  const { label, placeholder = words.any, choices } = filter
  const shown = { label, placeholder, value: typed, autoComplete: 'off', spellCheck: false }
  return choices ? (
    <Autocomplete {...shown} data={choices.map(([choice]) => choice)} onChange={change} limit={20} />
  ) : (
    <TextInput {...shown} onChange={({ currentTarget }) => change(currentTarget.value)} />
  )
}
