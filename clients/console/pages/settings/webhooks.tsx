// Webhooks: addresses that receive events of the organization's audit log.
import { Button, Input, TagsInput } from '@mantine/core'
import type { Catalogue } from '@svc/sdk'
import { type FormEvent, useState } from 'react'
import { AnswerOf } from '../../parts/answer-of.tsx'
import { ConfirmAction } from '../../parts/confirm-action.tsx'
import { DataTable } from '../../parts/data-table.tsx'
import { everyOf } from '../../parts/every-of.ts'
import { Field } from '../../parts/field.tsx'
import { Duration, When } from '../../parts/figure.tsx'
import { TextView } from '../../parts/json-view.tsx'
import { NoRight } from '../../parts/no-right.tsx'
import { ProblemNote } from '../../parts/problem-note.tsx'
import { StateBadge } from '../../parts/words.tsx'
import { useAct, useQuery } from '../../shell/use-query.ts'
import { useWhyNot } from '../../shell/use-session.tsx'
import { words } from '../../words/en.ts'

const text = words.settings.webhook

type Webhook = Catalogue['MAX']['list_webhooks']['output']['items'][number]

export function Webhooks() {
  const why_not = useWhyNot('MAX', 'list_webhooks')
  return why_not ? <NoRight protocol="MAX" operation="list_webhooks" /> : <WebhookList />
}

function WebhookList() {
  const query = useQuery('webhooks', (client, signal) => client.max.list_webhooks({}, { signal }))
  const remove = useAct(async (client, name: string) => {
    await client.max.remove_webhook({ name })
    query.again()
  })
  const why_not = useWhyNot('MAX', 'set_webhook')
  return (
    <>
      {why_not ? <NoRight protocol="MAX" operation="set_webhook" /> : <NewWebhook onSet={query.again} />}
      {remove.problem && <ProblemNote problem={remove.problem} />}
      <AnswerOf query={query}>
        {({ items }) => (
          <DataTable
            caption={words.settings.webhooks}
            rows={items}
            keyOf={({ name }) => name}
            empty={text.none}
            columns={[
              { head: text.name, cell: ({ name }) => <code>{name}</code> },
              { head: text.state, cell: StateOf },
              { head: text.address, cell: ({ address }) => address },
              { head: text.events, cell: ({ event_types }) => event_types.join(', ') },
              { head: text.delivered, cell: ({ last_delivered_at }) => <When at={last_delivered_at} /> },
              {
                head: text.behind,
                cell: ({ seconds_behind }) =>
                  seconds_behind === 0 ? text.not_behind : <Duration ms={seconds_behind * 1000} />,
              },
              {
                head: text.remove,
                cell: ({ name }) => (
                  <ConfirmAction
                    label={text.remove_one(name)}
                    brief={text.remove}
                    title={text.remove_title}
                    is_waiting={remove.is_waiting}
                    onConfirm={() => void remove.run(name)}
                  >
                    <p>{text.remove_means}</p>
                  </ConfirmAction>
                ),
              },
            ]}
          />
        )}
      </AnswerOf>
    </>
  )
}

function StateOf({ state, last_failure, next_attempt_at }: Webhook) {
  return (
    <>
      <StateBadge state={state} />
      {last_failure && <p>{last_failure}</p>}
      {next_attempt_at && (
        <p>
          {text.next_try} <When at={next_attempt_at} />
        </p>
      )}
    </>
  )
}

const presets = {
  approvals: ['ApprovalRequested', 'ApprovalGiven', 'ApprovalRefused', 'ApprovalExpired'],
  alerts: ['AlertFired', 'AlertResolved'],
}
const event_types_max = 32
const empty = { name: '', address: '', event_types: presets.approvals }
const one_line = [
  ['name', text.name, text.name_hint],
  ['address', text.address, text.address_hint],
] as const

function NewWebhook({ onSet }: { onSet(): void }) {
  const [wish, setWish] = useState(empty)
  const [secret, setSecret] = useState<string>()
  const set = useAct(async (client) => {
    const webhook = await client.max.set_webhook(wish)
    setSecret(webhook.secret)
    setWish(empty)
    onSet()
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void set.run(undefined)
  }
  return (
    <section aria-label={text.new_one}>
      <form onSubmit={submit}>
        <div className="row grow">
          {one_line.map(([name, label, hint]) => (
            <Field key={name} label={label} hint={hint}>
              {(ids) => (
                <Input
                  {...ids}
                  required
                  maxLength={2010}
                  value={wish[name]}
                  onChange={({ target }) => setWish({ ...wish, [name]: target.value })}
                />
              )}
            </Field>
          ))}
        </div>
        <TagsInput
          label={text.event_types}
          description={text.event_types_hint}
          maxTags={event_types_max}
          splitChars={[' ', ',']}
          data={Object.values(presets).flat()}
          value={wish.event_types}
          onChange={(event_types) => setWish({ ...wish, event_types })}
        />
        <Presets onChosen={(event_types) => setWish({ ...wish, event_types })} />
        <Button type="submit" disabled={set.is_waiting || wish.event_types.length === 0}>
          {text.set}
        </Button>
      </form>
      {set.problem && <ProblemNote problem={set.problem} />}
      {secret && (
        <div className="note good" role="status">
          <p>{text.secret_means}</p>
          <TextView label={text.secret} text={secret} />
        </div>
      )}
    </section>
  )
}

function Presets({ onChosen }: { onChosen(event_types: string[]): void }) {
  return (
    <div className="row middle">
      <span className="quiet">{words.settings.preset}</span>
      {everyOf<keyof typeof presets>({ approvals: true, alerts: true }).map((preset) => (
        <Button key={preset} variant="subtle" size="compact-sm" onClick={() => onChosen(presets[preset])}>
          {words.settings.presets[preset]}
        </Button>
      ))}
    </div>
  )
}
