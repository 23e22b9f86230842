// A form generated from a schema. Optional fields are added by name; what a form cannot show is edited as JSON.
import { Field } from '../../parts/field.tsx'
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
              <button
                type="button"
                className="copy"
                aria-label={`Remove ${name}`}
                onClick={() => onChange(withField(fields, name, undefined))}
              >
                Remove
              </button>
            )}
          </div>
        ))}
      {absent.length > 0 && (
        <Field label="Add a field">
          {(ids) => (
            <select
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
            </select>
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
          <button
            type="button"
            className="copy"
            aria-label={`Remove ${name} ${index + 1}`}
            onClick={() => onChange(items.filter((_, at) => at !== index))}
          >
            Remove
          </button>
        </div>
      ))}
      <button
        type="button"
        disabled={items.length >= (schema.maxItems ?? Number.POSITIVE_INFINITY)}
        onClick={() => onChange([...items, startOf(item_schema)])}
      >
        Add to {name}
      </button>
    </fieldset>
  )
}

const long_text = 200

function PlainField({ name, schema, value, onChange }: Props) {
  const kind = kindOf(schema)
  return (
    <Field label={name} hint={hintOf(schema) || undefined}>
      {(ids) => {
        if (kind === 'yes_no')
          return (
            <input
              {...ids}
              type="checkbox"
              checked={value === true}
              onChange={({ target }) => onChange(target.checked)}
            />
          )
        if (kind === 'choice') {
          const choices = choicesOf(schema)
          return (
            <select
              {...ids}
              value={choices.indexOf(value)}
              onChange={({ target }) => onChange(choices[Number(target.value)])}
            >
              {choices.map((choice, index) => (
                <option key={String(choice)} value={index}>
                  {String(choice)}
                </option>
              ))}
            </select>
          )
        }
        if (kind === 'number')
          return (
            <input
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
          <textarea {...ids} value={text} onChange={change} />
        ) : (
          <input {...ids} value={text} onChange={change} />
        )
      }}
    </Field>
  )
}
