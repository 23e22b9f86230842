// Which facts of a scene a rule can read, from its syntax: scenes that differ in nothing else have one answer.
import type { PolicyJson } from '@cedar-policy/cedar-wasm/nodejs'
import type { Scene } from '@svc/contract/authority/policy'
import { type InputFact, inputValue } from './input-facts.ts'

const facts = {
  principal: ['did', 'tenant', 'kind', 'level', 'lineage_verified', 'human_root'],
  resource: ['protocol', 'operation', 'state_changing'],
  context: [
    'tenant',
    'target_tenant',
    'hour',
    'weekday',
    'origin',
    'jurisdiction',
    'amount_micro_usd',
    'action_kind',
    'treaty_id',
  ],
} as const satisfies { [part in keyof Omit<Scene, 'at_ms'>]: readonly (keyof Scene[part])[] }
type Part = keyof typeof facts

/** `context.hour`, or `context` if a rule uses it as a whole. */
export function seenBy({ principal, resource, conditions }: PolicyJson): Set<string> {
  const facts_read = new Set<string>()
  if (principal.op !== 'All') facts_read.add('principal')
  if (resource.op !== 'All') facts_read.add('resource')
  for (const { body } of conditions) look(body, facts_read)
  return facts_read
}

function look(expression: unknown, facts_read: Set<string>): void {
  if (Array.isArray(expression)) {
    for (const part of expression) look(part, facts_read)
    return
  }
  if (typeof expression !== 'object' || expression === null) return
  for (const [operator, operand] of Object.entries(expression)) {
    const attribute = operator === '.' || operator === 'has' ? attributeOf(operand) : undefined
    if (attribute) facts_read.add(attribute)
    else if (operator === 'Var') facts_read.add(String(operand))
    else look(operand, facts_read)
  }
}

/** Only for an attribute of a variable itself; in other expressions all parts are searched. */
function attributeOf(operand: unknown): string | undefined {
  const { left, attr } = operand as { left?: { Var?: unknown }; attr?: string | string[] }
  const name = Array.isArray(attr) ? attr[0] : attr
  return typeof left?.Var === 'string' && typeof name === 'string' ? `${left.Var}.${name}` : undefined
}

/** Its place in a scene, computed once per set: keys are built before every call. */
export type Fact = readonly [part: Part, name: string, field?: InputFact]

export function factsOf(facts_read: ReadonlySet<string>): Fact[] {
  return (Object.keys(facts) as Part[]).flatMap((part) =>
    facts[part]
      .filter((name) => facts_read.has(part) || facts_read.has(`${part}.${name}`))
      .map((name): Fact => [part, name]),
  )
}

/** Distinguishes two scenes for rules that read only these facts. */
export function sceneKey(scene: Scene, facts_read: readonly Fact[]): string {
  let key = ''
  for (const [part, name, field] of facts_read) {
    const value = field ? fieldText(scene, field) : (scene[part] as Readonly<Record<string, unknown>>)[name]
    // With its length, so that no two lists of texts give the same key.
    key += typeof value === 'string' ? `${value.length}:${value},` : `${value},`
  }
  return key
}

function fieldText({ context }: Scene, field: InputFact): string | undefined {
  if (context.input === undefined) return 'not available'
  const value = inputValue(context.input, field)
  return value === undefined ? undefined : JSON.stringify(value)
}
