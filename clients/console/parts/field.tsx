import { Input } from '@mantine/core'
import { type ReactNode, useId } from 'react'

/** A label, its input, and a hint. */
export function Field({
  label,
  hint,
  children,
}: {
  label: string
  hint?: string | undefined
  children: (ids: { id: string; 'aria-describedby'?: string }) => ReactNode
}) {
  const id = useId()
  const hint_id = `${id}-hint`
  return (
    <div className="field">
      <Input.Label htmlFor={id}>{label}</Input.Label>
      {children(hint ? { id, 'aria-describedby': hint_id } : { id })}
      {hint && (
        <Input.Description id={hint_id} component="p">
          {hint}
        </Input.Description>
      )}
    </div>
  )
}
