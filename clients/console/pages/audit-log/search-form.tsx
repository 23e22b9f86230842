import { type FormEvent, useEffect, useId, useState } from 'react'
import { Field } from '../../parts/field.tsx'
import { hashOf } from '../../shell/address.ts'
import { useSession } from '../../shell/use-session.tsx'
import { outcomes, queryOf, type Search, searchOf } from './search.ts'

/** The filters are part of the address, so that a search can be bookmarked and shared. */
export function SearchForm({ search }: { search: Search }) {
  const [typed, setTyped] = useState(search)
  const search_key = JSON.stringify(search)
  useEffect(() => setTyped(JSON.parse(search_key)), [search_key])
  const go = (event: FormEvent) => {
    event.preventDefault()
    location.hash = hashOf('audit-log', ['records'], queryOf(typed))
  }
  const clear = () => {
    setTyped(searchOf({}))
    location.hash = hashOf('audit-log', ['records'])
  }
  const change = (field: keyof Search) => (text: string) => setTyped({ ...typed, [field]: text })
  return (
    <form className="search" onSubmit={go} aria-label="Search the audit log">
      <div className="fields">
        <Names typed={typed} change={change} />
        <Times typed={typed} change={change} />
      </div>
      <div className="row">
        <button type="submit" className="first">
          Search
        </button>
        <button type="button" onClick={clear}>
          Clear filters
        </button>
      </div>
    </form>
  )
}

interface Part {
  readonly typed: Search
  change(field: keyof Search): (text: string) => void
}

function Names({ typed, change }: Part) {
  const { whoami } = useSession()
  const lists = useId()
  const names = whoami.operations.filter(
    ({ protocol }) => typed.protocol === '' || protocol === typed.protocol,
  )
  return (
    <>
      <TextField label="Protocol" value={typed.protocol} onType={change('protocol')} list={`${lists}p`} />
      <TextField label="Operation" value={typed.operation} onType={change('operation')} list={`${lists}o`} />
      <ChoiceField
        label="Outcome"
        value={typed.outcome}
        onChoose={change('outcome')}
        choices={[['', 'any'], ...outcomes.map((outcome) => [outcome, outcome] as const)]}
      />
      <TextField
        label="Event type"
        value={typed.event_type}
        onType={change('event_type')}
        hint="Separate several with commas."
      />
      <TextField label="Caller" value={typed.caller_did} onType={change('caller_did')} hint="A full DID." />
      <TextField
        label="Correlation id"
        value={typed.correlation_id}
        onType={change('correlation_id')}
        hint="Of one request."
      />
      <WordList id={`${lists}p`} words={whoami.operations.map(({ protocol }) => protocol)} />
      <WordList id={`${lists}o`} words={names.map(({ operation }) => operation)} />
    </>
  )
}

function WordList({ id, words }: { id: string; words: readonly string[] }) {
  return (
    <datalist id={id}>
      {[...new Set(words)].sort().map((word) => (
        <option key={word} value={word} />
      ))}
    </datalist>
  )
}

function Times({ typed, change }: Part) {
  return (
    <>
      <TextField label="From (UTC)" type="datetime-local" value={typed.from} onType={change('from')} />
      <TextField label="Until (UTC)" type="datetime-local" value={typed.to} onType={change('to')} />
      <TextField
        label="Start at record"
        type="number"
        value={typed.seq}
        onType={change('seq')}
        hint="Its number in the audit log."
      />
      <ChoiceField
        label="Order"
        value={typed.order}
        onChoose={change('order')}
        choices={[
          ['', 'newest first'],
          ['oldest', 'oldest first'],
        ]}
      />
    </>
  )
}

interface TextProps {
  readonly label: string
  readonly value: string
  readonly type?: 'text' | 'number' | 'datetime-local'
  readonly list?: string
  readonly hint?: string
  onType(text: string): void
}

function TextField({ label, value, type = 'text', list, hint, onType }: TextProps) {
  return (
    <Field label={label} hint={hint}>
      {(ids) => (
        <input
          {...ids}
          type={type}
          list={list}
          min={type === 'number' ? 1 : undefined}
          step={type === 'datetime-local' ? 1 : undefined}
          autoComplete="off"
          value={value}
          onChange={({ target }) => onType(target.value)}
        />
      )}
    </Field>
  )
}

interface ChoiceProps {
  readonly label: string
  readonly value: string
  readonly choices: readonly (readonly [value: string, name: string])[]
  onChoose(value: string): void
}

function ChoiceField({ label, value, choices, onChoose }: ChoiceProps) {
  return (
    <Field label={label}>
      {(ids) => (
        <select {...ids} value={value} onChange={({ target }) => onChoose(target.value)}>
          {choices.map(([each, name]) => (
            <option key={each} value={each}>
              {name}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}
