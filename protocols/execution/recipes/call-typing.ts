// Whether the payload of a call fits the input of its operation, before any of it runs.
import { escapeToken } from './payload.ts'
import { type Judging, type Room, type Shape, shapePayload } from './payload-typing.ts'
import type { PlannedProtocol } from './plan.ts'
import type { Problem, ProblemReason } from './problem.ts'
import { isRecord, schemaAt } from './schema-place.ts'
import { fits } from './typing.ts'
import type { Fit } from './typing-verdict.ts'

const findings_max = 100
const faults_sought_max = 1000

export interface KnownOperation {
  readonly capability: string
  readonly effect: 'read' | 'write'
  readonly input: unknown
  readonly output: unknown
  readonly version: string
}

export type Known = (protocol: string, operation: string) => KnownOperation | undefined

type Call = Pick<PlannedProtocol, 'protocol' | 'operation' | 'payload' | 'pointer'> & {
  /** Where its payload is, below its pointer. */
  readonly payload_at?: string
}

export function judgeCall(judging: Judging, step: Call, served: Known): void {
  const operation = served(step.protocol, step.operation)
  if (!operation) {
    const sentence = `No ${step.protocol}.${step.operation} is served here; check both names.`
    judging.problem(`${step.pointer}${step.payload_at ?? '/operation'}`, 'unknown_operation', sentence)
    return
  }
  const pointer = step.pointer + (step.payload_at ?? '/payload')
  const broken: Problem[] = []
  const shape = shapePayload({ ...judging, problem: collectInto(broken) }, step.payload, pointer)
  // Report each fault once: the type of a broken reference is unknown.
  for (const { pointer: at, reason, message } of broken) judging.problem(at, reason, message)
  if (broken.length > 0) return
  const verdict = fits(shape.schema, operation.input, judging.room)
  if (verdict === 'yes') return
  const tell = verdict === 'no' ? judging.problem : judging.warn
  const reason = verdict === 'no' ? 'type_error' : 'type_unknown'
  const faults = findFaults(shape, operation.input, verdict, judging.room)
  const called = `${step.protocol}.${step.operation}`
  if (faults.length === 0) faults.push({ tokens: [], why: 'the payload as a whole' })
  for (const { tokens, why } of faults) {
    const place = pointer + tokens.map((token) => `/${escapeToken(token)}`).join('')
    tell(place, reason, `${called} ${verdict === 'no' ? 'does not take' : 'may not take'} ${why}.`)
  }
}

interface Fault {
  readonly tokens: readonly string[]
  readonly why: string
}

/** Locates the faults of a payload: the filled-in values first, then the fields one by one. */
function findFaults(
  { schema, filled }: Shape,
  input: unknown,
  verdict: 'no' | 'unknown',
  room: Room,
): Fault[] {
  const wrong = filled
    .slice(0, faults_sought_max)
    .filter((one) => fitsAt(one.schema, input, one.tokens, room) === verdict)
  if (wrong.length > 0) return wrong.map(({ tokens, text }) => ({ tokens, why: `what ${text} can be` }))
  const fields = isRecord(schema) && isRecord(schema.properties) ? schema.properties : {}
  const faults: Fault[] = Object.entries(fields)
    .filter(([name, field]) => fitsAt(field, input, [name], room) === verdict)
    .map(([name]) => ({ tokens: [name], why: `this ${name}` }))
  const required = isRecord(input) && Array.isArray(input.required) ? input.required : []
  for (const name of verdict === 'no' ? required : []) {
    if (!Object.hasOwn(fields, name)) faults.push({ tokens: [], why: `a payload without ${name}` })
  }
  return faults
}

function fitsAt(schema: unknown, input: unknown, tokens: readonly string[], room: Room): Fit {
  const place = schemaAt(input, tokens)
  return place ? fits(schema, place.schema, room) : 'no'
}

export function collectInto(
  list: Problem[],
): (pointer: string, reason: ProblemReason, message: string) => void {
  return (pointer, reason, message) => {
    if (list.length < findings_max) list.push({ pointer, reason, message })
  }
}
