import { useEffect, useState } from 'react'
import { CodeField } from '../../parts/code-field.tsx'

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
    <CodeField
      label={name}
      hint={hint}
      fault={fault === undefined ? undefined : `Not valid JSON: ${fault}`}
      value={text}
      onChange={write}
    />
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
