// What a record names: things used, things made, and what refused it. Only the service's own fields count.
import { type AuditRecord, isNote } from '@svc/contract/audit/audit-record'
import { recordNode } from './trace-node.ts'

const ref_form = /^(?!https?:|wss?:)[a-z]+:\/\/[A-Za-z0-9:._/@-]{1,240}$/
const record_form = /^max:\/\/(?:[a-z0-9][a-z0-9-]{0,62}\/)?record\/(?:sha256:)?([0-9a-f]{64})$/
const treaty_form = /^sha256:[0-9a-f]{64}$/
const rule_length_max = 200
const walk_depth_max = 8
const walk_values_max = 5_000
const refs_max = 256

const treaty_prefix = 'moat://'
const envelope_prefix = 'mana://envelope/'

interface Noun {
  readonly keys: readonly string[]
  readonly prefix: string
  readonly made_by: readonly string[]
  /** Events that follow from earlier ones about the same thing. */
  readonly follows?: Readonly<Record<string, readonly string[]>>
}

/** Things that records name by bare id, and the events that create them. */
const nouns: readonly Noun[] = [
  {
    keys: ['motion_id'],
    prefix: 'mace://motion/',
    made_by: ['MotionConvened'],
    // Opening decides nothing: the tally counts the quorum again.
    follows: { MotionTallied: ['PositionRecorded'], MotionOpened: ['PositionRecorded'] },
  },
  {
    keys: ['treaty_id', 'treaty_root', 'root_id'],
    prefix: treaty_prefix,
    made_by: ['TreatyProposed'],
    follows: { TreatyActivated: ['TreatySigned'], TreatySuspended: ['TreatyActivated'] },
  },
  {
    keys: ['contract_id'],
    prefix: 'made://contract/',
    made_by: ['ContractCreated'],
    follows: { ContractSettled: ['ContractActivated'], ContractDefaulted: ['ContractActivated'] },
  },
  {
    keys: ['case_id'],
    prefix: 'moot://case/',
    made_by: ['CaseFiled'],
    follows: { CaseRuled: ['CaseHeard'] },
  },
  { keys: ['envelope', 'envelope_id'], prefix: envelope_prefix, made_by: ['EnvelopeAllocated'] },
  { keys: ['hold_id'], prefix: 'mana://hold/', made_by: ['HoldPlaced'] },
  { keys: ['order_id'], prefix: 'market://order/', made_by: ['OrderAccepted'] },
  { keys: ['asset_id'], prefix: 'market://asset/', made_by: ['AssetPublished'] },
  { keys: ['invoice_id'], prefix: 'meal://invoice/', made_by: ['InvoiceIssued'] },
]

const verdict_prefix = 'mace://verdict/'
const policy_prefix = 'maxim://'
const set_prefix = 'maxim://set/'
const grant_prefix = 'grant:'

export interface Named {
  readonly used: readonly string[]
  readonly made: readonly string[]
  /** Rules that are not stored content: `rule:…`. */
  readonly refused_by: readonly string[]
  readonly grant?: string
}

const nothing: Named = { used: [], made: [], refused_by: [] }

/** Only from the engine's fields: a caller's note names nothing. */
export function namedBy(record: AuditRecord): Named {
  if (isNote(record)) return nothing
  const { meta, event_type, tenant_id } = record
  const { denying_policy, counterpart: _, supplied: __, module, ...rest } = meta
  const named = new Set([...refsIn(rest), ...refsIn(module)])
  const made = new Set<string>()
  for (const { keys, prefix, made_by } of nouns) {
    for (const key of keys) {
      const id = textOf(rest[key])
      if (id === undefined) continue
      const ref = id.startsWith(prefix) ? id : `${prefix}${id}`
      ;(made_by.includes(event_type) && key === keys[0] ? made : named).add(ref)
    }
  }
  const [policy_id, version] = [textOf(meta.policy_id), textOf(meta.version)]
  if (policy_id && version) {
    ;(event_type === 'PolicyAuthored' ? made : named).add(`${policy_prefix}${policy_id}@${version}`)
  }
  if (event_type === 'PolicyAuthored' && textOf(meta.set_digest)) made.add(`${set_prefix}${meta.set_digest}`)
  const own_set = textOf((meta.policy_sets as Record<string, unknown> | undefined)?.[tenant_id])
  if (own_set) named.add(`${set_prefix}${own_set}`)
  const parent_token = event_type === 'CapabilityGrant' ? textOf(meta.parent_token) : undefined
  if (parent_token) named.add(`${grant_prefix}${parent_token}`)
  const verdict = textOf(meta.verdict)
  if (verdict && (event_type === 'MotionTallied' || meta.sole_member === true)) made.add(verdict)
  const grant = grantOf(record)
  return {
    used: [...named].filter((ref) => !made.has(ref)),
    made: [...made],
    refused_by: refusersOf(record, textOf(denying_policy)),
    ...(grant && { grant }),
  }
}

/** The delegation, envelope or treaty a record names; a capability held directly is named by its holder. */
function grantOf({ meta, caller_did }: AuditRecord): string | undefined {
  const [name, ref] = [textOf(meta.grant), textOf(meta.grant_ref)]
  // What is open to everybody was granted by nobody.
  if (name === undefined || meta.grant_source === 'open') return undefined
  if (meta.grant_source === 'treaty' && ref) return `${treaty_prefix}${ref}`
  if (meta.grant_source === 'envelope' && ref) return `${envelope_prefix}${ref}`
  return `${grant_prefix}${ref ?? `${caller_did}:${name}`}`
}

/** Exactly what refused it, as far as the record says. */
function refusersOf({ outcome, meta }: AuditRecord, denying_policy: string | undefined): string[] {
  if (outcome === 'success') return []
  if (denying_policy?.startsWith(policy_prefix)) return [denying_policy]
  if (denying_policy && treaty_form.test(denying_policy)) return [`${treaty_prefix}${denying_policy}`]
  const rule = denying_policy ?? textOf(meta.reason) ?? textOf(meta.code) ?? 'unknown'
  return [`rule:${rule.slice(0, rule_length_max)}`]
}

/** The earlier events of a thing that an event follows from. */
export function followed(event_type: string): readonly string[] {
  return nouns.flatMap(({ follows }) => follows?.[event_type] ?? [])
}

export interface Maker {
  readonly event_types: readonly string[]
  /** A string in the body of the record that made it. */
  readonly name: string
}

/** Where to find the creation of a thing that is not content; undefined if unknown. */
export function makerOf(ref: string): Maker | undefined {
  if (ref.startsWith(set_prefix))
    return { event_types: ['PolicyAuthored'], name: ref.slice(set_prefix.length) }
  if (ref.startsWith(policy_prefix)) {
    const [policy_id, version] = ref.slice(policy_prefix.length).split('@')
    return version === undefined
      ? undefined
      : { event_types: ['PolicyAuthored'], name: `"policy_id":"${policy_id}"` }
  }
  // A one-member charter decides by acting: its verdict first appears in the check that passed.
  if (ref.startsWith(verdict_prefix))
    return { event_types: ['MotionTallied', 'AuthorizationCheck'], name: ref }
  if (ref.startsWith(grant_prefix)) {
    const name = ref.slice(grant_prefix.length)
    return {
      event_types: ['CapabilityGrant'],
      name: name.startsWith('did:')
        ? `"to":"${name.slice(0, name.lastIndexOf(':'))}"`
        : `"token_id":"${name}"`,
    }
  }
  const noun = nouns.find(({ prefix }) => ref.startsWith(prefix))
  return noun && { event_types: noun.made_by, name: `"${ref.slice(noun.prefix.length)}"` }
}

/** A string in the body of every record that names the thing. */
export function nameOf(ref: string): string {
  const noun = nouns.find(({ prefix }) => ref.startsWith(prefix))
  if (noun) return `"${ref.slice(noun.prefix.length)}"`
  return ref.startsWith(set_prefix) ? ref.slice(set_prefix.length) : ref
}

/** Events about a thing that later ones follow from. */
export function companionsOf(ref: string): Maker | undefined {
  const noun = nouns.find(({ prefix, follows }) => follows && ref.startsWith(prefix))
  if (!noun) return undefined
  const event_types = [...new Set(Object.values(noun.follows!).flat())]
  return { event_types, name: `"${ref.slice(noun.prefix.length)}"` }
}

/** What this record granted: a delegation by its id, anything else by holder and capability. */
export function grantsDelegatedBy({ event_type, meta }: AuditRecord): string[] {
  if (event_type !== 'CapabilityGrant') return []
  const token_id = textOf(meta.token_id)
  if (token_id) return [`${grant_prefix}${token_id}`]
  const names = [meta.capability, ...(Array.isArray(meta.capabilities) ? meta.capabilities : [])]
  return names.flatMap((name) =>
    typeof name === 'string' ? `${grant_prefix}${String(meta.to)}:${name}` : [],
  )
}

/** A record's address maps to its node, everything else to its own node. */
export function nodeOfRef(ref: string): string {
  const [, record_hash] = record_form.exec(ref) ?? []
  return record_hash === undefined ? ref : recordNode(record_hash)
}

/** All strings that are references, at any depth. */
export function refsIn(value: unknown): string[] {
  const refs = new Set<string>()
  const open: { readonly value: unknown; readonly depth: number }[] = [{ value, depth: 0 }]
  let looked = 0
  while (open.length > 0 && looked++ < walk_values_max && refs.size < refs_max) {
    const { value: one, depth } = open.pop()!
    if (typeof one === 'string') {
      if (ref_form.test(one)) refs.add(one)
    } else if (typeof one === 'object' && one !== null && depth < walk_depth_max) {
      for (const inner of Object.values(one)) open.push({ value: inner, depth: depth + 1 })
    }
  }
  return [...refs]
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.length > 0 ? value : undefined
}
