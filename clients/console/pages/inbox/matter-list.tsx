import { DataTable } from '../../parts/data-table.tsx'
import { When } from '../../parts/figure.tsx'
import { stateText } from '../../parts/shorten.ts'
import { words } from '../../words/en.ts'
import { useOpenMatters } from './use-open-matters.ts'

/** Motions, treaties, cases and workflows that wait for somebody of this organization. */
export function MatterList() {
  const { matters, is_waiting } = useOpenMatters()
  return (
    <DataTable
      caption={words.inbox.matters}
      rows={matters}
      keyOf={({ key }) => key}
      empty={is_waiting ? words.loading : words.inbox.no_matters}
      columns={[
        { head: words.inbox.matter, cell: ({ what, href }) => <a href={href}>{what}</a> },
        { head: words.inbox.kind, cell: ({ kind }) => stateText(kind) },
        { head: words.inbox.to_do, cell: ({ asks }) => asks },
        {
          head: words.inbox.decide_until,
          cell: ({ until }) => <When at={until} never={words.inbox.no_deadline} />,
        },
      ]}
    />
  )
}
