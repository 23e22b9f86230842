// The parser limits the length of an expression, not its run time. So every node is charged before it is
// evaluated, and a node that processes a whole list or text is charged by its size.
import type { ParseResult } from '@marcbachmann/cel-js'

const cost_max = 10_000
const chars_per_cost = 256
const elements_per_cost = 16
const time_zone_cost = 50
const moves_per_cost = 24

/** The parts of the library's tree we use; the package version is pinned, and a test checks the charging. */
interface Node {
  op: string
  args: unknown
  readonly meta: Readonly<Record<string, unknown>>
  evaluate(...args: unknown[]): unknown
}

/** One shared value: a quantifier that swallows errors may catch it ten thousand times. */
export const cost_exceeded = new Error(`more than ${cost_max} units of work`)

interface BudgetCounter {
  left: number
}

export interface Meter {
  refill(): void
  /** For the moves of a pattern. */
  payMoves(moves: number): void
  isSpent(): boolean
  /** Since the last refill. */
  spent(): number
}

/** Compares, joins or searches its operands, so it is charged for their full size. */
const deep_readers = new Set(['==', '!=', 'in'])
const flat_readers = new Set(['+', 'call', 'rcall', '<', '<=', '>', '>='])

/** Charges the evaluation of a checked expression to its cost budget. */
export function meterExpression(parsed: ParseResult): Meter {
  const budget_counter: BudgetCounter = { left: cost_max }
  const nodes = nodesOf(parsed.ast as unknown as Node)
  const depth_of = new Map<Node, 'deep' | 'flat' | 'every'>()
  for (const node of nodes) {
    const how = deep_readers.has(node.op) ? 'deep' : flat_readers.has(node.op) ? 'flat' : undefined
    if (how) for (const child of childrenOf(node)) depth_of.set(child, how)
  }
  for (const { op, args } of nodes)
    if (op === 'comprehension') depth_of.set((args as { iterable: Node }).iterable, 'every')
  for (const node of nodes) meterNode(node, budget_counter, depth_of.get(node))
  return {
    refill: () => {
      budget_counter.left = cost_max
    },
    payMoves: (moves) => pay(budget_counter, moves / moves_per_cost),
    isSpent: () => budget_counter.left < 0,
    spent: () => cost_max - Math.max(0, budget_counter.left),
  }
}

/** The library replaces a node's `evaluate` on the first call; the setter keeps our wrapper around it. */
function meterNode(
  node: Node,
  budget_counter: BudgetCounter,
  reading: 'deep' | 'flat' | 'every' | undefined,
): void {
  let inner = node.evaluate
  const own_cost = isZoned(node) ? time_zone_cost : 1
  function evaluate(this: unknown, ...args: unknown[]): unknown {
    pay(budget_counter, own_cost)
    const value = inner.apply(node, args)
    if (reading === 'deep') payForAll(budget_counter, value, 0)
    else if (reading) pay(budget_counter, flatCost(value, reading === 'every' ? 1 : elements_per_cost))
    return value
  }
  Object.defineProperty(node, 'evaluate', {
    get: () => evaluate,
    set: (next: Node['evaluate']) => {
      inner = next
    },
  })
}

function pay(budget_counter: BudgetCounter, cost: number): void {
  // Once empty it stays below zero, so that no error handler can continue.
  budget_counter.left = budget_counter.left < 0 ? -1 : budget_counter.left - cost
  if (budget_counter.left < 0) throw cost_exceeded
}

function flatCost(value: unknown, per_cost: number): number {
  if (typeof value === 'string' || value instanceof Uint8Array)
    return Math.floor(value.length / chars_per_cost)
  if (Array.isArray(value)) return Math.floor(value.length / per_cost)
  return value instanceof Map ? Math.floor(value.size / per_cost) : 0
}

function payForAll(budget_counter: BudgetCounter, value: unknown, depth: number): void {
  pay(budget_counter, flatCost(value, 1))
  if (depth > 64) throw cost_exceeded
  if (Array.isArray(value)) for (const element of value) payForAll(budget_counter, element, depth + 1)
  else if (value instanceof Map)
    for (const member of value.values()) payForAll(budget_counter, member, depth + 1)
  else if (typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype)
    for (const member of Object.values(value)) payForAll(budget_counter, member, depth + 1)
}

/** A date in a named time zone uses the host's tables, which is much more expensive. */
function isZoned({ op, args }: Node): boolean {
  return op === 'rcall' && Array.isArray(args) && String(args[0]).startsWith('get') && args[2]?.length > 0
}

/** Every node below, including those expanded from macros. */
export function nodesOf(root: Node): Node[] {
  const nodes = new Set<Node>()
  const waiting: unknown[] = [root]
  const visited = new Set<unknown>()
  while (waiting.length > 0) {
    const at = waiting.pop()
    if (typeof at !== 'object' || at === null || visited.has(at)) continue
    visited.add(at)
    if (isNode(at, root)) {
      nodes.add(at)
      waiting.push(at.args, at.meta.alternate, at.meta.macro)
    } else if (Array.isArray(at) || Object.getPrototypeOf(at) === Object.prototype) {
      waiting.push(...Object.values(at))
    }
  }
  return [...nodes]
}

function childrenOf({ args }: Node): Node[] {
  const flat = Array.isArray(args) ? args.flat() : [args]
  return flat.filter((part): part is Node => typeof part === 'object' && part !== null && 'op' in part)
}

function isNode(value: object, root: Node): value is Node {
  return value.constructor === root.constructor
}
