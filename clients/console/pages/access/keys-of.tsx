// API keys, sessions and key events of one agent, for itself and its ancestors.
import { Button } from '@mantine/core'
import { useState } from 'react'
import { NoRight } from '../../parts/no-right.tsx'
import { useWhyNot } from '../../shell/use-session.tsx'
import { KeyEvents } from './key-events.tsx'
import { KeyList } from './key-list.tsx'

/** Only when asked for: for others than the agent and its ancestors it would be a refusal in the audit log. */
export function KeysOf({ did }: { did: string }) {
  return (
    <>
      <Keys did={did} />
      <KeyEvents did={did} />
    </>
  )
}

function Keys({ did }: { did: string }) {
  const why_not = useWhyNot('MACS', 'list_keys')
  const [is_open, setOpen] = useState(false)
  if (why_not) return <NoRight protocol="MACS" operation="list_keys" />
  if (is_open) return <KeyList did={did} />
  return (
    <Button variant="default" mr="xs" onClick={() => setOpen(true)}>
      Show keys and sessions
    </Button>
  )
}
