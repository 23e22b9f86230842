import { Button, Input } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { words } from '../words/en.ts'
import { Field } from './field.tsx'

const id_form = '\\s*[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\\s*'

interface Props {
  readonly correlation_id: string | undefined
  /** The address at which this page shows a request. */
  readonly placeOf: (correlation_id: string) => string
}

/** Chooses a request by the correlation id that every answer and refusal names. */
export function CorrelationForm({ correlation_id = '', placeOf }: Props) {
  const [typed, setTyped] = useState(correlation_id)
  const go = (event: FormEvent) => {
    event.preventDefault()
    location.hash = placeOf(typed.trim())
  }
  return (
    <form className="row" onSubmit={go}>
      <Field label={words.correlation_id} hint={words.correlation_id_hint}>
        {(ids) => (
          <Input
            {...ids}
            className="mono"
            required
            pattern={id_form}
            value={typed}
            onChange={({ target }) => setTyped(target.value)}
          />
        )}
      </Field>
      <Button type="submit">{words.show}</Button>
    </form>
  )
}
