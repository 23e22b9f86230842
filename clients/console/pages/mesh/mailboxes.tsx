import { AnswerOf } from '../../parts/answer-of.tsx'
import { DataTable } from '../../parts/data-table.tsx'
import { Empty } from '../../parts/empty.tsx'
import { When } from '../../parts/figure.tsx'
import { bytesText } from '../../parts/figures.ts'
import { NoRight } from '../../parts/no-right.tsx'
import { Pager } from '../../parts/pager.tsx'
import { usePages } from '../../parts/use-pages.ts'
import { Who } from '../../parts/who.tsx'
import { Id } from '../../parts/words.tsx'
import { hashOf } from '../../shell/address.ts'
import { useQuery } from '../../shell/use-query.ts'
import { useWhyNot } from '../../shell/use-session.tsx'
import { words } from '../../words/en.ts'

const text = words.mailboxes

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
            caption={text.mailboxes}
            rows={items}
            keyOf={({ mailbox }) => mailbox}
            empty={
              <Empty words={words.empty.mailboxes} href={hashOf('playground', ['MIM', 'message_send'])} />
            }
            columns={[
              { head: text.mailbox, cell: ({ mailbox }) => <Mailbox mailbox={mailbox} /> },
              { head: text.waiting, is_number: true, cell: ({ waiting }) => waiting },
              { head: text.delivered, is_number: true, cell: ({ in_flight }) => in_flight },
              { head: text.scheduled, is_number: true, cell: ({ unreleased }) => unreleased },
              { head: text.dead, is_number: true, cell: ({ dead }) => dead },
              { head: text.size, is_number: true, cell: ({ bytes }) => bytesText(bytes) },
              {
                head: text.oldest,
                cell: ({ oldest_waiting_at }) =>
                  oldest_waiting_at ? <When at={oldest_waiting_at} /> : words.none,
              },
              { head: text.opened, cell: ({ opened_at }) => <When at={opened_at} /> },
            ]}
          />
          <Pager pages={pages} next={next_cursor} />
        </>
      )}
    </AnswerOf>
  )
}

/** That of a person or an agent is named by their DID, others have a name of their own. */
function Mailbox({ mailbox }: { mailbox: string }) {
  if (mailbox.startsWith('did:')) return <Who did={mailbox} />
  return <Id text={mailbox} name={mailbox.replace(/^mailbox:/, '')} />
}
