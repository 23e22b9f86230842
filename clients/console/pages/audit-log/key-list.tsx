import { useEffect, useState } from 'react'
import { DataTable } from '../../parts/data-table.tsx'
import { Id, StateBadge } from '../../parts/words.tsx'
import type { HeaderKey } from './check-audit-log.ts'
import { fingerprintOf } from './fingerprint.ts'

/** The keys an audit log is signed with, their fingerprints, and whether the reader trusts them. */
export function KeyList({ keys, trusted }: { keys: readonly HeaderKey[]; trusted: readonly string[] }) {
  return (
    <DataTable
      caption="Signing keys"
      rows={keys}
      keyOf={({ key_id, from_seq }) => `${key_id} ${from_seq}`}
      empty="It names no keys."
      columns={[
        { head: 'Key', cell: ({ key_id }) => <code>{key_id}</code> },
        { head: 'Public key', cell: ({ public_key }) => <Id text={public_key} chars={43} /> },
        {
          head: 'Fingerprint (SHA-256)',
          cell: ({ public_key }) => <Fingerprint public_key={public_key} />,
        },
        {
          head: 'Signs records',
          cell: ({ from_seq, until_seq }) => `${from_seq} to ${until_seq ?? 'now'}`,
        },
        {
          head: 'Source',
          cell: ({ public_key }) =>
            trusted.includes(public_key) ? <StateBadge state="yours" /> : <StateBadge state="from the log" />,
        },
      ]}
    />
  )
}

function Fingerprint({ public_key }: { public_key: string }) {
  const [text, setText] = useState('')
  useEffect(() => {
    fingerprintOf(public_key).then(setText, () => setText('cannot be computed here'))
  }, [public_key])
  return <code className="fingerprint">{text}</code>
}
