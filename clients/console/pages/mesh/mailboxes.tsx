import { AnswerOf } from '../../parts/answer-of.tsx'
import { DataTable } from '../../parts/data-table.tsx'
import { When } from '../../parts/figure.tsx'
import { NoRight } from '../../parts/no-right.tsx'
import { Pager } from '../../parts/pager.tsx'
import { usePages } from '../../parts/use-pages.ts'
import { Id } from '../../parts/words.tsx'
import { useQuery } from '../../shell/use-query.ts'
import { useWhyNot } from '../../shell/use-session.tsx'

export function Mailboxes() {
  const why_not = useWhyNot('MIM', 'list')
  return why_not ? <NoRight protocol="MIM" operation="list" /> : <MailboxList />
}

/** Message counts only; contents stay between sender and receiver. */
function MailboxList() {
  const pages = usePages<string>()
  const query = useQuery(`mailboxes ${pages.cursor}`, (client, signal) =>
    client.mim.list({ limit: 25, ...(pages.cursor ? { cursor: pages.cursor } : {}) }, { signal }),
  )
  return (
    <AnswerOf query={query}>
      {({ items, next_cursor }) => (
        <>
          <DataTable
            caption="Mailboxes"
            rows={items}
            keyOf={({ mailbox }) => mailbox}
            empty="No messages yet."
            columns={[
              { head: 'Mailbox', cell: ({ mailbox }) => <Id text={mailbox} chars={30} /> },
              { head: 'Waiting', is_number: true, cell: ({ waiting }) => waiting },
              { head: 'Delivered', is_number: true, cell: ({ in_flight }) => in_flight },
              { head: 'Scheduled', is_number: true, cell: ({ unreleased }) => unreleased },
              { head: 'Dead letters', is_number: true, cell: ({ dead }) => dead },
              { head: 'Bytes', is_number: true, cell: ({ bytes }) => bytes },
              {
                head: 'Oldest waiting',
                cell: ({ oldest_waiting_at }) => (oldest_waiting_at ? <When at={oldest_waiting_at} /> : '–'),
              },
              { head: 'Opened', cell: ({ opened_at }) => <When at={opened_at} /> },
            ]}
          />
          <Pager pages={pages} next={next_cursor} />
        </>
      )}
    </AnswerOf>
  )
}
