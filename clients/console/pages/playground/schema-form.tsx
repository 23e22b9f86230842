// A form generated from a schema. Optional fields are added by name; what a form cannot show is edited as JSON.
import { Button, Checkbox, Input, NativeSelect, Textarea } from '@mantine/core'
import { Field } from '../../parts/field.tsx'
import { IdentityPicker, TenantPicker } from '../../parts/pickers.tsx'
import { JsonField } from './json-field.tsx'
import { choicesOf, hintOf, kindOf, type Schema, startOf, withField, withItem } from './schema-value.ts'

interface Props {
  readonly name: string
  readonly schema: Schema
  readonly value: unknown
  onChange(value: unknown): void
}

function SchemaField(props: Props) {
  switch (kindOf(props.schema)) {
    case 'object':
      return <ObjectField {...props} />
    case 'list':
      return <ListField {...props} />
    case 'json':
      return <JsonField {...props} hint={hintOf(props.schema)} />
    case 'fixed':
      return null
    default:
      return <PlainField {...props} />
  }
}

function ObjectField({ name, schema, value, onChange }: Props) {
  return (
    <fieldset>
      <legend>{name}</legend>
      <ObjectFields schema={schema} value={value} onChange={onChange} />
    </fieldset>
  )
}

export function ObjectFields({ schema, value, onChange }: Omit<Props, 'name'>) {
  const fields = (value ?? {}) as Record<string, unknown>
  const properties = schema.properties ?? {}
  const absent = Object.keys(properties).filter((name) => !(name in fields))
  return (
    <>
      {Object.keys(properties)
        .filter((name) => name in fields)
        .map((name) => (
          <div key={name} className="row grow">
            <SchemaField
              name={name}
              schema={properties[name]!}
              value={fields[name]}
              onChange={(changed) => onChange(withField(fields, name, changed))}
            />
            {!schema.required?.includes(name) && (
              <Button
                variant="subtle"
                size="compact-xs"
                aria-label={`Remove ${name}`}
                onClick={() => onChange(withField(fields, name, undefined))}
              >
                Remove
              </Button>
            )}
          </div>
        ))}
      {absent.length > 0 && (
        <Field label="Add a field">
          {(ids) => (
            <NativeSelect
              {...ids}
              value=""
              onChange={({ target }) =>
                onChange(withField(fields, target.value, startOf(properties[target.value]!)))
              }
            >
              <option value="">choose …</option>
              {absent.map((name) => (
                <option key={name}>{name}</option>
              ))}
            </NativeSelect>
          )}
        </Field>
      )}
    </>
  )
}

function ListField({ name, schema, value, onChange }: Props) {
  const items = Array.isArray(value) ? value : []
  const item_schema = schema.items ?? {}
  return (
    <fieldset>
      <legend>{name}</legend>
      {items.map((item, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: an item is identified only by its index.
        <div key={index} className="row grow">
          <SchemaField
            name={`${name} ${index + 1}`}
            schema={item_schema}
            value={item}
            onChange={(changed) => onChange(withItem(items, index, changed))}
          />
          <Button
            variant="subtle"
            size="compact-xs"
            aria-label={`Remove ${name} ${index + 1}`}
            onClick={() => onChange(items.filter((_, at) => at !== index))}
          >
            Remove
          </Button>
        </div>
      ))}
      <Button
        variant="default"
        disabled={items.length >= (schema.maxItems ?? Number.POSITIVE_INFINITY)}
        onClick={() => onChange([...items, startOf(item_schema)])}
      >
        Add to {name}
      </Button>
    </fieldset>
  )
}

const long_text = 200

/** Nobody types a name of a machine that can be chosen. */
function pickerOf(name: string, { pattern = '' }: Schema) {
  if (name === 'tenant_id') return TenantPicker
  return pattern.startsWith('^did:oas:') ? IdentityPicker : undefined
}

function PlainField({ name, schema, value, onChange }: Props) {
  const kind = kindOf(schema)
  const Picker = kind === 'text' ? pickerOf(name, schema) : undefined
  if (Picker)
    return (
      <div className="field">
        <Picker
          label={name}
          hint={schema.description ?? ''}
          value={String(value ?? '')}
          onChange={onChange}
        />
      </div>
    )
  return (
    <Field label={name} hint={hintOf(schema) || undefined}>
      {(ids) => {
        if (kind === 'yes_no')
          return (
            <Checkbox {...ids} checked={value === true} onChange={({ target }) => onChange(target.checked)} />
          )
        if (kind === 'choice') {
          const choices = choicesOf(schema)
          return (
            <NativeSelect
              {...ids}
              value={choices.indexOf(value)}
              onChange={({ target }) => onChange(choices[Number(target.value)])}
            >
              {choices.map((choice, index) => (
                <option key={String(choice)} value={index}>
                  {String(choice)}
                </option>
              ))}
            </NativeSelect>
          )
        }
        if (kind === 'number')
          return (
            <Input
              {...ids}
              type="number"
              step="any"
              value={typeof value === 'number' ? value : ''}
              onChange={({ target }) => onChange(target.value === '' ? null : Number(target.value))}
            />
          )
        const text = String(value ?? '')
        const change = ({ target }: { target: { value: string } }) => onChange(target.value)
        return (schema.maxLength ?? 0) > long_text * 5 || text.length > long_text ? (
          <Textarea {...ids} value={text} onChange={change} />
        ) : (
          <Input {...ids} value={text} onChange={change} />
        )
      }}
    </Field>
  )
}
