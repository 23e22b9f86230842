import { Input } from '@mantine/core'
import { Field } from '../../parts/field.tsx'

/** The range of records, as typed. */
export interface SpanTexts {
  readonly from: string
  readonly to: string
}

export const whole_audit_log: SpanTexts = { from: '', to: '' }

/** The options of the SDK. Only a whole audit log, from its first record, can be proved. */
export function spanOf({ from, to }: SpanTexts): { fromSeq?: number; toSeq?: number } {
  const seq = (text: string) => (/^[1-9]\d{0,14}$/.test(text.trim()) ? Number(text) : undefined)
  const [fromSeq, toSeq] = [seq(from), seq(to)]
  return { ...(fromSeq === undefined ? {} : { fromSeq }), ...(toSeq === undefined ? {} : { toSeq }) }
}

export function SpanFields({ span, onChange }: { span: SpanTexts; onChange(span: SpanTexts): void }) {
  return (
    <div className="row">
      <Field label="From record" hint="Empty for the first. Only a whole audit log can be proved.">
        {(ids) => (
          <Input
            {...ids}
            type="number"
            min={1}
            value={span.from}
            onChange={({ target }) => onChange({ ...span, from: target.value })}
          />
        )}
      </Field>
      <Field label="To record" hint="Empty for the newest signed record.">
        {(ids) => (
          <Input
            {...ids}
            type="number"
            min={1}
            value={span.to}
            onChange={({ target }) => onChange({ ...span, to: target.value })}
          />
        )}
      </Field>
    </div>
  )
}
