// Saved views: one's own and those of the organization, with their schedule.
import type { ListDescription } from '../../list/describe.ts'
import { ListPage } from '../../list/list-page.tsx'
import { When } from '../../parts/figure.tsx'
import { NoRight } from '../../parts/no-right.tsx'
import { StateBadge } from '../../parts/words.tsx'
import { useWhyNot } from '../../shell/use-session.tsx'
import { words } from '../../words/en.ts'
import { filtersText, keyOf, scheduleText, stateOf, type View, whoseText } from './view.ts'
import { ViewPanel } from './view-panel.tsx'

const text = words.reports

const list: ListDescription<View> = {
  name: text.views,
  columns: [
    { key: 'name', head: text.name, cell: ({ name }) => <strong>{name}</strong>, text: ({ name }) => name },
    { key: 'whose', head: text.whose, cell: whoseText, text: whoseText },
    { key: 'filters', head: text.filters, cell: filtersText, text: filtersText },
    { key: 'runs', head: text.runs, cell: scheduleText, text: scheduleText },
    {
      key: 'next',
      head: text.next_run,
      cell: ({ next_run_at }) => <When at={next_run_at} never={words.none} />,
      text: ({ next_run_at }) => next_run_at ?? '',
    },
    {
      key: 'last',
      head: text.last_run,
      cell: ({ last_run_at }) => <When at={last_run_at} never={words.none} />,
      text: ({ last_run_at }) => last_run_at ?? '',
    },
    {
      key: 'state',
      head: text.state,
      cell: (view) => (view.schedule ? <StateBadge state={stateOf(view)} /> : words.none),
      text: stateOf,
    },
    {
      key: 'set',
      head: text.set,
      cell: ({ set_at }) => <When at={set_at} />,
      text: ({ set_at }) => set_at,
      is_extra: true,
    },
  ],
  filters: [],
  keyOf,
  read: async (_query, _cursor, client, signal) => ({
    rows: (await client.max.list_views({}, { signal })).items,
  }),
  panel: (key, view) => ({ title: text.view, body: view && <ViewPanel key={key} view={view} /> }),
  empty: text.no_saved,
}

export function ViewList() {
  const may_list = useWhyNot('MAX', 'list_views') === undefined
  return may_list ? <ListPage list={list} /> : <NoRight protocol="MAX" operation="list_views" />
}
