// What somebody may not see or do, and whom to ask.
import { Alert } from '@mantine/core'
import { IconLock } from '@tabler/icons-react'
import type { ReactNode } from 'react'

interface Props {
  readonly why_not: string | undefined
  readonly title?: string | undefined
  /** What can be done about it. */
  readonly children?: ReactNode
}

export function Locked({ why_not, title, children }: Props) {
  return (
    <Alert icon={<IconLock size={18} />} color="gray" className="no-right" title={title}>
      <p>{why_not}</p>
      {children}
    </Alert>
  )
}
