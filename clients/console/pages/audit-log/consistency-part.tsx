import { Button, Input } from '@mantine/core'
import { type ProofVerdict, verifyProof } from '@svc/sdk'
import { readNote } from '@svc/sdk/verify/note'
import { type FormEvent, useEffect, useState } from 'react'
import { Field } from '../../parts/field.tsx'
import { JsonView } from '../../parts/json-view.tsx'
import { ProblemNote } from '../../parts/problem-note.tsx'
import { StateBadge } from '../../parts/words.tsx'
import type { Place } from '../../shell/address.ts'
import { useSession, useWhyNot } from '../../shell/use-session.tsx'
import type { Trust } from './trust.ts'
import { useWork } from './use-work.ts'

interface Props {
  readonly place: Place
  readonly keys: readonly string[]
  readonly trust: Trust
}

interface Proved {
  readonly answer: object
  readonly verdict: ProofVerdict
  readonly first: number
  readonly second: number
}

/** Proves that a larger audit log is an extension of a smaller one. */
export function ConsistencyPart({ place, keys, trust }: Props) {
  const { client, tenant_id } = useSession()
  const why_not = useWhyNot('MAZE', 'prove')
  const { first: asked_first = '', second: asked_second = '' } = place.query
  const [first, setFirst] = useState(asked_first)
  const [second, setSecond] = useState(asked_second)
  useEffect(() => setFirst(asked_first), [asked_first])
  useEffect(() => setSecond(asked_second), [asked_second])
  const work = useWork<Proved>()
  const prove = (event: FormEvent) => {
    event.preventDefault()
    const sizes = { first: Number(first), second: Number(second) }
    work.start(async ({ signal }) => {
      const answer = await client.maze.prove({ kind: 'consistency', ...sizes }, { signal })
      const own_notes = trust.notes.filter((note) => readNote(note)?.origin === `svc/${tenant_id}`)
      const trustedKeys = trust.keys.length > 0 ? trust.keys : keys
      const verdict = await verifyProof(answer, { trustedKeys, checkpoints: own_notes })
      const is_asked = answer.first_size === sizes.first && answer.tree_size === sizes.second
      const misled = { ok: false, vouched: false, reason: 'the proof is for other sizes than requested' }
      return { answer, verdict: verdict.ok && !is_asked ? misled : verdict, ...sizes }
    })
  }
  return (
    <section aria-label="Consistency proof">
      <h2>Consistency proof</h2>
      <form className="row" onSubmit={prove}>
        <SizeField label="Older, records" value={first} onType={setFirst} />
        <SizeField label="Newer, records" value={second} onType={setSecond} />
        <Button type="submit" disabled={why_not !== undefined || work.state === 'running'}>
          Prove consistency
        </Button>
      </form>
      {why_not && <p className="quiet">{why_not}</p>}
      {work.problem && <ProblemNote problem={work.problem} />}
      {work.result && <ProvedNote proved={work.result} has_own_keys={trust.keys.length > 0} />}
    </section>
  )
}

function SizeField({ label, value, onType }: { label: string; value: string; onType(text: string): void }) {
  return (
    <Field label={label}>
      {(ids) => (
        <Input
          {...ids}
          type="number"
          min={0}
          required
          value={value}
          onChange={({ target }) => onType(target.value)}
        />
      )}
    </Field>
  )
}

function ProvedNote({ proved, has_own_keys }: { proved: Proved; has_own_keys: boolean }) {
  const { answer, verdict, first, second } = proved
  const keys = has_own_keys ? 'a key you trust' : 'a key that only the engine vouches for'
  const state = !verdict.ok ? 'broken' : has_own_keys ? 'verified' : 'consistent'
  const kind = { verified: 'note good', consistent: 'note', broken: 'problem' }[state]
  return (
    <div role="status" className={kind}>
      <p>
        <StateBadge state={state} />{' '}
        {verdict.ok
          ? `The audit log of ${second} records extends the audit log of ${first} records without changes. Computed here; signed with ${keys}.`
          : `From ${first} to ${second}: ${verdict.reason}.`}
      </p>
      <details>
        <summary>Raw proof</summary>
        <JsonView label="Answer of MAZE prove" value={answer} />
      </details>
    </div>
  )
}
