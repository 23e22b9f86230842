// A new API key with its limits in one form. It is shown once; only its digest is stored.
import { Button, MultiSelect, NumberInput, Select, SimpleGrid, TagsInput, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { TextView } from '../../parts/json-view.tsx'
import { ProblemNote } from '../../parts/problem-note.tsx'
import { nowMs } from '../../shell/clock.ts'
import { useAct } from '../../shell/use-query.ts'
import { useSession } from '../../shell/use-session.tsx'
import { words } from '../../words/en.ts'

const text = words.keys
const day_ms = 86_400_000
const ends_in_days = [7, 30, 90, 365]
const capabilities_max = 64
const networks_max = 16
const drawn_max = 50

const empty = {
  label: '',
  days: 90,
  capabilities: [] as string[],
  weekly_budget_usd: '' as string | number,
  networks: [] as string[],
}

export function NewKey({ did }: { did: string }) {
  const [draft, setDraft] = useState(empty)
  const [made, setMade] = useState<string>()
  const change = (part: Partial<typeof empty>) => setDraft({ ...draft, ...part })
  const make = useAct(async (client) => {
    const { api_key } = await client.macs.create_key(inputOf(did, draft))
    setMade(api_key)
    setDraft(empty)
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void make.run(undefined)
  }
  return (
    <section aria-label={text.new_key}>
      <form className="form" onSubmit={submit}>
        <LimitFields draft={draft} onChange={change} />
        <BoundFields draft={draft} onChange={change} />
        <Button type="submit" loading={make.is_waiting}>
          {text.create}
        </Button>
      </form>
      {make.problem && <ProblemNote problem={make.problem} />}
      {made && (
        <div className="note good" role="status">
          <p>{text.only_now}</p>
          <TextView label={text.your_key} text={made} />
        </div>
      )}
    </section>
  )
}

function inputOf(
  agent_did: string,
  { label, days, capabilities, weekly_budget_usd, networks }: typeof empty,
) {
  return {
    agent_did,
    label: label.trim(),
    expires_at: new Date(nowMs() + days * day_ms).toISOString(),
    networks,
    ...(capabilities.length > 0 && { capabilities }),
    ...(weekly_budget_usd !== '' && { weekly_budget_usd: String(weekly_budget_usd) }),
  }
}

interface Fields {
  readonly draft: typeof empty
  onChange(part: Partial<typeof empty>): void
}

function LimitFields({ draft, onChange }: Fields) {
  return (
    <SimpleGrid cols={{ base: 1, xs: 3 }}>
      <TextInput
        label={text.label}
        description={text.label_hint}
        required
        maxLength={64}
        value={draft.label}
        onChange={({ currentTarget }) => onChange({ label: currentTarget.value })}
      />
      <Select
        label={text.ends}
        description={text.ends_hint}
        allowDeselect={false}
        data={ends_in_days.map((days) => ({ value: String(days), label: text.in_days(days) }))}
        value={String(draft.days)}
        onChange={(days) => onChange({ days: Number(days) })}
      />
      <NumberInput
        label={text.budget}
        description={text.budget_hint}
        prefix="$ "
        min={0}
        decimalScale={6}
        thousandSeparator=","
        value={draft.weekly_budget_usd}
        onChange={(weekly_budget_usd) => onChange({ weekly_budget_usd })}
      />
    </SimpleGrid>
  )
}

/** What it may call, and from where. */
function BoundFields({ draft, onChange }: Fields) {
  const { whoami } = useSession()
  const callable = whoami.operations.filter(({ may }) => may !== 'no').map(({ capability }) => capability)
  return (
    <>
      <MultiSelect
        label={text.capabilities}
        description={text.capabilities_hint}
        placeholder={draft.capabilities.length === 0 ? text.everything : ''}
        searchable
        clearable
        limit={drawn_max}
        maxValues={capabilities_max}
        data={[...new Set(callable)].sort()}
        value={draft.capabilities}
        onChange={(capabilities) => onChange({ capabilities })}
      />
      <TagsInput
        label={text.networks}
        description={text.networks_hint}
        placeholder={draft.networks.length === 0 ? text.anywhere : ''}
        maxTags={networks_max}
        value={draft.networks}
        onChange={(networks) => onChange({ networks })}
      />
    </>
  )
}
