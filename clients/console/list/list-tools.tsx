// Above a list: its views, columns, live refresh and CSV.
import { ActionIcon, Button, Checkbox, Group, Menu, Switch, TextInput } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconBookmark, IconColumns, IconDownload, IconRefresh, IconTrash } from '@tabler/icons-react'
import { type FormEvent, useState } from 'react'
import { plural } from '../parts/figures.ts'
import { ProblemNote } from '../parts/problem-note.tsx'
import { hashOf } from '../shell/address.ts'
import { useAct } from '../shell/use-query.ts'
import { words } from '../words/en.ts'
import { csvOf, saveFile } from './csv.ts'
import type { ListDescription, ListQuery } from './describe.ts'
import type { ListState } from './list-query.ts'
import { type ListedView, type SavedViews, useSavedViews } from './use-saved-views.ts'

interface Props<Row> {
  readonly list: ListDescription<Row>
  readonly state: ListState
  readonly visible: Record<string, boolean>
  readonly is_live: boolean
  readonly is_waiting: boolean
  onVisible(visible: Record<string, boolean>): void
  onLive(is_live: boolean): void
  onRefresh(): void
}

export function ListTools<Row>(props: Props<Row>) {
  const { list, state, is_live, is_waiting, onLive, onRefresh } = props
  return (
    <Group gap="xs" mb="xs">
      <Views list={list} state={state} />
      <Columns {...props} />
      <ExportButton list={list} state={state} />
      <Switch
        label={words.live}
        size="xs"
        checked={is_live}
        onChange={({ currentTarget }) => onLive(currentTarget.checked)}
      />
      <ActionIcon
        variant="subtle"
        color="gray"
        loading={is_waiting && !is_live}
        onClick={onRefresh}
        aria-label={words.refresh}
      >
        <IconRefresh size={16} />
      </ActionIcon>
    </Group>
  )
}

function Views<Row>({ list, state }: Pick<Props<Row>, 'list' | 'state'>) {
  const saved = useSavedViews(list)
  return (
    <Menu width={300} closeOnItemClick={false}>
      <Menu.Target>
        <Button variant="default" size="xs" leftSection={<IconBookmark size={14} />}>
          {words.views}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {list.views?.map((view) => (
          <Menu.Item key={view.name} onClick={() => state.replace(view.query)}>
            {view.name}
          </Menu.Item>
        ))}
        {saved.views.map((view) => (
          <SavedItem key={`${view.shared} ${view.name}`} view={view} state={state} saved={saved} />
        ))}
        {saved.views.length === 0 && <Menu.Label>{words.no_views}</Menu.Label>}
        <Menu.Divider />
        <SaveView saved={saved} query={state.query} />
        {saved.is_stored && (
          <Menu.Item component="a" href={hashOf('reports', ['views'])} closeMenuOnClick>
            {words.views_more}
          </Menu.Item>
        )}
        {saved.problem && <ProblemNote problem={saved.problem} />}
      </Menu.Dropdown>
    </Menu>
  )
}

function SavedItem({ view, state, saved }: { view: ListedView; state: ListState; saved: SavedViews }) {
  return (
    <Menu.Item
      onClick={() => state.replace(view.query)}
      rightSection={
        <IconTrash
          size={14}
          role="button"
          aria-label={words.remove_view(view.name)}
          onClick={(event) => {
            event.stopPropagation()
            saved.remove(view)
          }}
        />
      }
    >
      {view.name}
      {view.shared && <span className="quiet"> {words.of_all}</span>}
    </Menu.Item>
  )
}

function SaveView({ saved, query }: { saved: SavedViews; query: ListQuery }) {
  const [typed, setTyped] = useState('')
  const name = saved.nameOf(typed)
  const save = (event: FormEvent) => {
    event.preventDefault()
    if (name === '') return
    saved.save(name, query)
    setTyped('')
  }
  return (
    <form onSubmit={save}>
      <Group gap="xs" p="xs" wrap="nowrap">
        <TextInput
          size="xs"
          aria-label={words.view_name}
          placeholder={words.view_name}
          value={typed}
          onChange={({ currentTarget }) => setTyped(currentTarget.value)}
        />
        <Button size="xs" type="submit" disabled={name === ''}>
          {words.save_view}
        </Button>
      </Group>
    </form>
  )
}

function Columns<Row>({ list, visible, onVisible }: Props<Row>) {
  return (
    <Menu closeOnItemClick={false}>
      <Menu.Target>
        <Button variant="default" size="xs" leftSection={<IconColumns size={14} />}>
          {words.columns}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {list.columns.map(({ key, head }) => (
          <Menu.Item key={key} component="div">
            <Checkbox
              size="xs"
              label={head}
              checked={visible[key] !== false}
              onChange={({ currentTarget }) => onVisible({ ...visible, [key]: currentTarget.checked })}
            />
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}

const export_rows_max = 10_000

function ExportButton<Row>({ list, state }: Pick<Props<Row>, 'list' | 'state'>) {
  const act = useAct(async (client) => {
    const rows: Row[] = []
    const signal = new AbortController().signal
    let cursor: string | undefined
    do {
      const page = await list.read(state.query, cursor, client, signal)
      rows.push(...page.rows)
      cursor = page.next
    } while (cursor !== undefined && rows.length < export_rows_max)
    const name = `${list.name.toLowerCase().replaceAll(' ', '-')}.csv`
    saveFile(name, csvOf(list.columns, rows))
    const count = plural(rows.length, 'row')
    notifications.show({
      message: `${words.exported(count, name)}${cursor === undefined ? '' : ` ${words.export_cut(count)}`}`,
    })
  })
  return (
    <Button
      variant="default"
      size="xs"
      loading={act.is_waiting}
      leftSection={<IconDownload size={14} />}
      onClick={() => void act.run(undefined)}
    >
      {words.export_csv}
    </Button>
  )
}
