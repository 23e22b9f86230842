// How an identity came to its key: each change of it, and who can recover it since.
import { Button } from '@mantine/core'
import { useState } from 'react'
import { AnswerOf } from '../../parts/answer-of.tsx'
import { DataTable } from '../../parts/data-table.tsx'
import { When } from '../../parts/figure.tsx'
import { NoRight } from '../../parts/no-right.tsx'
import { Id } from '../../parts/words.tsx'
import { useQuery } from '../../shell/use-query.ts'
import { useWhyNot } from '../../shell/use-session.tsx'

const meanings = {
  inception: 'committed to its next key',
  rotation: 'changed to the key committed to',
  recovery: 'recovered by others',
} as const

/** Only when asked for: it is read from the identity's node. */
export function KeyEvents({ did }: { did: string }) {
  const why_not = useWhyNot('OAS', 'resolve')
  const [is_open, setOpen] = useState(false)
  if (why_not) return <NoRight protocol="OAS" operation="resolve" />
  if (is_open) return <EventList did={did} />
  return (
    <Button variant="default" onClick={() => setOpen(true)}>
      Show changes of its key
    </Button>
  )
}

function EventList({ did }: { did: string }) {
  const query = useQuery(`key events of ${did}`, (client, signal) => client.oas.resolve({ did }, { signal }))
  return (
    <AnswerOf query={query}>
      {({ document }) => (
        <DataTable
          caption="Changes of its key"
          rows={document?.key_events ?? []}
          keyOf={({ previous }) => previous}
          empty="None: it has its first key, and has committed to no other. It can with MACS rotate_key."
          columns={[
            { head: 'When', cell: ({ at }) => <When at={at} /> },
            { head: 'What', cell: ({ kind }) => meanings[kind] },
            { head: 'Key', cell: ({ public_key }) => <Id text={public_key} /> },
            {
              head: 'Who can recover it',
              cell: ({ recovery }) =>
                recovery ? (
                  <>
                    {recovery.threshold} of{' '}
                    {recovery.dids.map((one) => (
                      <Id key={one} text={one} />
                    ))}
                  </>
                ) : (
                  'nobody'
                ),
            },
          ]}
        />
      )}
    </AnswerOf>
  )
}
