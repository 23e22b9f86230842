// An irreversible action says first what it will do.
import { type ReactNode, useState } from 'react'

interface Props {
  readonly label: string
  /** The dialog's title, e.g. "Revoke this key?" */
  readonly title: string
  /** What will happen, to what, and whether it can be undone. */
  readonly children: ReactNode
  readonly is_waiting?: boolean
  readonly why_not?: string | undefined
  onConfirm(): void
}

export function ConfirmButton({ label, title, children, is_waiting, why_not, onConfirm }: Props) {
  const [is_open, setIsOpen] = useState(false)
  return (
    <>
      <button
        type="button"
        className="danger"
        disabled={is_waiting || why_not !== undefined}
        title={why_not}
        onClick={() => setIsOpen(true)}
      >
        {label}
      </button>
      {is_open && (
        <dialog ref={showModal} aria-label={title} onClose={() => setIsOpen(false)}>
          <h2>{title}</h2>
          {children}
          <form method="dialog" className="row">
            {/* First, so that it has the focus: pressing Enter changes nothing. */}
            <button type="submit">Cancel</button>
            <button type="submit" className="danger" onClick={onConfirm}>
              {label}
            </button>
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
