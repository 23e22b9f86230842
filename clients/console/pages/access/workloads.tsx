// Workloads of other platforms that act as agents of the organization, without a stored secret.
import { Button, Input, Textarea } from '@mantine/core'
import type { Catalogue } from '@svc/sdk'
import { type FormEvent, useState } from 'react'
import { AnswerOf } from '../../parts/answer-of.tsx'
import { ConfirmAction } from '../../parts/confirm-action.tsx'
import { DataTable } from '../../parts/data-table.tsx'
import { Field } from '../../parts/field.tsx'
import { When } from '../../parts/figure.tsx'
import { NoRight } from '../../parts/no-right.tsx'
import { Pager } from '../../parts/pager.tsx'
import { AgentPicker } from '../../parts/pickers.tsx'
import { ProblemNote } from '../../parts/problem-note.tsx'
import { usePages } from '../../parts/use-pages.ts'
import { Id } from '../../parts/words.tsx'
import { type Action, useAct, useQuery } from '../../shell/use-query.ts'
import { useWhyNot } from '../../shell/use-session.tsx'
import { claimLines, readClaims } from './claims-text.ts'

type Workload = Catalogue['MACS']['list_workloads']['output']['items'][number]

export function Workloads() {
  const why_not = useWhyNot('MACS', 'list_workloads')
  return why_not ? <NoRight protocol="MACS" operation="list_workloads" /> : <WorkloadList />
}

function WorkloadList() {
  const pages = usePages<string>()
  const query = useQuery(`workloads ${pages.cursor}`, (client, signal) =>
    client.macs.list_workloads({ limit: 25, ...(pages.cursor ? { cursor: pages.cursor } : {}) }, { signal }),
  )
  const remove = useAct(async (client, workload_id: string) => {
    await client.macs.remove_workload({ workload_id })
    query.again()
  })
  const why_not = useWhyNot('MACS', 'add_workload')
  return (
    <>
      {why_not ? <NoRight protocol="MACS" operation="add_workload" /> : <NewWorkload onAdded={query.again} />}
      {remove.problem && <ProblemNote problem={remove.problem} />}
      <AnswerOf query={query}>
        {({ items, next_cursor }) => (
          <>
            <DataTable
              caption="Workloads"
              rows={items}
              keyOf={({ workload_id }) => workload_id}
              empty="None. A pod or a CI job may act as an agent by the token that its platform gives it."
              columns={[
                { head: 'Workload', cell: ({ workload_id }) => <code>{workload_id}</code> },
                { head: 'Acts as', cell: ({ agent_did }) => <Id text={agent_did} /> },
                { head: 'Issuer', cell: ({ issuer }) => issuer },
                { head: 'Audience', cell: ({ audience }) => audience },
                { head: 'Claims', cell: ClaimList },
                { head: 'Added', cell: ({ created_at }) => <When at={created_at} /> },
                { head: 'Last used', cell: ({ last_used_at }) => <When at={last_used_at} /> },
                { head: 'Remove', cell: (workload) => <RemoveButton line={workload} remove={remove} /> },
              ]}
            />
            <Pager pages={pages} next={next_cursor} />
          </>
        )}
      </AnswerOf>
    </>
  )
}

function ClaimList({ claims }: Workload) {
  return (
    <ul>
      {claimLines(claims).map((line) => (
        <li key={line}>
          <code>{line}</code>
        </li>
      ))}
    </ul>
  )
}

function RemoveButton({ line, remove }: { line: Workload; remove: Action<string> }) {
  const { workload_id, agent_did } = line
  return (
    <ConfirmAction
      label={`Remove ${workload_id}`}
      brief="Remove"
      title="Remove this workload?"
      is_waiting={remove.is_waiting}
      onConfirm={() => void remove.run(workload_id)}
    >
      <p>
        Its tokens are not accepted as {agent_did} any more. Its sessions end, on every engine within a
        second, and workflows begun in them end too.
      </p>
    </ConfirmAction>
  )
}

const empty = { agent_did: '', issuer: '', audience: '', claims: '' }
const one_line = [
  ['issuer', 'Issuer', 'As in the iss of its tokens, such as https://token.actions.githubusercontent.com.'],
  ['audience', 'Audience', 'As in the aud of its tokens.'],
] as const

function NewWorkload({ onAdded }: { onAdded(): void }) {
  const [wish, setWish] = useState(empty)
  const claims = readClaims(wish.claims)
  const add = useAct(async (client) => {
    await client.macs.add_workload({ ...wish, claims: claims! })
    setWish(empty)
    onAdded()
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void add.run(undefined)
  }
  return (
    <section aria-label="A new workload">
      <form onSubmit={submit}>
        <div className="row grow">
          <AgentPicker
            label="Agent"
            hint="Whom it acts as: you, or an agent that descends from you."
            is_required
            value={wish.agent_did}
            onChange={(agent_did) => setWish({ ...wish, agent_did })}
          />
          {one_line.map(([name, label, hint]) => (
            <Field key={name} label={label} hint={hint}>
              {(ids) => (
                <Input
                  {...ids}
                  required
                  maxLength={500}
                  value={wish[name]}
                  onChange={({ target }) => setWish({ ...wish, [name]: target.value.trim() })}
                />
              )}
            </Field>
          ))}
        </div>
        <Field
          label="Claims"
          hint="One a line, such as repository=acme/app. All must fit; the same name again accepts another text."
        >
          {(ids) => (
            <Textarea
              {...ids}
              required
              value={wish.claims}
              onChange={({ target }) => setWish({ ...wish, claims: target.value })}
            />
          )}
        </Field>
        <Button variant="default" type="submit" disabled={add.is_waiting || !claims || wish.agent_did === ''}>
          Add a workload
        </Button>
      </form>
      {add.problem && <ProblemNote problem={add.problem} />}
    </section>
  )
}
