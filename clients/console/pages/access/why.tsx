// Why one identity may call an operation, or not: every path of authority, and the one a call would use.
import { Button, Input } from '@mantine/core'
import type { Catalogue } from '@svc/sdk'
import { type FormEvent, useState } from 'react'
import { AnswerOf } from '../../parts/answer-of.tsx'
import { DataTable } from '../../parts/data-table.tsx'
import { Field } from '../../parts/field.tsx'
import { When } from '../../parts/figure.tsx'
import { NoRight } from '../../parts/no-right.tsx'
import { shortened } from '../../parts/shorten.ts'
import { Id, StateBadge } from '../../parts/words.tsx'
import { useQuery } from '../../shell/use-query.ts'
import { useSession, useWhyNot } from '../../shell/use-session.tsx'

type Explanation = Catalogue['MACS']['explain_access']['output']
type Path = Explanation['paths'][number]

export function WhyForm({ did }: { did: string }) {
  const { whoami } = useSession()
  const why_not = useWhyNot('MACS', 'explain_access')
  const [typed, setTyped] = useState('')
  const [chosen, setChosen] = useState<string>()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setChosen(typed.trim())
  }
  if (why_not) return <NoRight protocol="MACS" operation="explain_access" />
  return (
    <>
      <h3>Why can it do something?</h3>
      <form onSubmit={submit} className="row">
        <Field label="Operation">
          {(ids) => (
            <Input
              {...ids}
              required
              pattern="[A-Za-z]+\.[a-z0-9_.]+"
              placeholder="MIND.recall"
              list="operations-to-explain"
              value={typed}
              onChange={({ target }) => setTyped(target.value)}
            />
          )}
        </Field>
        <datalist id="operations-to-explain">
          {whoami.operations.map(({ protocol, operation }) => (
            <option key={`${protocol}.${operation}`} value={`${protocol}.${operation}`} />
          ))}
        </datalist>
        <Button variant="default" type="submit">
          Explain
        </Button>
      </form>
      {chosen && <Why did={did} chosen={chosen} />}
    </>
  )
}

function Why({ did, chosen }: { did: string; chosen: string }) {
  const at = chosen.indexOf('.')
  const [protocol, operation] = [chosen.slice(0, at), chosen.slice(at + 1)]
  const query = useQuery(`why ${did} ${chosen}`, (client, signal) =>
    client.macs.explain_access({ agent_did: did, protocol, operation }, { signal }),
  )
  return (
    <AnswerOf query={query}>
      {(explanation) => (
        <>
          <p role="status">
            {explanation.agent.name ?? shortened(did, 12)}{' '}
            {explanation.allowed || explanation.depends_on_call ? 'may' : 'may not'} call {protocol}{' '}
            {operation}
            {explanation.depends_on_call
              ? ', depending on the call. Without an input it would be refused: '
              : '. '}
            {sentenceOf(explanation)}
          </p>
          <DataTable
            caption="Paths of authority"
            rows={explanation.paths.map((path, index) => ({ ...path, index }))}
            keyOf={({ index }) => String(index)}
            empty="No path of authority leads there."
            columns={[
              { head: 'From', cell: (path) => <Origin path={path} /> },
              { head: 'Capability', cell: ({ capability }) => <code>{capability}</code> },
              {
                head: 'Until',
                cell: ({ expires_at }) => (expires_at ? <When at={expires_at} /> : 'no end'),
              },
              { head: 'Usable now', cell: (path) => <Usable path={path} /> },
            ]}
          />
        </>
      )}
    </AnswerOf>
  )
}

/** With names instead of DIDs. */
function sentenceOf({ refusal, agent }: Explanation): string {
  if (!refusal) return ''
  return refusal.sentence.replaceAll(agent.did, agent.name ?? shortened(agent.did, 12))
}

const words = {
  open: 'needs no capability',
  declared: 'its document',
  key: 'a key',
  delegation: 'delegation',
  treaty: 'treaty',
  envelope: 'envelope',
  role: 'role',
} as const

function Origin({ path }: { path: Path }) {
  const { source, chain, department, source_ref } = path
  if (chain?.[0]) {
    const members = [chain[0].from, ...chain.map(({ to }) => to)]
    return <>{members.map(({ did, name }) => name ?? shortened(did, 12)).join(' → ')}</>
  }
  return (
    <>
      {words[source]}{' '}
      {department ?? (source === 'role' ? source_ref : source_ref && <Id text={source_ref} />)}
    </>
  )
}

function Usable({ path: { used, blocked } }: { path: Path }) {
  if (blocked) return <StateBadge state={`no: ${blocked.sentence}`} />
  return <StateBadge state={used ? 'yes, a call uses this one' : 'yes'} />
}
