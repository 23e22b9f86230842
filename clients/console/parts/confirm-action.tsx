// An action with consequences says first what it will do.
import { Button, Group, Modal, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { type ReactNode, useState } from 'react'
import { words } from '../words/en.ts'

interface Props {
  readonly label: string
  /** In a row that already names the thing: only the verb is shown, the label is read out. */
  readonly brief?: string
  /** The dialog's title, e.g. "Revoke this key?" */
  readonly title: string
  /** What will happen, to what, and whether it can be undone. */
  readonly children: ReactNode
  readonly is_waiting?: boolean
  readonly why_not?: string | undefined
  /** For what cannot be made good: this name must be typed first. */
  readonly typed_name?: string
  /** It takes nothing away, such as a signature or an approval. */
  readonly is_harmless?: boolean
  onConfirm(): void
}

export function ConfirmAction({
  label,
  brief,
  title,
  children,
  is_waiting,
  why_not,
  typed_name,
  is_harmless,
  onConfirm,
}: Props) {
  const color = is_harmless ? {} : { color: 'red' }
  const [typed, setTyped] = useState('')
  const [is_open, dialog] = useDisclosure(false, { onOpen: () => setTyped('') })
  const confirm = () => {
    dialog.close()
    onConfirm()
  }
  return (
    <>
      <Button
        {...(is_harmless ? {} : { ...color, variant: 'light', className: 'danger' })}
        size="xs"
        disabled={is_waiting || why_not !== undefined}
        title={why_not}
        aria-label={brief && label}
        onClick={dialog.open}
      >
        {brief ?? label}
      </Button>
      <Modal
        opened={is_open}
        onClose={dialog.close}
        title={title}
        centered
        closeButtonProps={{ 'aria-label': words.close }}
      >
        {children}
        {typed_name !== undefined && (
          <TextInput
            label={words.type_to_continue(typed_name)}
            autoComplete="off"
            value={typed}
            onChange={({ currentTarget }) => setTyped(currentTarget.value)}
          />
        )}
        <Group justify="flex-end" mt="md">
          {/* It has the focus: pressing Enter changes nothing. */}
          <Button variant="default" data-autofocus onClick={dialog.close}>
            {words.cancel}
          </Button>
          <Button {...color} disabled={typed_name !== undefined && typed !== typed_name} onClick={confirm}>
            {label}
          </Button>
        </Group>
      </Modal>
    </>
  )
}
