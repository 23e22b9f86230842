// When a view runs by itself, and who gets its file by mail.
import { Button, Select, SimpleGrid, TagsInput, TextInput } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { type FormEvent, useState } from 'react'
import { ProblemNote } from '../../parts/problem-note.tsx'
import { useOperation } from '../../shell/use-operation.ts'
import { useAct } from '../../shell/use-query.ts'
import { words } from '../../words/en.ts'
import type { Schedule, View } from './view.ts'

const text = words.reports
const listed_max = 100
const days_of_month = 28

type Cadence = Schedule['every'] | 'never'

interface Draft {
  readonly every: Cadence
  readonly day: string
  readonly at: string
  readonly time_zone: string
  readonly mail_to: string[]
}

export function ScheduleForm({ view }: { view: View }) {
  const [draft, setDraft] = useState<Draft>(() => draftOf(view.schedule))
  const change = (part: Partial<Draft>) => setDraft({ ...draft, ...part })
  const people = useOperation('MACS', 'people', { limit: listed_max })
  const save = useAct(async (client) => {
    const { name, shared = false, operation, filters, page } = view
    const schedule = scheduleOf(draft)
    await client.max.set_view({
      ...{ name, shared, operation, filters },
      ...(page !== undefined && { page }),
      ...(schedule && { schedule }),
    })
    notifications.show({ message: text.schedule_saved })
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void save.run(undefined)
  }
  return (
    <form onSubmit={submit} className="form panel schedule" aria-label={text.schedule}>
      <h3>{text.schedule}</h3>
      <p className="quiet">{text.schedule_means}</p>
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <Select
          label={text.every}
          allowDeselect={false}
          data={Object.entries(text.cadences).map(([value, label]) => ({ value, label }))}
          value={draft.every}
          onChange={(every) => every && change({ every: every as Cadence, day: '1' })}
        />
        {draft.every !== 'never' && <TimeFields draft={draft} onChange={change} />}
      </SimpleGrid>
      {draft.every !== 'never' && (
        <TagsInput
          label={text.mail_to}
          description={text.mail_to_hint}
          data={(people.answer?.items ?? []).map(({ login }) => login)}
          value={draft.mail_to}
          onChange={(mail_to) => change({ mail_to })}
        />
      )}
      <Button type="submit" size="xs" loading={save.is_waiting}>
        {text.save_schedule}
      </Button>
      {save.problem && <ProblemNote problem={save.problem} />}
    </form>
  )
}

function TimeFields({ draft, onChange }: { draft: Draft; onChange(part: Partial<Draft>): void }) {
  const days =
    draft.every === 'weekly'
      ? text.weekdays.map((label, index) => ({ value: String(index + 1), label }))
      : Array.from({ length: days_of_month }, (_, index) => String(index + 1))
  return (
    <>
      {draft.every !== 'daily' && (
        <Select
          label={draft.every === 'weekly' ? text.day_of_week : text.day_of_month}
          allowDeselect={false}
          data={days}
          value={draft.day}
          onChange={(day) => day && onChange({ day })}
        />
      )}
      <TextInput
        type="time"
        label={text.at}
        required
        value={draft.at}
        onChange={({ currentTarget }) => onChange({ at: currentTarget.value })}
      />
      <Select
        label={text.time_zone}
        allowDeselect={false}
        searchable
        limit={50}
        data={[...new Set(['UTC', draft.time_zone, ...Intl.supportedValuesOf('timeZone')])]}
        value={draft.time_zone}
        onChange={(time_zone) => time_zone && onChange({ time_zone })}
      />
    </>
  )
}

function draftOf(schedule: Schedule | undefined): Draft {
  const here = Intl.DateTimeFormat().resolvedOptions().timeZone
  if (!schedule) return { every: 'never', day: '1', at: '07:00', time_zone: here, mail_to: [] }
  const { every, at, day = 1, time_zone = 'UTC', mail_to = [] } = schedule
  return { every, at, day: String(day), time_zone, mail_to }
}

function scheduleOf({ every, day, at, time_zone, mail_to }: Draft): Schedule | undefined {
  if (every === 'never') return undefined
  return { every, at, time_zone, mail_to, ...(every !== 'daily' && { day: Number(day) }) }
}
