// The states an actuator accepts: kinds, ranges, steps and rates, as its device declares them. Pure.
import { Closed, described, ListOf, Text } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import { part_pattern } from './device-topic.ts'

const fields_max = 16
const word_pattern = '^[a-z][a-z0-9_-]{0,63}$'
/** Compares steps and tolerances as decimals, allowing for binary rounding. */
const rounding = 1e-9

const Word = Type.String({ pattern: word_pattern })

const NumberField = Closed({
  kind: Type.Literal('number', { description: 'A number within bounds.' }),
  unit: Type.Optional(Text(32, { description: 'Unit of the value.' })),
  min: Type.Number({ description: 'Lowest value allowed.' }),
  max: Type.Number({ description: 'Highest value allowed.' }),
  step: Type.Optional(
    Type.Number({ exclusiveMinimum: 0, description: 'Allowed are min, min + step, and so on.' }),
  ),
  rate_max_per_s: Type.Optional(
    Type.Number({
      exclusiveMinimum: 0,
      description: 'The most it may change per second since it was last set.',
    }),
  ),
  tolerance: Type.Optional(
    Type.Number({ minimum: 0, description: 'How far a readback may lie from what was wanted.' }),
  ),
})
type NumberField = Static<typeof NumberField>

const ChoiceField = Closed({
  kind: Type.Literal('choice', { description: 'One of a few words.' }),
  choices: described(ListOf(Word, 1, 32), 'Words allowed.'),
})
const FlagField = Closed({ kind: Type.Literal('flag', { description: 'True or false.' }) })

export const Field = Type.Union([NumberField, ChoiceField, FlagField])
export type Field = Static<typeof Field>
export type Fields = Readonly<Record<string, Field>>

export const ActuatorState = Type.Record(
  Type.String({ pattern: part_pattern }),
  Type.Union([Type.Number(), Type.Boolean(), Word]),
  { additionalProperties: false, minProperties: 1, maxProperties: fields_max },
)
export type ActuatorState = Static<typeof ActuatorState>

export const FieldTable = Type.Record(Type.String({ pattern: part_pattern }), Field, {
  additionalProperties: false,
  minProperties: 1,
  maxProperties: fields_max,
})

export interface StateFault {
  readonly pointer: string
  readonly message: string
}

/** Unknown field names, and values of the wrong kind. */
export function stateFaults(fields: Fields, state: ActuatorState): StateFault[] {
  return Object.entries(state).flatMap(([name, value]) => {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined
    const message = field ? kindFault(field, value) : 'is no field of this actuator'
    return message === undefined ? [] : [{ pointer: `/state/${name}`, message }]
  })
}

function kindFault(field: Field, value: ActuatorState[string]): string | undefined {
  if (field.kind === 'number') return Number.isFinite(value) ? undefined : 'must be a number'
  if (field.kind === 'flag') return typeof value === 'boolean' ? undefined : 'must be true or false'
  return typeof value === 'string' && field.choices.includes(value)
    ? undefined
    : `must be one of ${field.choices.join(', ')}`
}

/** Each field's last value and its time: fields can be set separately. */
type References = Readonly<Record<string, { readonly value: ActuatorState[string]; readonly at_ms: number }>>

export interface Breach {
  readonly rule: 'range' | 'step' | 'rate_of_change'
  readonly field: string
  readonly sentence: string
}

/** The first rule of the safe envelope that a valid state breaks. */
export function envelopeBreach(
  fields: Fields,
  state: ActuatorState,
  now_ms: number,
  references: References = {},
): Breach | undefined {
  for (const [name, value] of Object.entries(state)) {
    const field = fields[name]
    if (field?.kind !== 'number') continue
    const breach = numberBreach(name, field, value as number, now_ms, references)
    if (breach) return breach
  }
  return undefined
}

function numberBreach(
  name: string,
  field: NumberField,
  value: number,
  now_ms: number,
  references: References,
): Breach | undefined {
  const { min, max, step, rate_max_per_s } = field
  if (!(value >= min && value <= max))
    return { rule: 'range', field: name, sentence: `${name} must lie between ${min} and ${max}` }
  if (step !== undefined && !isOnStep(value, min, step))
    return { rule: 'step', field: name, sentence: `${name} must be ${min} plus a multiple of ${step}` }
  const { value: before, at_ms } = (Object.hasOwn(references, name) && references[name]) || {}
  if (rate_max_per_s === undefined || at_ms === undefined || typeof before !== 'number') return undefined
  const elapsed_s = Math.max(0, now_ms - at_ms) / 1000
  const change_max = rate_max_per_s * elapsed_s
  if (Math.abs(value - before) <= change_max + rounding * Math.max(1, Math.abs(before))) return undefined
  return {
    rule: 'rate_of_change',
    field: name,
    sentence: `${name} was set to ${before} and may change by ${rate_max_per_s} per second`,
  }
}

function isOnStep(value: number, min: number, step: number): boolean {
  const steps = (value - min) / step
  return Math.abs(steps - Math.round(steps)) <= rounding * Math.max(1, Math.abs(steps))
}

/** Whether the reported state matches the desired one, each number within its tolerance. */
export function matchesState(fields: Fields, desired: ActuatorState, reported: ActuatorState): boolean {
  return Object.entries(desired).every(([name, value]) => {
    const field = fields[name]
    const reported_value = Object.hasOwn(reported, name) ? reported[name] : undefined
    if (field?.kind !== 'number') return reported_value === value
    if (typeof reported_value !== 'number' || typeof value !== 'number') return false
    const tolerance = field.tolerance ?? 0
    return Math.abs(reported_value - value) <= tolerance + rounding * Math.max(1, Math.abs(value))
  })
}

/** Needs every field, within its range; rate limits and interlocks do not apply in an emergency. */
export function safeStateFault(fields: Fields, safe_state: ActuatorState): string | undefined {
  const missing = Object.keys(fields).find((name) => !Object.hasOwn(safe_state, name))
  if (missing !== undefined) return `its safe state does not say what ${missing} is`
  const fault = stateFaults(fields, safe_state)[0]
  if (fault) return `its safe state is none: ${fault.pointer.slice('/state/'.length)} ${fault.message}`
  const breach = envelopeBreach(fields, safe_state, 0)
  return breach && `its safe state is outside its own envelope: ${breach.sentence}`
}

/** Why no state can satisfy the field table, or its bounds are invalid. */
export function fieldsFault(fields: Fields): string | undefined {
  for (const [name, field] of Object.entries(fields)) {
    if (field.kind !== 'number') continue
    const numbers = [field.min, field.max, field.step ?? 1, field.rate_max_per_s ?? 1, field.tolerance ?? 0]
    if (!numbers.every(Number.isFinite)) return `${name} has bounds that are no numbers`
    if (!(field.min < field.max)) return `${name} has a range that is empty`
  }
  return undefined
}
