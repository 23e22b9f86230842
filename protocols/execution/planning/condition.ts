// CEL expressions of a planning domain over `state`, `args` and, for constraints, `plan`. An expression
// also reports the facts it reads: these determine which task must wait for another.
import { type ASTNode, Environment } from '@marcbachmann/cel-js'
import {
  cost_exceeded,
  type Meter,
  meterExpression,
  nodesOf,
} from '@svc/contract/expressions/expression-cost'
import { fromCel } from '@svc/contract/expressions/expression-value'
import { matchesLinear } from '@svc/contract/expressions/matches'
import type { Fact, FactPath, Facts } from './facts.ts'

const parse_limits = {
  maxAstNodes: 1000,
  maxDepth: 32,
  maxListElements: 200,
  maxMapEntries: 200,
  maxCallArguments: 8,
}

export interface Scope {
  readonly state: Facts
  readonly args: Facts
  readonly plan?: Facts
}

export interface Condition {
  readonly text: string
  /** Throws if it has no value, such as for a missing fact. */
  value(scope: Scope): Fact
  /** The facts it reads, as narrow as static analysis allows; a prefix if the rest is computed. */
  reads(args: Facts): FactPath[]
}

/** Why an expression has no value if it took more work than one may: nothing is known of what it would say. */
export const too_much_work = `it takes ${cost_exceeded.message}`

interface Node {
  readonly op: string
  readonly args: unknown
}

const mixed_arithmetic: Readonly<Record<string, (a: number, b: number) => number>> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => a / b,
}

/** The meter of the current, synchronous evaluation: the library passes only arguments to functions. */
let current: Meter | undefined

const environment = createEnvironment()

/** Throws an Error whose message describes the fault. */
export function compileCondition(text: string): Condition {
  const parsed = environment.parse(text)
  const nodes = nodesOf(parsed.ast as never) as unknown as Node[]
  for (const node of nodes) preferLinear(node)
  if (nodes.some(shadows)) throw new Error('a variable of a list may not be called state, args or plan')
  const checked = parsed.check()
  if (!checked.valid) throw checked.error ?? new Error('its types do not fit')
  const meter = meterExpression(parsed)
  return {
    text,
    value(scope) {
      const outer = current
      current = meter
      meter.refill()
      try {
        const value = parsed({ plan: null, ...scope })
        if (!meter.isSpent()) return value as Fact
      } catch (error) {
        if (!meter.isSpent()) throw error
      } finally {
        current = outer
      }
      throw new Error(too_much_work)
    },
    reads: (args) => readPaths(nodes, args),
  }
}

/** Undefined if it holds, otherwise why not. Anything but true is false: a plan must not rest on a guess. */
export function whyNot(condition: Condition, scope: Scope): string | undefined {
  try {
    const value: unknown = condition.value(scope)
    return value === true ? undefined : value === false ? 'it is false' : 'it answers neither true nor false'
  } catch (error) {
    return sentenceOf(error)
  }
}

/** As JSON: CEL integers become numbers. */
export function plainValue(condition: Condition, scope: Scope): unknown {
  return fromCel(condition.value(scope))
}

export function sentenceOf(error: unknown): string {
  const { summary, message } = error as { summary?: string; message?: string }
  return (summary ?? message ?? 'it failed').split('\n')[0]!
}

function createEnvironment(): Environment {
  const made = new Environment({ homogeneousAggregateLiterals: false, limits: parse_limits })
    .registerVariable('state', 'dyn')
    .registerVariable('args', 'dyn')
    .registerVariable('plan', 'dyn')
    .registerFunction('string.matches_in_linear_time(string): bool', (text: string, pattern: string) =>
      matchesLinear(text, pattern, current!.payMoves),
    )
  // JSON has one number type and CEL two.
  for (const [sign, count] of Object.entries(mixed_arithmetic)) {
    for (const pair of [`int ${sign} double: double`, `double ${sign} int: double`])
      made.registerOperator(pair, (a: unknown, b: unknown) => count(Number(a), Number(b)))
  }
  return made
}

/** The library's matches() backtracks, so a hostile pattern can stall it. */
function preferLinear(node: Node): void {
  if (node.op === 'rcall' && (node.args as unknown[])[0] === 'matches')
    (node.args as unknown[])[0] = 'matches_in_linear_time'
}

/** Otherwise `args.x` inside a macro would differ from what the paths are resolved by. */
function shadows({ op, args }: Node): boolean {
  if (op !== 'rcall') return false
  const astnodes = (args as [string, ASTNode, ASTNode[]])[2]
  return astnodes
    .slice(0, -1)
    .some((node) => node.op === 'id' && ['state', 'args', 'plan'].includes(node.args))
}

interface Reading {
  readonly path: FactPath
  /** Whether selections from it are resolved too. */
  readonly open: boolean
}

function readPaths(nodes: readonly Node[], args: Facts): FactPath[] {
  const narrowed = new Set<unknown>()
  const paths = new Map<Node, FactPath>()
  for (const node of nodes) {
    const reading = readingOf(node, args)
    if (reading) paths.set(node, reading.path)
    const [left, right] = Array.isArray(node.args) ? node.args : []
    if (reading && node.op !== 'id') narrowed.add(left)
    // Reads only whether this one key exists.
    if (node.op !== 'in') continue
    const [holder, key] = [readingOf(right as Node, args), constantOf(left as Node, args)]
    if (!holder?.open || key === undefined) continue
    paths.set(node, [...holder.path, key])
    narrowed.add(right)
  }
  return [...paths].filter(([node]) => !narrowed.has(node)).map(([, path]) => path)
}

/** The path below `state` that a chain of selections leads to. */
function readingOf(node: Node, args: Facts): Reading | undefined {
  if (node.op === 'id') return node.args === 'state' ? { path: [], open: true } : undefined
  if (!['.', '.?', '[]', '[?]'].includes(node.op)) return undefined
  const [base, selected] = node.args as [Node, Node | string]
  const holder = readingOf(base, args)
  if (!holder?.open) return holder
  const key = typeof selected === 'string' ? selected : constantOf(selected, args)
  return key === undefined ? { path: holder.path, open: false } : { path: [...holder.path, key], open: true }
}

/** A string determined by the arguments alone. */
function constantOf({ op, args: parts }: Node, args: Facts): string | undefined {
  if (op === 'value')
    return typeof parts === 'string' || typeof parts === 'bigint' ? String(parts) : undefined
  if (op === '+') {
    // Numbers are added, not concatenated.
    const texts = (parts as Node[]).map((part) =>
      typeof part.args === 'bigint' ? undefined : constantOf(part, args),
    )
    const [left, right] = texts
    return left === undefined || right === undefined ? undefined : left + right
  }
  if (op !== '.') return undefined
  const [base, name] = parts as [Node, string]
  if (base.op !== 'id' || base.args !== 'args') return undefined
  const value = args.get(name)
  return typeof value === 'string' ? value : undefined
}
