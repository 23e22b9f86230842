import { useEffect, useState } from 'react'
import { Field } from '../../parts/field.tsx'

interface Props {
  readonly name: string
  readonly value: unknown
  readonly hint?: string
  onChange(value: unknown): void
}

/** A JSON editor: invalid text stays visible with its error, and is not sent. */
export function JsonField({ name, value, hint, onChange }: Props) {
  const [text, setText] = useState(() => JSON.stringify(value, null, 2))
  const [fault, setFault] = useState<string>()
  useEffect(() => {
    setText((before) => (same(before, value) ? before : JSON.stringify(value, null, 2)))
  }, [value])
  const write = (typed: string) => {
    setText(typed)
    try {
      onChange(JSON.parse(typed))
      setFault(undefined)
    } catch (error) {
      setFault((error as Error).message)
    }
  }
  return (
    <Field label={name} hint={fault ? `Not valid JSON: ${fault}` : hint}>
      {(ids) => (
        <textarea
          {...ids}
          spellCheck={false}
          aria-invalid={fault !== undefined}
          value={text}
          onChange={({ target }) => write(target.value)}
        />
      )}
    </Field>
  )
}

/** Whether the text parses to the value, regardless of formatting. */
function same(text: string, value: unknown): boolean {
  try {
    return JSON.stringify(JSON.parse(text)) === JSON.stringify(value)
  } catch {
    return false
  }
}
