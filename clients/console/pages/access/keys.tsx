// API keys of the person or of an agent that descends from it: a new one with its limits, and those there are.
import { Stack } from '@mantine/core'
import { useState } from 'react'
import { NoRight } from '../../parts/no-right.tsx'
import { AgentPicker } from '../../parts/pickers.tsx'
import { useSession, useWhyNot } from '../../shell/use-session.tsx'
import { words } from '../../words/en.ts'
import { KeyList } from './key-list.tsx'
import { NewKey } from './new-key.tsx'

export function Keys() {
  const { did: own } = useSession()
  const [did, setDid] = useState(own)
  const [why_no_list, why_no_key] = [useWhyNot('MACS', 'list_keys'), useWhyNot('MACS', 'create_key')]
  return (
    <Stack gap="md">
      <AgentPicker
        label={words.keys.whose}
        hint={words.keys.whose_hint}
        is_required
        value={did}
        onChange={setDid}
      />
      {why_no_key ? <NoRight protocol="MACS" operation="create_key" /> : <NewKey key={did} did={did} />}
      {why_no_list ? <NoRight protocol="MACS" operation="list_keys" /> : <KeyList key={did} did={did} />}
    </Stack>
  )
}
