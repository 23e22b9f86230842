import { Field } from '../../parts/field.tsx'
import type { TrustTexts } from './trust.ts'
import type { StoredTrust } from './use-trust.ts'

/** What comes from elsewhere: without it a book is checked against what it says of itself. */
export function TrustFields({ texts, trust, keep }: StoredTrust) {
  const change = (field: keyof TrustTexts) => (text: string) => keep({ ...texts, [field]: text })
  return (
    <fieldset>
      <legend>What you know from elsewhere</legend>
      <p className="quiet">
        Kept in this browser, and never sent. Without any of it a log can be found consistent, never verified:
        anyone can write one and sign it with a key of their own.
      </p>
      <div className="two">
        <Pasted
          label="Public keys you trust"
          hint="One to a line, as the operator handed them to you. One key vouches for those before and after it."
          value={texts.keys}
          onType={change('keys')}
        />
        <Pasted
          label="Checkpoints you kept"
          hint="Whole signed notes, from you or from a witness: they show whether anything was cut off or written anew."
          value={texts.notes}
          onType={change('notes')}
        />
        <Pasted
          label="Keys of witnesses"
          hint="One to a line: name+id+key."
          value={texts.witnesses}
          onType={change('witnesses')}
        />
        <Field label="Witnesses needed" hint="How many of them must have cosigned; empty for none.">
          {(ids) => (
            <input
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
        <textarea
          {...ids}
          className="pasted"
          spellCheck={false}
          value={value}
          onChange={({ target }) => onType(target.value)}
        />
      )}
    </Field>
  )
}
