import { Button, Input, NativeSelect, Textarea } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { ConfirmAction } from '../../../parts/confirm-action.tsx'
import { Field } from '../../../parts/field.tsx'
import { NoRight } from '../../../parts/no-right.tsx'
import { ProblemNote } from '../../../parts/problem-note.tsx'
import { useAct } from '../../../shell/use-query.ts'
import { useWhyNot } from '../../../shell/use-session.tsx'
import { type Case, remedy_kinds, wordsOf } from './case.ts'
import { type Plea, type PleaDraft, plea_words, pleadingOf, pleasOf, type RemedyKind } from './plea.ts'

/** Shown to the parties while they may plead. */
export function PleadForm({ found, onPleaded }: { found: Case; onPleaded(): void }) {
  const why_not = useWhyNot('MOOT', 'plead')
  const pleas = pleasOf(found)
  if (!['FILED', 'PLEADED'].includes(found.state) || pleas.length === 0) return null
  if (why_not) return <NoRight protocol="MOOT" operation="plead" />
  return <OpenForm case_id={found.case_id} pleas={pleas} onPleaded={onPleaded} />
}

interface Props {
  readonly case_id: string
  readonly pleas: readonly Plea[]
  onPleaded(): void
}

function OpenForm({ case_id, pleas, onPleaded }: Props) {
  const [draft, setDraft] = useState<PleaDraft>(() => ({
    plea: pleas[0]!,
    argument: '',
    evidence: '',
    kind: 'pay',
    amount_usd: '',
    claim: '',
  }))
  const plead = useAct(async (client) => {
    await client.moot.plead(pleadingOf(case_id, draft))
    setDraft({ ...draft, argument: '', evidence: '', amount_usd: '', claim: '' })
    onPleaded()
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void plead.run(undefined)
  }
  const is_final = draft.plea === 'admit' || draft.plea === 'withdraw'
  return (
    <form onSubmit={submit} aria-label="Plead">
      <h2>Plead</h2>
      <PleaFields pleas={pleas} draft={draft} onChange={setDraft} />
      {plead.problem && <ProblemNote problem={plead.problem} />}
      <p>
        {is_final ? (
          <ConfirmAction
            label={draft.plea === 'admit' ? 'Admit the claim' : 'Withdraw the case'}
            title={draft.plea === 'admit' ? 'Admit the claim?' : 'Withdraw the case?'}
            is_waiting={plead.is_waiting}
            why_not={draft.argument.trim() === '' ? 'Enter a reason first.' : undefined}
            onConfirm={() => void plead.run(undefined)}
          >
            <p>{plea_words[draft.plea]}</p>
          </ConfirmAction>
        ) : (
          <Button type="submit" disabled={plead.is_waiting}>
            Plead this
          </Button>
        )}
      </p>
    </form>
  )
}

interface FieldsProps {
  readonly pleas: readonly Plea[]
  readonly draft: PleaDraft
  onChange(draft: PleaDraft): void
}

function PleaFields({ pleas, draft, onChange }: FieldsProps) {
  return (
    <>
      <Field label="Plea" hint={plea_words[draft.plea]}>
        {(ids) => (
          <NativeSelect
            {...ids}
            value={draft.plea}
            onChange={({ target }) => onChange({ ...draft, plea: target.value as Plea })}
          >
            {pleas.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </NativeSelect>
        )}
      </Field>
      <Field label="Argument" hint="Stays in the case file permanently, with your name.">
        {(ids) => (
          <Textarea
            {...ids}
            required
            maxLength={20_000}
            value={draft.argument}
            onChange={({ target }) => onChange({ ...draft, argument: target.value })}
          />
        )}
      </Field>
      {draft.plea === 'counterclaim' && (
        <Field label="Your counterclaim">
          {(ids) => (
            <Textarea
              {...ids}
              required
              maxLength={20_000}
              value={draft.claim}
              onChange={({ target }) => onChange({ ...draft, claim: target.value })}
            />
          )}
        </Field>
      )}
      {(draft.plea === 'settle' || draft.plea === 'counterclaim') && (
        <RemedyFields draft={draft} onChange={onChange} />
      )}
      <Field label="Evidence" hint="References such as max://acme/record/…, one per line; optional.">
        {(ids) => (
          <Textarea
            {...ids}
            value={draft.evidence}
            onChange={({ target }) => onChange({ ...draft, evidence: target.value })}
          />
        )}
      </Field>
    </>
  )
}

function RemedyFields({ draft, onChange }: Omit<FieldsProps, 'pleas'>) {
  return (
    <div className="row">
      <Field label="Remedy">
        {(ids) => (
          <NativeSelect
            {...ids}
            value={draft.kind}
            onChange={({ target }) => onChange({ ...draft, kind: target.value as RemedyKind })}
          >
            {remedy_kinds.map((kind) => (
              <option key={kind} value={kind}>
                {wordsOf(kind)}
              </option>
            ))}
          </NativeSelect>
        )}
      </Field>
      <Field label="USD" hint="For payments of money.">
        {(ids) => (
          <Input
            {...ids}
            inputMode="decimal"
            value={draft.amount_usd}
            onChange={({ target }) => onChange({ ...draft, amount_usd: target.value })}
          />
        )}
      </Field>
    </div>
  )
}
