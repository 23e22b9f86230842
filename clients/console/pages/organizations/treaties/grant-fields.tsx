import { Button, Input, NativeSelect, Textarea } from '@mantine/core'
import { Field } from '../../../parts/field.tsx'
import { type GrantDraft, granted_to, limit_fields } from './treaty-draft.ts'

interface Props {
  readonly place: number
  readonly grant: GrantDraft
  onChange(grant: GrantDraft): void
  readonly onRemove: (() => void) | undefined
}

const sides: Record<GrantDraft['granted_to'], string> = {
  counterparty: 'they may call yours',
  proposer: 'you may call theirs',
  both: 'both ways',
}

const limit_names: Record<(typeof limit_fields)[number], string> = {
  max_per_hour: 'Calls per hour',
  max_tokens: 'Tokens per call',
  max_per_call_bps: 'Budget per call, bps',
  weekly_budget_usd: 'USD per week',
}

export function GrantFields({ place, grant, onChange, onRemove }: Props) {
  return (
    <fieldset>
      <legend>Grant {place + 1}</legend>
      <div className="row">
        <Field label="Capability" hint="svc.protocol.operation, or svc.protocol.*">
          {(ids) => (
            <Input
              {...ids}
              required
              maxLength={128}
              value={grant.capability}
              onChange={({ target }) => onChange({ ...grant, capability: target.value })}
            />
          )}
        </Field>
        <Field label="Direction">
          {(ids) => (
            <NativeSelect
              {...ids}
              value={grant.granted_to}
              onChange={({ target }) =>
                onChange({ ...grant, granted_to: target.value as GrantDraft['granted_to'] })
              }
            >
              {granted_to.map((side) => (
                <option key={side} value={side}>
                  {sides[side]}
                </option>
              ))}
            </NativeSelect>
          )}
        </Field>
        <Field label="Only while" hint="One caveat per line, such as time:09-17">
          {(ids) => (
            <Textarea
              {...ids}
              value={grant.caveats}
              onChange={({ target }) => onChange({ ...grant, caveats: target.value })}
            />
          )}
        </Field>
      </div>
      <LimitFields place={place} grant={grant} onChange={onChange} onRemove={onRemove} />
    </fieldset>
  )
}

function LimitFields({ place, grant, onChange, onRemove }: Props) {
  return (
    <div className="row">
      {limit_fields.map((name) => (
        <Field key={name} label={limit_names[name]}>
          {(ids) => (
            <Input
              {...ids}
              type={name === 'weekly_budget_usd' ? 'text' : 'number'}
              placeholder="no limit"
              {...(name === 'weekly_budget_usd' ? { inputMode: 'decimal' } : { min: 0, step: 1 })}
              value={grant[name]}
              onChange={({ target }) => onChange({ ...grant, [name]: target.value })}
            />
          )}
        </Field>
      ))}
      {onRemove && (
        <Button variant="default" onClick={onRemove}>
          Remove grant {place + 1}
        </Button>
      )}
    </div>
  )
}
