// The fields of a treaty's terms, for new treaties and amendments.
import { Button, Input } from '@mantine/core'
import type { HTMLInputTypeAttribute } from 'react'
import { Field } from '../../../parts/field.tsx'
import { GrantFields } from './grant-fields.tsx'
import { empty_grant, type GrantDraft, type TermsDraft } from './treaty-draft.ts'

const grants_max = 128

interface Props {
  readonly terms: TermsDraft
  onChange(terms: TermsDraft): void
}

export function TermsFields({ terms, onChange }: Props) {
  const { grants } = terms
  const put = (place: number, grant: GrantDraft) =>
    onChange({ ...terms, grants: grants.map((each, at) => (at === place ? grant : each)) })
  const rows = grants.map((grant, place) => ({ grant, place }))
  return (
    <>
      <h3>Who may do what</h3>
      {rows.map(({ grant, place }) => (
        <GrantFields
          key={place}
          place={place}
          grant={grant}
          onChange={(changed) => put(place, changed)}
          onRemove={
            grants.length > 1
              ? () => onChange({ ...terms, grants: grants.filter((_, at) => at !== place) })
              : undefined
          }
        />
      ))}
      <Button
        variant="default"
        disabled={grants.length >= grants_max}
        onClick={() => onChange({ ...terms, grants: [...grants, empty_grant] })}
      >
        Add a grant
      </Button>
      <h3>Limits and clauses</h3>
      <div className="row">
        <Text terms={terms} name="per_hour" label="Total calls per hour" type="number" onChange={onChange} />
        <Text terms={terms} name="per_day" label="Total calls per day" type="number" onChange={onChange} />
        <Text terms={terms} name="rail" label="Settlement rail" hint="internal" onChange={onChange} />
        <Text terms={terms} name="currency" label="Currency" hint="usd" onChange={onChange} />
        <Text
          terms={terms}
          name="clearing_fee_bps"
          label="Clearing fee, bps"
          type="number"
          onChange={onChange}
        />
        <Text terms={terms} name="venue" label="Disputes go to" hint="the operator" onChange={onChange} />
        <Text
          terms={terms}
          name="expires_at"
          label="Until (UTC)"
          type="datetime-local"
          is_required
          onChange={onChange}
        />
      </div>
    </>
  )
}

interface TextProps extends Props {
  readonly name: Exclude<keyof TermsDraft, 'grants'>
  readonly label: string
  /** The placeholder shows the default. */
  readonly hint?: string
  readonly type?: HTMLInputTypeAttribute
  readonly is_required?: boolean
}

function Text({ terms, name, label, hint, type = 'text', is_required = false, onChange }: TextProps) {
  return (
    <Field label={label}>
      {(ids) => (
        <Input
          {...ids}
          type={type}
          required={is_required}
          {...(type === 'number' ? { min: 0, step: 1 } : {})}
          {...(type === 'datetime-local' ? { step: 1 } : {})}
          placeholder={hint}
          value={terms[name]}
          onChange={({ target }) => onChange({ ...terms, [name]: target.value })}
        />
      )}
    </Field>
  )
}
