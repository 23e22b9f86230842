// One saved view: open it, fetch its rows, share, schedule and remove it.
import { Button, Group } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconDownload, IconShare } from '@tabler/icons-react'
import { saveFile } from '../../list/csv.ts'
import { ConfirmAction } from '../../parts/confirm-action.tsx'
import { Fact, When } from '../../parts/figure.tsx'
import { plural } from '../../parts/figures.ts'
import { NoRight } from '../../parts/no-right.tsx'
import { ProblemNote } from '../../parts/problem-note.tsx'
import { Id, StateBadge } from '../../parts/words.tsx'
import { hashOf } from '../../shell/address.ts'
import { useAct } from '../../shell/use-query.ts'
import { useSession, useWhyNot } from '../../shell/use-session.tsx'
import { words } from '../../words/en.ts'
import { useNames } from '../audit-log/use-names.ts'
import { ScheduleForm } from './schedule-form.tsx'
import { filtersText, hrefOf, scheduleText, stateOf, type View, whoseText } from './view.ts'

const text = words.reports

export function ViewPanel({ view }: { view: View }) {
  const names = useNames()
  const may_set = useWhyNot('MAX', 'set_view') === undefined
  const { name, operation, set_by, set_at, next_run_at, last_run_at, last_failure, schedule } = view
  return (
    <>
      <h2>{name}</h2>
      {last_failure && <p className="problem">{last_failure}</p>}
      <dl className="facts">
        <Fact name={text.whose} value={whoseText(view)} />
        <Fact name={text.shows} value={operation} />
        <Fact name={text.filters} value={filtersText(view)} />
        <Fact name={text.runs} value={scheduleText(view)} />
        <Fact name={text.state} value={schedule && <StateBadge state={stateOf(view)} />} />
        <Fact name={text.next_run} value={next_run_at && <When at={next_run_at} />} />
        <Fact name={text.last_run} value={last_run_at && <When at={last_run_at} />} />
        <Fact name={text.set_by} value={<Id text={set_by} name={names.get(set_by)} />} />
        <Fact name={text.set} value={<When at={set_at} />} />
      </dl>
      <Fetching view={view} />
      {may_set ? <ScheduleForm view={view} /> : <NoRight protocol="MAX" operation="set_view" />}
      <Ending view={view} />
    </>
  )
}

function Fetching({ view }: { view: View }) {
  const { name, shared = false, has_file, set_by } = view
  const { did } = useSession()
  const why_not = useWhyNot('MAX', 'view_file')
  const href = hrefOf(view)
  const save = useAct(async (client, scheduled: boolean) => {
    const { content, media_type, rows, truncated } = await client.max.view_file({ name, shared, scheduled })
    saveFile(`${name}.csv`, content, media_type)
    const count = rows === undefined ? text.the_file : plural(rows, 'row')
    notifications.show({
      message: [text.fetched(count, `${name}.csv`), truncated && text.fetched_cut].filter(Boolean).join(' '),
    })
  })
  const button = { size: 'xs', variant: 'default', disabled: why_not !== undefined, title: why_not } as const
  return (
    <>
      <Group gap="xs">
        {href !== undefined && (
          <Button size="xs" component="a" href={href}>
            {text.open_view}
          </Button>
        )}
        <Button
          {...button}
          leftSection={<IconDownload size={14} />}
          loading={save.is_waiting}
          onClick={() => void save.run(false)}
        >
          {text.fetch}
        </Button>
        {/* It was made with the rights of whoever saved the view, and is only for them. */}
        {has_file && set_by === did && (
          <Button {...button} loading={save.is_waiting} onClick={() => void save.run(true)}>
            {text.fetch_scheduled}
          </Button>
        )}
      </Group>
      {save.problem && <ProblemNote problem={save.problem} />}
    </>
  )
}

function Ending({ view }: { view: View }) {
  const { name, shared = false, operation, filters, page } = view
  const why_no_share = useWhyNot('MAX', 'set_view')
  const why_no_end = useWhyNot('MAX', 'remove_view')
  const share = useAct(async (client) => {
    await client.max.set_view({ name, shared: true, operation, filters, ...(page !== undefined && { page }) })
    notifications.show({ message: text.shared(name) })
  })
  const remove = useAct(async (client) => {
    await client.max.remove_view({ name, shared })
    location.hash = hashOf('reports', ['views'])
  })
  const problem = share.problem ?? remove.problem
  return (
    <>
      <Group gap="xs" mt="lg">
        {!shared && (
          <Button
            size="xs"
            variant="default"
            leftSection={<IconShare size={14} />}
            loading={share.is_waiting}
            disabled={why_no_share !== undefined}
            title={why_no_share}
            onClick={() => void share.run(undefined)}
          >
            {text.share}
          </Button>
        )}
        <ConfirmAction
          label={text.remove(name)}
          title={text.remove_title}
          is_waiting={remove.is_waiting}
          why_not={why_no_end}
          onConfirm={() => void remove.run(undefined)}
        >
          <p>{text.remove_means}</p>
        </ConfirmAction>
      </Group>
      {problem && <ProblemNote problem={problem} />}
    </>
  )
}
