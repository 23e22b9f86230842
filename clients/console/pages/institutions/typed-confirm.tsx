// Confirms an irreversible action by typing the name of its object.
import { type ReactNode, useState } from 'react'
import { Field } from '../../parts/field.tsx'

interface Props {
  readonly label: string
  readonly title: string
  /** The text to type. */
  readonly name: string
  readonly children: ReactNode
  readonly is_waiting: boolean
  readonly why_not?: string | undefined
  onConfirm(): void
}

export function TypedConfirm({ label, title, name, children, is_waiting, why_not, onConfirm }: Props) {
  const [is_open, setIsOpen] = useState(false)
  const [typed, setTyped] = useState('')
  const open = () => {
    setTyped('')
    setIsOpen(true)
  }
  return (
    <>
      <button
        type="button"
        className="danger"
        disabled={is_waiting || why_not !== undefined}
        title={why_not}
        onClick={open}
      >
        {label}
      </button>
      {is_open && (
        <dialog ref={showModal} aria-label={title} onClose={() => setIsOpen(false)}>
          <h2>{title}</h2>
          {children}
          <form method="dialog">
            <Field label={`Type ${name} to continue`}>
              {(ids) => (
                <input
                  {...ids}
                  autoComplete="off"
                  value={typed}
                  onChange={({ target }) => setTyped(target.value)}
                />
              )}
            </Field>
            <div className="row">
              {/* Enter presses the first button, so the first one is harmless. */}
              <button type="submit">Cancel</button>
              <button type="submit" className="danger" disabled={typed !== name} onClick={onConfirm}>
                {label}
              </button>
            </div>
          </form>
        </dialog>
      )}
    </>
  )
}

/** Strict mode mounts twice, and an open dialog cannot be opened again. */
function showModal(dialog: HTMLDialogElement | null): void {
  if (dialog && !dialog.open) dialog.showModal()
}
