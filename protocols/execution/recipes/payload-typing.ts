// Infers the JSON Schema of all values a payload can have, before anything runs.

import { compileExpression, type Expression } from '@svc/contract/expressions/expression'
import { Refusal } from '@svc/contract/refusal'
import { escapeToken, type PayloadPart, type Reference, readPayloadPart } from './payload.ts'
import { isBefore, isLoop, type Plan, type PlannedStep, stepAt } from './plan.ts'
import type { ProblemReason } from './problem.ts'
import { roundPath } from './rounds.ts'
import { type Schema, schemaAt } from './schema-place.ts'
import { namedInside } from './scope.ts'

export const out_of_room = new Error('the payloads of a recipe are too large')

/** The step being checked, and where to report problems. */
export interface Judging {
  readonly plan: Plan
  /** Undefined for expressions evaluated after the run has ended. */
  readonly step: PlannedStep | undefined
  readonly outputs: (step: PlannedStep) => unknown
  readonly input: unknown
  /** The remaining work limit of the whole recipe. */
  readonly room: Room
  readonly problem: (pointer: string, reason: ProblemReason, message: string) => void
  readonly warn: (pointer: string, reason: ProblemReason, message: string) => void
}

/** Sub-recipes turn a small manifest into a large plan, so all payloads share one limit. */
export interface Room {
  values: number
  computed: number
  comparisons: number
}

/** A value that the run fills in: its position and its schema. */
export interface Filled {
  readonly tokens: readonly string[]
  readonly text: string
  readonly schema: Schema | boolean
}

export interface Shape {
  readonly schema: Schema | boolean
  readonly filled: readonly Filled[]
}

export function shapePayload(
  judging: Judging,
  value: unknown,
  pointer: string,
  tokens: readonly string[] = [],
): Shape {
  const part = readPart(judging, value, pointer)
  takeRoom(judging.room, part)
  switch (part.is) {
    case 'reference': {
      const schema = typeReference(judging, part, pointer)
      return { schema, filled: [{ tokens, text: part.text, schema }] }
    }
    case 'expression': {
      const schema = schemaOfType(checkExpression(judging, part.text, pointer)?.type ?? 'dyn')
      return { schema, filled: [{ tokens, text: part.text, schema }] }
    }
    case 'list': {
      const shapes = part.elements.map((one, at) =>
        shapePayload(judging, one, `${pointer}/${at}`, [...tokens, `${at}`]),
      )
      const count = { minItems: shapes.length, maxItems: shapes.length }
      const schema = { type: 'array', prefixItems: shapes.map((shape) => shape.schema), ...count }
      return { schema, filled: shapes.flatMap(({ filled }) => filled) }
    }
    case 'object':
      return shapeObject(judging, part.members, pointer, tokens)
    case 'literal':
      return { schema: schemaOfValue(part.value), filled: [] }
  }
}

function takeRoom(room: Room, part: PayloadPart): void {
  room.values--
  if (part.is === 'literal') room.values -= sizeOf(part.value)
  if (part.is === 'reference' || part.is === 'expression') room.computed--
  if (room.values < 0 || room.computed < 0) throw out_of_room
}

function sizeOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  return Object.values(value).reduce((sum: number, member) => sum + 1 + sizeOf(member), 0)
}

/** The schema of exactly one value, built per part so that it is compared per part. */
function schemaOfValue(value: unknown): Schema {
  if (Array.isArray(value)) {
    const count = { minItems: value.length, maxItems: value.length }
    return { type: 'array', prefixItems: value.map(schemaOfValue), ...count }
  }
  if (typeof value !== 'object' || value === null) return { const: value }
  const entries = Object.entries(value)
  return {
    type: 'object',
    properties: Object.fromEntries(entries.map(([key, member]) => [key, schemaOfValue(member)])),
    required: entries.map(([key]) => key),
    additionalProperties: false,
  }
}

function shapeObject(
  judging: Judging,
  members: readonly (readonly [string, unknown])[],
  pointer: string,
  tokens: readonly string[],
): Shape {
  const shapes = members.map(([key, member]) => {
    return [key, shapePayload(judging, member, `${pointer}/${escapeToken(key)}`, [...tokens, key])] as const
  })
  return {
    schema: {
      type: 'object',
      properties: Object.fromEntries(shapes.map(([key, { schema }]) => [key, schema])),
      required: shapes.map(([key]) => key),
      additionalProperties: false,
    },
    filled: shapes.flatMap(([, { filled }]) => filled),
  }
}

function readPart(judging: Judging, value: unknown, pointer: string): PayloadPart {
  try {
    return readPayloadPart(value, pointer)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    judging.problem(pointer, 'reference', error.message)
    return { is: 'literal', value: null }
  }
}

function typeReference(
  judging: Judging,
  { text, reference }: { text: string; reference: Reference },
  pointer: string,
): Schema | boolean {
  if (reference.from === 'item' || reference.from === 'index')
    return typeRound(judging, reference.from, text, pointer)
  const source = reference.from === 'steps' ? typeStep(judging, reference.name, pointer) : judging.input
  if (source === undefined) return true
  const schema = schemaAt(source, reference.tokens)
  if (!schema) {
    judging.problem(pointer, 'type_error', `There never is a ${text}; check the field names.`)
    return true
  }
  if (schema.presence === 'maybe' && schema.schema !== true) {
    judging.warn(pointer, 'may_be_absent', `${text} is not always there; without it the step fails.`)
  }
  return schema.schema
}

/** What a round is about is known in a run only. */
function typeRound({ plan, step, problem }: Judging, from: 'item' | 'index', text: string, pointer: string) {
  const namespace = step?.namespace ?? ''
  if (namespace === '' || stepAt(plan, namespace).kind !== 'Round')
    problem(pointer, 'reference', `There is no ${text} outside of the steps of a loop; use it inside.`)
  return from === 'index' ? { type: 'integer', minimum: 0 } : true
}

function typeStep(judging: Judging, name: string, pointer: string): unknown {
  const producer = findStep(judging, name, pointer)
  if (!producer) return undefined
  if (mayBeSkipped(judging.plan, producer, judging.step)) {
    judging.warn(
      pointer,
      'may_be_absent',
      `The step ${name} may be skipped; then this reference leads nowhere.`,
    )
  }
  return dataSchema(judging, producer)
}

/** The named step, if it has always ended before the current one starts. */
function findStep({ plan, step, problem }: Judging, name: string, pointer: string): PlannedStep | undefined {
  const path = plan.names.get(step?.namespace ?? '')?.get(name)
  if (path === undefined) {
    problem(pointer, 'unknown_step', `There is no step called ${name} in this recipe; check the name.`)
    return undefined
  }
  const is_last = step === undefined || !plan.steps.has(step.path)
  if (!is_last && !isBefore(plan, path, step.path)) {
    problem(pointer, 'not_an_ancestor', `The step ${name} need not have ended before; depend on it.`)
    return undefined
  }
  return stepAt(plan, path)
}

/** Containers of both do not count: if skipped, neither would run. */
function mayBeSkipped(plan: Plan, producer: PlannedStep, consumer?: PlannedStep): boolean {
  const shared = new Set<string | undefined>()
  for (let at = consumer?.within; at !== undefined; at = stepAt(plan, at).within) shared.add(at)
  for (let at: PlannedStep | undefined = producer; at && !shared.has(at.path); ) {
    if (at.optional || at.when !== undefined) return true
    // A branch may not be taken, unless both are in it.
    if (at.branch && !shared.has(at.within)) return true
    at = at.within === undefined ? undefined : stepAt(plan, at.within)
  }
  return false
}

const compound: ReadonlySet<string> = new Set(['SubRecipe', 'Parallel', 'Round'])

function dataSchema(judging: Judging, step: PlannedStep): unknown {
  if (step.kind === 'Protocol') return judging.outputs(step)
  if (!isLoop(step) && !compound.has(step.kind)) return true
  if (isLoop(step)) {
    const round = dataSchema(judging, stepAt(judging.plan, roundPath(step.path, 0)))
    // A round may have been skipped or have failed.
    return step.kind === 'Repeat' ? round : { type: 'array', items: round }
  }
  const inner = namedInside(judging.plan, step)
  return {
    type: 'object',
    properties: Object.fromEntries(inner.map(([name, one]) => [name, dataSchema(judging, one)])),
    required: inner
      .filter(([, one]) => one.kind === 'Protocol' && !one.optional && one.when === undefined)
      .map(([name]) => name),
    additionalProperties: false,
  }
}

/** Compiles an expression and checks the steps it reads; a condition or outcome must be able to return a boolean. */
export function checkExpression(
  judging: Judging,
  text: string,
  pointer: string,
  role: 'condition' | 'outcome' | 'value' = 'value',
): Expression | undefined {
  try {
    const expression = compileExpression(text, role === 'outcome' ? 'answer' : 'run')
    for (const name of expression.steps_read) if (name !== '*') findStep(judging, name, pointer)
    if (role !== 'value' && expression.type !== 'bool' && expression.type !== 'dyn') {
      judging.problem(pointer, 'expression', `A condition must answer true or false, not ${expression.type}.`)
    }
    return expression
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    judging.problem(pointer, 'expression', error.message)
    return undefined
  }
}

const types: Readonly<Record<string, string>> = {
  bool: 'boolean',
  string: 'string',
  int: 'integer',
  double: 'number',
  map: 'object',
  list: 'array',
  null: 'null',
  'google.protobuf.Timestamp': 'string',
  'google.protobuf.Duration': 'string',
}

function schemaOfType(type: string): Schema | boolean {
  const json_type = types[type.replace(/<.*$/s, '')]
  return json_type === undefined ? true : { type: json_type }
}
