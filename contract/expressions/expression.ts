// CEL conditions and computed values of a recipe. Pure: it reads only its scope, which also supplies
// time and randomness, so a replay computes the same.
import { Environment, type ParseResult } from '@marcbachmann/cel-js'
import { Refusal, refuse } from '../refusal.ts'
import { sha256Hex } from '../signing/canonical-json.ts'
import { cost_exceeded, type Meter, meterExpression, nodesOf } from './expression-cost.ts'
import { fromCel, toCel } from './expression-value.ts'
import { matchesLinear } from './matches.ts'

const expression_chars_max = 2000
const parse_limits = {
  maxAstNodes: 1000,
  maxDepth: 32,
  maxListElements: 200,
  maxMapEntries: 200,
  maxCallArguments: 8,
}

const work_exceeded = new Error('the expressions of this payload are too much work together')

/** What an expression can read. `steps` has only steps that ended before, or a replay could see more. */
export interface Scope {
  readonly input: unknown
  readonly steps: Readonly<Record<string, unknown>>
  /** The payload of the signal a gate waited for; null when none came. */
  readonly signal?: unknown
  /** In a loop: the element of this round, or what the round before answered, and the number of the round. */
  readonly item?: unknown
  readonly index?: number
  /** The answer of the call, for expressions that judge it. */
  readonly data?: unknown
  readonly now_ms: number
  /** Determines the results of uuid() and random(). */
  readonly seed: string
  /** Shared by the expressions of one payload. */
  readonly work?: Work
}

/** Shared cost limit and conversion cache of the expressions over one scope. */
export interface Work {
  left: number
  readonly made: WeakMap<object, unknown>
}
const work_max = 100_000

export function newWork(): Work {
  return { left: work_max, made: new WeakMap() }
}

export interface Expression {
  readonly text: string
  /** The type CEL inferred; `dyn` if only the values can tell. */
  readonly type: string
  /** Names read as `steps.<name>` or `steps["<name>"]`; `*` if a name is computed. */
  readonly steps_read: readonly string[]
  readonly run: (scope: Scope) => unknown
}

/** Scope of the current, synchronous evaluation: the library passes only arguments to functions. */
let current: { readonly scope: Scope; readonly meter: Meter; drawn: number } | undefined

const mixed_arithmetic: Readonly<Record<string, (a: number, b: number) => number>> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => a / b,
  '%': (a, b) => a % b,
}

const environment = createEnvironment()
/** Only what judges an answer sees `data`: elsewhere the name is refused, as any that is unknown. */
const answer_environment = createEnvironment().registerVariable('data', 'dyn')

/** Throws a refusal with the position of the fault. Over an answer, the expression can read `data`. */
export function compileExpression(text: string, over: 'run' | 'answer' = 'run'): Expression {
  if (text.length > expression_chars_max) {
    throw refuse(
      'invalid_payload',
      `An expression has at most ${expression_chars_max} characters; shorten it.`,
      {
        reason: 'expression',
      },
    )
  }
  const parsed = parse(text, over === 'answer' ? answer_environment : environment)
  const steps_read = stepsRead(parsed)
  const checked = parsed.check()
  if (!checked.valid) throw refuseExpression(text, checked.error)
  const meter = meterExpression(parsed)
  return {
    text,
    type: checked.type ?? 'dyn',
    steps_read,
    run(scope) {
      const outer = current
      const { work = newWork() } = scope
      if (work.left <= 0) throw refuseExpression(text, work_exceeded)
      current = { scope, meter, drawn: 0 }
      meter.refill()
      try {
        const value = parsed({
          input: toCelOnce(scope.input ?? null, work),
          steps: readSteps(scope.steps, steps_read, work),
          signal: toCelOnce(scope.signal ?? null, work),
          item: toCelOnce(scope.item ?? null, work),
          index: scope.index ?? null,
          ...(over === 'answer' && { data: toCelOnce(scope.data ?? null, work) }),
        })
        if (meter.isSpent()) throw cost_exceeded
        return fromCel(value)
      } catch (error) {
        throw refuseExpression(text, meter.isSpent() ? cost_exceeded : error)
      } finally {
        work.left -= meter.spent()
        current = outer
      }
    },
  }
}

/** The JSON value of an expression in a scope. */
export function evaluate(expression: Expression, scope: Scope): unknown {
  return expression.run(scope)
}

/** For conditions: anything but true or false is refused. */
export function judge(expression: Expression, scope: Scope): boolean {
  const value = expression.run(scope)
  if (typeof value === 'boolean') return value
  throw refuse(
    'invalid_payload',
    `The condition "${shorten(expression.text)}" must answer true or false; write a comparison.`,
    { reason: 'expression' },
  )
}

function parse(text: string, names: Environment): ParseResult {
  try {
    const parsed = names.parse(text)
    // The library's matches() uses a backtracking regular expression, which a hostile pattern can stall.
    for (const node of nodesOf(parsed.ast as never)) {
      if (node.op === 'rcall' && Array.isArray(node.args) && node.args[0] === 'matches') {
        node.args[0] = 'matches_in_linear_time'
      }
    }
    return parsed
  } catch (error) {
    throw refuseExpression(text, error)
  }
}

function createEnvironment(): Environment {
  const made = new Environment({ homogeneousAggregateLiterals: false, limits: parse_limits })
    .registerVariable('input', 'dyn')
    .registerVariable('steps', 'dyn')
    .registerVariable('signal', 'dyn')
    .registerVariable('item', 'dyn')
    .registerVariable('index', 'dyn')
    .registerFunction('now(): google.protobuf.Timestamp', () => new Date(current!.scope.now_ms))
    .registerFunction('random(): double', () => Number.parseInt(draw().slice(0, 13), 16) / 2 ** 52)
    .registerFunction('uuid(): string', () => drawUuid())
    .registerFunction('string.matches_in_linear_time(string): bool', (text: string, pattern: string) =>
      matchesLinear(text, pattern, current!.meter.payMoves),
    )
  // JSON has one number type and CEL two: a recipe need not know which one an answer has. Without its own type, a
  // result would have that of the left side.
  for (const [sign, count] of Object.entries(mixed_arithmetic)) {
    for (const [left, right] of [
      ['int', 'double'],
      ['double', 'int'],
    ]) {
      made.registerOperator(`${left} ${sign} ${right}: double`, (a, b) => count(Number(a), Number(b)))
    }
  }
  return made.registerOperator('double % double', (a: number, b: number) => a % b)
}

function draw(): string {
  return sha256Hex(`${current!.scope.seed}|${current!.drawn++}`)
}

/** UUID version 8, for custom bits. */
function drawUuid(): string {
  const hex = draw()
  const variant = ((Number.parseInt(hex[16]!, 16) & 3) | 8).toString(16)
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    variant + hex.slice(17, 20),
    hex.slice(20, 32),
  ].join('-')
}

function stepsRead(parsed: ParseResult): string[] {
  const read = new Set<string>()
  const used = new Set<unknown>()
  const nodes = nodesOf(parsed.ast as never)
  for (const { op, args } of nodes) {
    if ((op !== '.' && op !== '[]') || !Array.isArray(args) || !isStepsName(args[0])) continue
    used.add(args[0])
    const key = op === '.' ? args[1] : args[1]?.op === 'value' ? args[1].args : undefined
    read.add(typeof key === 'string' ? key : '*')
  }
  // Passing on or iterating `steps` itself may read any of them.
  if (nodes.some((node) => isStepsName(node) && !used.has(node))) read.add('*')
  return [...read]
}

function isStepsName(node: { op?: string; args?: unknown } | undefined): boolean {
  return node?.op === 'id' && node.args === 'steps'
}

/** Converts only the steps that are read: the answers of others may be large. */
function readSteps(steps: Scope['steps'], names: readonly string[], work: Work): Map<string, unknown> {
  const read = names.includes('*') ? Object.keys(steps) : names.filter((name) => Object.hasOwn(steps, name))
  return new Map(read.map((name) => [name, toCelOnce(steps[name], work)]))
}

function toCelOnce(value: unknown, { made }: Work): unknown {
  if (typeof value !== 'object' || value === null) return toCel(value)
  const converted = made.get(value)
  if (converted !== undefined) return converted
  const fresh = toCel(value)
  made.set(value, fresh)
  return fresh
}

function refuseExpression(text: string, error: unknown): Error {
  if (error instanceof Refusal) return error
  const { summary, range, message } = (error ?? {}) as {
    summary?: string
    range?: { start: number }
    message?: string
  }
  const place = range ? ` at character ${range.start + 1}` : ''
  return refuse(
    'invalid_payload',
    `The expression "${shorten(text)}" cannot be used${place}: ${summary ?? message ?? 'it failed'}.`,
    { reason: 'expression', ...(range && { character: range.start + 1 }) },
    error,
  )
}

function shorten(text: string): string {
  return text.length > 80 ? `${text.slice(0, 79)}…` : text
}
