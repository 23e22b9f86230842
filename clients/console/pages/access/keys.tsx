// The caller's own API keys. A new key is shown once; only its digest is stored.
import { Button, Input } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { askRoute } from '../../api/session.ts'
import { AnswerOf } from '../../parts/answer-of.tsx'
import { ConfirmAction } from '../../parts/confirm-action.tsx'
import { DataTable } from '../../parts/data-table.tsx'
import { Field } from '../../parts/field.tsx'
import { When } from '../../parts/figure.tsx'
import { TextView } from '../../parts/json-view.tsx'
import { Pager } from '../../parts/pager.tsx'
import { ProblemNote } from '../../parts/problem-note.tsx'
import { usePages } from '../../parts/use-pages.ts'
import { StateBadge } from '../../parts/words.tsx'
import { type Action, useAct, useQuery } from '../../shell/use-query.ts'
import { useSession } from '../../shell/use-session.tsx'

interface KeyLine {
  readonly key_id: string
  readonly label: string | null
  readonly created_at: string
  readonly expires_at: string | null
  readonly revoked_at: string | null
  readonly last_used_at: string | null
}

const page_keys = 25

export function Keys() {
  const session = useSession()
  const pages = usePages<string>()
  const query = useQuery(`keys ${pages.cursor}`, () => {
    const before = pages.cursor ? `&before=${encodeURIComponent(pages.cursor)}` : ''
    const path = `/v1/keys?limit=${page_keys}${before}`
    return askRoute<{ keys: KeyLine[]; next: string | null }>(session, 'GET', path)
  })
  const revoke = useAct(async (_client, key_id: string) => {
    await askRoute(session, 'DELETE', `/v1/keys/${key_id}`)
    query.again()
  })
  return (
    <>
      <NewKey onMade={query.again} />
      {revoke.problem && <ProblemNote problem={revoke.problem} />}
      <AnswerOf query={query}>
        {({ keys, next }) => (
          <>
            <DataTable
              caption="Your API keys"
              rows={keys}
              keyOf={({ key_id }) => key_id}
              empty="You have no API key yet. Create one above."
              columns={[
                { head: 'Key', cell: ({ key_id }) => <code>{key_id}</code> },
                { head: 'Label', cell: ({ label }) => label ?? '–' },
                { head: 'State', cell: (key) => <StateBadge state={stateOf(key)} /> },
                { head: 'Made', cell: ({ created_at }) => <When at={created_at} /> },
                { head: 'Last used', cell: ({ last_used_at }) => <When at={last_used_at} /> },
                {
                  head: 'Ends',
                  cell: ({ expires_at }) => (expires_at ? <When at={expires_at} /> : 'no end'),
                },
                {
                  head: 'Revoke',
                  cell: (key) => stateOf(key) === 'active' && <RevokeButton line={key} revoke={revoke} />,
                },
              ]}
            />
            <Pager pages={pages} next={next} />
          </>
        )}
      </AnswerOf>
    </>
  )
}

function RevokeButton({ line: { key_id, label }, revoke }: { line: KeyLine; revoke: Action<string> }) {
  return (
    <ConfirmAction
      label={`Revoke ${key_id}`}
      brief="Revoke"
      title="Revoke this key?"
      is_waiting={revoke.is_waiting}
      onConfirm={() => void revoke.run(key_id)}
    >
      <p>
        Calls with <code>{key_id}</code> {label && `(${label}) `}are refused from now on, by every engine
        within a second. This cannot be undone, but you can create a new key.
      </p>
    </ConfirmAction>
  )
}

function stateOf({ revoked_at, expires_at }: KeyLine): 'active' | 'revoked' | 'expired' {
  if (revoked_at) return 'revoked'
  return expires_at && Date.parse(expires_at) <= performance.timeOrigin + performance.now()
    ? 'expired'
    : 'active'
}

function NewKey({ onMade }: { onMade(): void }) {
  const session = useSession()
  const [label, setLabel] = useState('')
  const [made, setMade] = useState<string>()
  const make = useAct(async () => {
    const body = label ? { label } : {}
    const { api_key } = await askRoute<{ api_key: string }>(session, 'POST', '/v1/keys', body)
    setMade(api_key)
    setLabel('')
    onMade()
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void make.run(undefined)
  }
  return (
    <section aria-label="A new key">
      <form className="row" onSubmit={submit}>
        <Field label="Label of a new key" hint="What it is for, so that you recognize it.">
          {(ids) => (
            <Input {...ids} maxLength={100} value={label} onChange={({ target }) => setLabel(target.value)} />
          )}
        </Field>
        <Button variant="default" type="submit" disabled={make.is_waiting}>
          Create a key
        </Button>
      </form>
      {make.problem && <ProblemNote problem={make.problem} />}
      {made && (
        <div className="note good" role="status">
          <p>This is the only time the key is shown. Store it in a secret store.</p>
          <TextView label="Your new key" text={made} />
        </div>
      )}
    </section>
  )
}
