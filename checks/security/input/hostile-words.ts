// Inputs in which all free text is the attacker's, and free objects have members named like the engine's.
import { asSchemaNode, type SchemaNode, variantsOf, wordsOf } from '@svc/catalogue/derive/schema-node'
import type { OperationFacts } from '@svc/contract/operation-facts'
import type { TSchema } from 'typebox'
import { Check } from 'typebox/value'

export const word = 'kanari'
/** Matches no closed identifier format. */
export const phrase = `${word} says yes`

/** Members of an engine's record, filled so that believing them would have an effect. */
export function hostileMembers(target_tenant: string): Record<string, unknown> {
  return {
    target_tenant,
    caller_tenant: target_tenant,
    from_tenant: target_tenant,
    counterpart: { tenant_id: target_tenant, seq: 1, record_hash: word },
    code: word,
    reason: word,
    denying_policy: `maxim://${word}`,
    treaty_id: word,
    treaty_root: word,
    grant: `svc.${word}.*`,
    capability: word,
    gate: 'MACE-quorum',
    usage: { bps: [1, 1, 1], ms: 1, quanta: '999', rate: 0, tokens_in: 1, tokens_out: 1, uwh: 1 },
    stage: 4,
    depth: 0,
    dry_run: false,
    appended: false,
    origin: word,
    supplied: { [word]: word },
    [word]: word,
  }
}

/** One input for each free text or object, and one with all of them. */
export function hostileInputs({ input, example }: OperationFacts, target_tenant: string): unknown[] {
  const node = asSchemaNode(input)
  const members = hostileMembers(target_tenant)
  const places: string[] = []
  const fill = (chosen: string | undefined) =>
    filled(node, example, '', (place, is_text) => {
      if (chosen === undefined) places.push(place)
      if (chosen !== undefined && chosen !== place) return undefined
      return is_text ? phrase : members
    })
  const all = fill(undefined)
  return [...new Set(places)].map(fill).concat([all])
}

type Choose = (place: string, is_text: boolean) => unknown

function filled(node: SchemaNode, value: unknown, place: string, choose: Choose): unknown {
  if (isFreeText(node)) return choose(place, true) ?? value
  if (isFreeObject(node)) {
    const members = choose(place, false)
    return members === undefined ? value : { ...Object(value), ...Object(members) }
  }
  const variants = variantsOf(node)
  if (variants.length > 0 && !wordsOf(node)) {
    const chosen =
      value === undefined
        ? variants.find((one) => isFreeText(one) || isFreeObject(one))
        : variants.find((one) => Check(one as TSchema, value))
    return chosen ? filled(chosen, value, place, choose) : value
  }
  if (node.type === 'array' && !Array.isArray(node.items)) return filledList(node, value, place, choose)
  if (node.type === 'object' && node.properties) return filledObject(node, value, place, choose)
  return value
}

function filledList(node: SchemaNode, value: unknown, place: string, choose: Choose): unknown {
  const items = node.items as SchemaNode
  const elements = Array.isArray(value) && value.length > 0 ? value : [undefined]
  const made = elements.map((element) => filled(items, element, `${place}/*`, choose))
  return made.includes(undefined) ? value : made
}

function filledObject(node: SchemaNode, value: unknown, place: string, choose: Choose): unknown {
  const fields = Object(value) as Record<string, unknown>
  const made = Object.fromEntries(
    Object.entries(node.properties!).flatMap(([name, child]) => {
      const inner = filled(child, fields[name], `${place}/${name}`, choose)
      return inner === undefined ? [] : [[name, inner]]
    }),
  )
  const is_whole = (node.required ?? []).every((name) => Object.hasOwn(made, name))
  return is_whole && Object.keys(made).length > 0 ? made : value
}

function isFreeText(node: SchemaNode): boolean {
  const is_long = (node.maxLength ?? phrase.length) >= phrase.length
  const is_open = node.pattern === undefined || new RegExp(node.pattern, 'u').test(phrase)
  return node.type === 'string' && is_open && !wordsOf(node) && is_long
}

function isFreeObject(node: SchemaNode): boolean {
  return node.type === 'object' && !node.properties && Object.hasOwn(node.patternProperties ?? {}, '^.*$')
}
