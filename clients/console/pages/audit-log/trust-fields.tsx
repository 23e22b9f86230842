import { Input, Textarea } from '@mantine/core'
import { Field } from '../../parts/field.tsx'
import type { TrustTexts } from './trust.ts'
import type { StoredTrust } from './use-trust.ts'

/** What the reader trusts independently of the engine. Without it, an audit log is only checked against itself. */
export function TrustFields({ texts, trust, keep }: StoredTrust) {
  const change = (field: keyof TrustTexts) => (text: string) => keep({ ...texts, [field]: text })
  return (
    <fieldset>
      <legend>What you trust</legend>
      <p className="quiet">
        Stored in this browser and never sent. Without it, a log can only be found consistent, not verified:
        anyone can write a log and sign it with their own key.
      </p>
      <div className="two">
        <Pasted
          label="Public keys you trust"
          hint="One per line, as received from the operator. A key vouches for the keys before and after it."
          value={texts.keys}
          onType={change('keys')}
        />
        <Pasted
          label="Checkpoints you kept"
          hint="Complete signed notes, from you or a witness. They reveal removed or rewritten records."
          value={texts.notes}
          onType={change('notes')}
        />
        <Pasted
          label="Keys of witnesses"
          hint="One per line: name+id+key."
          value={texts.witnesses}
          onType={change('witnesses')}
        />
        <Field label="Witnesses needed" hint="How many of them must have cosigned; empty for none.">
          {(ids) => (
            <Input
              {...ids}
              type="number"
              min={0}
              value={texts.witnesses_needed}
              onChange={({ target }) => change('witnesses_needed')(target.value)}
            />
          )}
        </Field>
      </div>
      {trust.faults.length > 0 && (
        <ul role="alert" className="problem">
          {trust.faults.map((fault) => (
            <li key={fault}>{fault}</li>
          ))}
        </ul>
      )}
    </fieldset>
  )
}

interface PastedProps {
  readonly label: string
  readonly hint: string
  readonly value: string
  onType(text: string): void
}

function Pasted({ label, hint, value, onType }: PastedProps) {
  return (
    <Field label={label} hint={hint}>
      {(ids) => (
        <Textarea {...ids} spellCheck={false} value={value} onChange={({ target }) => onType(target.value)} />
      )}
    </Field>
  )
}
