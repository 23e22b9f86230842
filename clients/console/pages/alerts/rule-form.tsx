// A rule as a form: only the fields that fit what it watches.
import { Button, MultiSelect, NumberInput, Select, SimpleGrid, TagsInput, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { refusals } from '../../../../generated/sdk-operations.ts'
import { useAgentChoices } from '../../parts/pickers.tsx'
import { ProblemNote } from '../../parts/problem-note.tsx'
import { useOperation } from '../../shell/use-operation.ts'
import { useAct } from '../../shell/use-query.ts'
import { useSession } from '../../shell/use-session.tsx'
import { words } from '../../words/en.ts'
import { type Rule, type RuleInput, type WatchName, watches, windowsOf, windowText } from './watches.ts'

const text = words.alerts
const resolve_minutes_max = 1_440
const listed_max = 100
const [target_min, target_max, threshold_ms_max] = [0.5, 0.99999, 100_000]
const name_form = '[a-z0-9][a-z0-9_\\-]{0,63}'

type Draft = Required<
  Pick<RuleInput, 'name' | 'watches' | 'window_minutes' | 'severity' | 'mail_to' | 'mailboxes'>
> &
  RuleInput

const first: Draft = {
  name: '',
  watches: 'refusals',
  window_minutes: watches.refusals.window_default_minutes,
  severity: 'warning',
  mail_to: [],
  mailboxes: [],
}

export function RuleForm({ rule, onSet }: { rule?: Rule; onSet(): void }) {
  const [draft, setDraft] = useState<Draft>(() => (rule ? draftOf(rule) : first))
  const change = (part: Partial<Draft>) => setDraft({ ...draft, ...part })
  const set = useAct(async (client) => {
    await client.motif.set_alert_rule(filled(draft))
    onSet()
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void set.run(undefined)
  }
  return (
    <form onSubmit={submit} aria-label={rule ? text.change : text.new_rule} className="form">
      <TextInput
        label={text.name}
        description={text.name_hint}
        required
        disabled={rule !== undefined}
        pattern={name_form}
        title={text.name_hint}
        value={draft.name}
        onChange={({ currentTarget }) => change({ name: currentTarget.value })}
      />
      <ConditionFields draft={draft} onChange={change} />
      <NarrowingFields draft={draft} onChange={change} />
      <RecipientFields draft={draft} onChange={change} />
      <Button type="submit" loading={set.is_waiting}>
        {rule ? text.save : text.set_rule}
      </Button>
      {set.problem && <ProblemNote problem={set.problem} />}
    </form>
  )
}

function draftOf(rule: Rule): Draft {
  const { set_by, set_at, silenced_until, last_value, last_read_at, last_failure, ...input } = rule
  return input
}

/** Without empty fields, which the engine would take for a name. */
function filled(draft: Draft): RuleInput {
  return Object.fromEntries(
    Object.entries(draft).filter(([, value]) => value !== '' && value !== undefined),
  ) as unknown as RuleInput
}

interface Fields {
  readonly draft: Draft
  onChange(part: Partial<Draft>): void
}

function ConditionFields({ draft, onChange }: Fields) {
  const watch = (name: WatchName) =>
    onChange({
      watches: name,
      above: watches[name].above_default,
      window_minutes: watches[name].window_default_minutes,
      protocol: undefined,
      operation: undefined,
      code: undefined,
      percentile: undefined,
      target: undefined,
      threshold_ms: undefined,
    } as Partial<Draft>)
  return (
    <>
      <Select
        label={text.watches}
        allowDeselect={false}
        data={Object.entries(text.watch_names).map(([value, label]) => ({ value, label }))}
        value={draft.watches}
        onChange={(name) => name && watch(name as WatchName)}
      />
      <LimitFields draft={draft} onChange={onChange} />
    </>
  )
}

function LimitFields({ draft, onChange }: Fields) {
  const { unit, above_default } = watches[draft.watches]
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }}>
      <NumberInput
        label={text.above_label}
        suffix={` ${unit}`}
        min={0}
        required={above_default === undefined}
        thousandSeparator=","
        value={draft.above ?? ''}
        onChange={(above) => onChange({ above: Number(above) })}
      />
      <Select
        label={draft.watches === 'keys' || draft.watches === 'treaties' ? text.ahead : text.back}
        allowDeselect={false}
        data={windowsOf(draft.watches, draft.window_minutes).map((minutes) => ({
          value: String(minutes),
          label: windowText(minutes),
        }))}
        value={String(draft.window_minutes)}
        onChange={(minutes) => onChange({ window_minutes: Number(minutes) })}
      />
      <Select
        label={text.severity}
        allowDeselect={false}
        data={Object.entries(text.severities).map(([value, label]) => ({ value, label }))}
        value={draft.severity}
        onChange={(severity) => onChange({ severity: severity as Draft['severity'] })}
      />
      <NumberInput
        label={text.resolves_after}
        suffix=" min"
        min={0}
        max={resolve_minutes_max}
        allowDecimal={false}
        placeholder={text.resolves_default}
        value={draft.resolve_after_minutes ?? ''}
        onChange={(minutes) =>
          onChange({
            resolve_after_minutes: minutes === '' ? undefined : Number(minutes),
          } as Partial<Draft>)
        }
      />
    </SimpleGrid>
  )
}

function NarrowingFields({ draft, onChange }: Fields) {
  const { whoami } = useSession()
  const { narrowed_by } = watches[draft.watches]
  if (narrowed_by.length === 0) return null
  const protocols = [...new Set(whoami.operations.map(({ protocol }) => protocol))].sort()
  const operations = whoami.operations.filter(({ protocol }) => protocol === draft.protocol)
  const choices = {
    protocol: protocols,
    operation: [...new Set(operations.map(({ operation }) => operation))].sort(),
    code: Object.keys(refusals),
    percentile: ['p50', 'p95', 'p99'],
  }
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }}>
      {narrowed_by.map((field) =>
        field === 'target' || field === 'threshold_ms' ? (
          <ObjectiveField key={field} field={field} draft={draft} onChange={onChange} />
        ) : (
          <Select
            key={field}
            label={text.narrowed[field]}
            placeholder={field === 'percentile' ? 'p95' : words.any}
            clearable
            searchable={field !== 'percentile'}
            disabled={field === 'operation' && draft.protocol === undefined}
            data={choices[field]}
            value={draft[field] ?? null}
            onChange={(choice) =>
              onChange({
                [field]: choice ?? undefined,
                ...(field === 'protocol' && { operation: undefined }),
              } as Partial<Draft>)
            }
          />
        ),
      )}
    </SimpleGrid>
  )
}

function ObjectiveField({ field, draft, onChange }: Fields & { field: 'target' | 'threshold_ms' }) {
  const is_target = field === 'target'
  return (
    <NumberInput
      label={text.narrowed[field]}
      required={is_target}
      placeholder={is_target ? '0.999' : words.any}
      suffix={is_target ? '' : ' ms'}
      min={is_target ? target_min : 0}
      max={is_target ? target_max : threshold_ms_max}
      value={draft[field] ?? ''}
      onChange={(value) => onChange({ [field]: value === '' ? undefined : Number(value) } as Partial<Draft>)}
    />
  )
}

/** People by login, agents by name. */
function RecipientFields({ draft, onChange }: Fields) {
  const people = useOperation('MACS', 'people', { limit: listed_max })
  const agents = useAgentChoices(draft.mailboxes)
  return (
    <>
      <TagsInput
        label={text.by_mail}
        description={text.by_mail_hint}
        data={(people.answer?.items ?? []).map(({ login }) => login)}
        value={draft.mail_to}
        onChange={(mail_to) => onChange({ mail_to })}
      />
      <MultiSelect
        label={text.by_mailbox}
        searchable
        nothingFoundMessage={words.nobody_matches}
        data={agents}
        value={draft.mailboxes}
        onChange={(mailboxes) => onChange({ mailboxes })}
      />
      <p className="quiet">
        {text.by_webhook} <a href="#/settings/webhooks">{text.by_webhook_go}</a>
      </p>
    </>
  )
}
