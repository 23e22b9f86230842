// What a rule tests first, if that can be evaluated without the evaluator: most rules are about somebody or something
// else.
import type { PolicyJson } from '@cedar-policy/cedar-wasm/nodejs'
import type { Scene } from '@svc/contract/authority/policy'

/** If it is false, its rule does not apply, and does not fail either. */
export type Guard = (scene: Scene) => boolean

/** Facts that every scene has: comparing one never fails. */
const always_there = new Set([
  'principal.did',
  'principal.kind',
  'principal.level',
  'principal.lineage_verified',
  'resource.protocol',
  'resource.operation',
  'resource.state_changing',
  'context.tenant',
  'context.target_tenant',
  'context.hour',
  'context.weekday',
  'context.origin',
])

/** The evaluator checks head and conditions in this order, and stops at the first that is false. */
export function guardsOf({ principal, resource, conditions }: PolicyJson): Guard[] {
  const guards: Guard[] = []
  if (principal.op === '==' && 'entity' in principal) {
    const { id } = uidOf(principal.entity)
    guards.push((scene) => scene.principal.did.toWellFormed() === id)
  }
  if (resource.op === '==' && 'entity' in resource) {
    const { id } = uidOf(resource.entity)
    guards.push((scene) => `${scene.resource.protocol}.${scene.resource.operation}`.toWellFormed() === id)
  }
  for (const { kind, body } of conditions) {
    for (const part of kind === 'when' ? conjunctsOf(body) : [undefined]) {
      const guard = equalityOf(part)
      if (!guard) return guards
      guards.push(guard)
    }
  }
  return guards
}

/** Whether it applies to one operation, and says so before anything that could fail. */
export function namesOperation({ resource, conditions }: PolicyJson): boolean {
  if (resource.op === '==') return true
  const [first] = conditions
  const parts = first?.kind === 'when' ? conjunctsOf(first.body) : []
  const end = parts.findIndex((part) => !equalityOf(part))
  return parts.slice(0, end === -1 ? undefined : end).some((part) => {
    const { left, right } = (part as Expression)['==']!
    return [left, right].some((side) => {
      const fact = (side as Expression)['.']
      return fact?.left.Var === 'resource' && fact.attr === 'operation'
    })
  })
}

function uidOf(entity: object): { readonly id: string } {
  return ('__entity' in entity ? entity.__entity : entity) as { id: string }
}

interface Expression {
  readonly '&&'?: { readonly left: unknown; readonly right: unknown }
  readonly '=='?: { readonly left: unknown; readonly right: unknown }
  readonly '.'?: { readonly left: { readonly Var?: string }; readonly attr: string }
  readonly Value?: unknown
}

/** From left to right, as they are evaluated. */
function conjunctsOf(body: unknown): unknown[] {
  const both = (body as Expression)['&&']
  return both ? [...conjunctsOf(both.left), ...conjunctsOf(both.right)] : [body]
}

/** `principal.did == "…"`, either way round. */
function equalityOf(expression: unknown): Guard | undefined {
  const sides = (expression as Expression | undefined)?.['==']
  if (!sides) return undefined
  return compare(sides.left, sides.right) ?? compare(sides.right, sides.left)
}

function compare(left: unknown, right: unknown): Guard | undefined {
  const fact = (left as Expression)['.']
  const { Value: expected_value } = right as Expression
  const comparable =
    ['string', 'boolean'].includes(typeof expected_value) || Number.isSafeInteger(expected_value)
  if (!fact || !comparable || !always_there.has(`${fact.left.Var}.${fact.attr}`)) return undefined
  const [part, name] = [fact.left.Var as 'principal' | 'resource' | 'context', fact.attr]
  return (scene) => {
    const value = (scene[part] as Readonly<Record<string, unknown>>)[name]
    // If it is missing after all, the rule fails, which the evaluator must report.
    return (
      value === undefined || (typeof value === 'string' ? value.toWellFormed() : value) === expected_value
    )
  }
}
