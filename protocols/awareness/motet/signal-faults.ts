// What is wrong with one signal, in a sentence, told of the kind of signal that was meant.
import { describeFaults, unknown_field } from '@svc/contract/schema-faults'
import type { Static, TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { OtlpLog, OtlpSpan } from './otlp-signal.ts'
import { type AnySignal, LogSignal, MetricSignal, SpanSignal } from './signal.ts'

/** The first field of a signal that is one of these tells its kind; with none of them it is a metric. */
const kinds: readonly (readonly [schema: TSchema, fields: readonly string[]])[] = [
  [OtlpSpan, ['traceId', 'spanId']],
  [OtlpLog, ['severityText']],
  [SpanSignal, ['trace_id', 'span_id']],
  [LogSignal, ['severity', 'body']],
]
const faults_named_max = 3
const metric_name =
  'must be lower-case letters, digits, _ and : with no digit first, up to 128, such as orders_total'
const label_name = 'is no name of a label: letters, digits and _ with no digit first, up to 64, such as queue'
const of_labels = /^\/(labels|attributes)\//

type Signal = Static<typeof AnySignal>
type Validator = ReturnType<typeof Compile>

const validators = new Map<TSchema, Validator>()

export function isSignal(signal: object): signal is Signal {
  return validatorOf(schemaOf(signal)).Check(signal)
}

/** Why it is no signal. */
export function faultsOfSignal(signal: object): string {
  const schema = schemaOf(signal)
  const faults = describeFaults(validatorOf(schema).Errors(signal))
  const named = faults.slice(0, faults_named_max).map(({ pointer, message }) => {
    if (message.startsWith('must match pattern') && schema === MetricSignal && pointer === '/name')
      return `/name ${metric_name}`
    return `${pointer || '/'} ${message === unknown_field && of_labels.test(pointer) ? label_name : message}`
  })
  const others = faults.length - named.length
  return named.join('; ') + (others > 0 ? `; and ${others} more` : '')
}

function schemaOf(signal: object): TSchema {
  const [schema] = kinds.find(([, fields]) => fields.some((field) => Object.hasOwn(signal, field))) ?? []
  return schema ?? MetricSignal
}

/** Compiled at first use: most engines start before anybody measures. */
function validatorOf(schema: TSchema): Validator {
  const validator = validators.get(schema) ?? Compile(schema)
  validators.set(schema, validator)
  return validator
}
