// A step that cannot be taken back says first what it will do.
import { type ReactNode, useRef } from 'react'

interface Props {
  readonly label: string
  /** The question above, e.g. "Revoke this key?" */
  readonly title: string
  /** What will happen, to what, and whether it can be undone. */
  readonly children: ReactNode
  readonly is_waiting?: boolean
  readonly why_not?: string | undefined
  onConfirm(): void
}

export function ConfirmButton({ label, title, children, is_waiting, why_not, onConfirm }: Props) {
  const dialog = useRef<HTMLDialogElement>(null)
  return (
    <>
      <button
        type="button"
        className="danger"
        disabled={is_waiting || why_not !== undefined}
        title={why_not}
        onClick={() => dialog.current?.showModal()}
      >
        {label}
      </button>
      <dialog ref={dialog} aria-label={title}>
        <h2>{title}</h2>
        {children}
        <form method="dialog" className="row">
          {/* First, so that it has the focus: who only presses Enter changes nothing. */}
          <button type="submit">Cancel</button>
          <button type="submit" className="danger" onClick={onConfirm}>
            {label}
          </button>
        </form>
      </dialog>
    </>
  )
}
