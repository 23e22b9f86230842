// Webhooks: addresses that receive events of the organization's audit log.
import { Button, Input, TagsInput } from '@mantine/core'
import type { Catalogue } from '@svc/sdk'
import { type FormEvent, useState } from 'react'
import { AnswerOf } from '../../parts/answer-of.tsx'
import { ConfirmAction } from '../../parts/confirm-action.tsx'
import { DataTable } from '../../parts/data-table.tsx'
import { everyOf } from '../../parts/every-of.ts'
import { Field } from '../../parts/field.tsx'
import { When } from '../../parts/figure.tsx'
import { TextView } from '../../parts/json-view.tsx'
import { NoRight } from '../../parts/no-right.tsx'
import { ProblemNote } from '../../parts/problem-note.tsx'
import { StateBadge } from '../../parts/words.tsx'
import { useAct, useQuery } from '../../shell/use-query.ts'
import { useWhyNot } from '../../shell/use-session.tsx'
import { words } from '../../words/en.ts'

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
            caption="Webhooks"
            rows={items}
            keyOf={({ name }) => name}
            empty="None. Events such as ApprovalRequested can be posted to an address of yours."
            columns={[
              { head: 'Name', cell: ({ name }) => <code>{name}</code> },
              { head: 'State', cell: StateOf },
              { head: 'Address', cell: ({ address }) => address },
              { head: 'Events', cell: ({ event_types }) => event_types.join(', ') },
              { head: 'Delivered', cell: ({ last_delivered_at }) => <When at={last_delivered_at} /> },
              { head: 'Behind', cell: ({ seconds_behind }) => `${seconds_behind} s` },
              {
                head: 'Remove',
                cell: ({ name }) => (
                  <ConfirmAction
                    label={`Remove ${name}`}
                    brief="Remove"
                    title="Remove this webhook?"
                    is_waiting={remove.is_waiting}
                    onConfirm={() => void remove.run(name)}
                  >
                    <p>What it has not delivered yet is not sent any more. This cannot be undone.</p>
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
          Next try <When at={next_attempt_at} />
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
  ['name', 'Name', 'Such as approvals. An existing one is changed.'],
  ['address', 'Address', 'A public https address of your receiver.'],
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
    <section aria-label="A new webhook">
      <form onSubmit={submit}>
        <div className="row">
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
          label="Event types"
          description="Of the audit log. Others than those offered can be typed."
          maxTags={event_types_max}
          splitChars={[' ', ',']}
          data={Object.values(presets).flat()}
          value={wish.event_types}
          onChange={(event_types) => setWish({ ...wish, event_types })}
        />
        <Presets onChosen={(event_types) => setWish({ ...wish, event_types })} />
        <Button type="submit" disabled={set.is_waiting || wish.event_types.length === 0}>
          Set a webhook
        </Button>
      </form>
      {set.problem && <ProblemNote problem={set.problem} />}
      {secret && (
        <div className="note good" role="status">
          <p>This secret verifies what is posted. It is shown only now: give it to your receiver.</p>
          <TextView label="Signing secret" text={secret} />
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
