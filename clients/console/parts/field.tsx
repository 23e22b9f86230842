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
      <label htmlFor={id}>{label}</label>
      {children(hint ? { id, 'aria-describedby': hint_id } : { id })}
      {hint && (
        <p id={hint_id} className="quiet">
          {hint}
        </p>
      )}
    </div>
  )
}
