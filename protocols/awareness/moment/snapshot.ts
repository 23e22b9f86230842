import { publicKeys } from '@svc/audit/query/records'
import { isMoment } from '@svc/contract/moment'
import type { OperationContext } from '@svc/contract/operation-context'
import { refuse } from '@svc/contract/refusal'
import {
  AnyObject,
  Closed,
  described,
  HexHash,
  ListOf,
  OneOf,
  TenantId,
  Text,
  Timestamp,
} from '@svc/contract/schema'
import { Proof, proveDocument } from '@svc/contract/signing/data-integrity'
import { type Static, Type } from 'typebox'
import { AllTenants, resolutions, tenantSeen } from '../metrics/api.ts'
import { chainAt, chainNow } from './snapshot-chain.ts'
import { type SectionName, section_names, sections } from './snapshot-sections.ts'

/** The signed content names the key, so it is read first: retried if the key rotates in between. */
const rotations_max = 3

export const SnapshotInput = Closed({
  at: Type.Optional(described(Timestamp, 'Past moment to show; default now.')),
  sections: Type.Optional(
    described(ListOf(OneOf(...section_names), 1, section_names.length), 'Parts to include. Default all.'),
  ),
  all_tenants: Type.Optional(AllTenants),
})

const every_section = Object.fromEntries(
  section_names.map((name) => [name, Type.Optional(described(AnyObject, sections[name].meaning))]),
)

export const SnapshotOutput = Closed({
  tenant_id: described(TenantId, 'Organization that is shown.'),
  at: described(Timestamp, 'The moment that is shown.'),
  sections: Closed(every_section, { description: 'Values of each part that was asked for.' }),
  unavailable: described(
    ListOf(
      Closed({
        section: described(OneOf(...section_names), 'The part left out.'),
        reason: Type.String({ description: 'Why it is left out.' }),
      }),
      0,
      section_names.length,
    ),
    'Parts that cannot be shown for a past time.',
  ),
  chain_head: described(HexHash, "Hash of the last record in the tenant's audit log at that time."),
  tree_size: Type.Integer({ description: "Records in the tenant's audit log at that time." }),
  checkpoint: Type.Optional(
    Text(16_384, {
      description: 'C2SP signed note over the tree of this size, by the same key as the proof.',
    }),
  ),
  signed: Type.Boolean({ description: 'Whether a proof is included; a sealed log has no key to sign with.' }),
  proof: Type.Optional(Proof),
})
export type SnapshotOutput = Static<typeof SnapshotOutput>

export async function takeSnapshot(
  input: Static<typeof SnapshotInput>,
  context: OperationContext<
    'audit_log' | 'authority' | 'budgets' | 'engine' | 'served' | 'tenants' | 'health'
  >,
): Promise<SnapshotOutput> {
  const { at = context.now } = input
  const is_past = input.at !== undefined && Date.parse(input.at) < Date.parse(context.now)
  requireKept(at, context.now)
  const tenant_id = await tenantSeen(input, context)
  await Promise.all([context.audit_log.settled(), context.health.settled(context.tenant_id)])
  const { db, tenant_id: own } = context
  const chain = is_past ? await chainAt(db, own, at) : await chainNow(db, own)
  const sections_told: Partial<Record<SectionName, Record<string, unknown>>> = {}
  const unavailable: { section: SectionName; reason: string }[] = []
  for (const section of new Set(input.sections ?? section_names)) {
    const { has_past, gather } = sections[section]
    if (is_past && !has_past) unavailable.push({ section, reason: 'only its present is kept' })
    else sections_told[section] = { ...(await gather({ context, at, tenant_id, chain, is_past })) }
  }
  const { checkpoint, ...head } = chain
  const picture = {
    tenant_id: own,
    at,
    sections: sections_told,
    unavailable,
    ...head,
    ...(checkpoint && { checkpoint }),
  }
  return sign(picture, context)
}

function requireKept(at: string, now: string): void {
  const at_ms = Date.parse(at)
  const oldest_ms = Date.parse(now) - resolutions.at(-1)!.kept_ms
  if (isMoment(at) && at_ms <= Date.parse(now) && at_ms >= oldest_ms) return
  const why = !isMoment(at) ? 'does not exist' : at_ms < oldest_ms ? 'is longer ago than anything is kept' : 'has not come yet' // biome-ignore format: kept on one line
  throw refuse('invalid_payload', `at is ${at}, a moment that ${why}; name one of the last 400 days.`, {
    reason: 'no_such_moment',
    faults: [{ pointer: '/at', message: why }],
  })
}

/**
 * Everything but the proof is signed with the audit log's key: a reader verifies it with eddsa-jcs-2022,
 * finds that key in an export, and the named head in the accompanying checkpoint.
 */
async function sign(
  picture: Omit<SnapshotOutput, 'signed' | 'proof'>,
  context: OperationContext<'audit_log' | 'budgets'>,
): Promise<SnapshotOutput> {
  // A sealed audit log has no signing key.
  const { standing } = await context.budgets.rules()
  if (standing === 'sealed') return { ...picture, signed: false }
  const document = { ...picture, signed: true }
  const [newest] = await publicKeys(context.db, context.tenant_id)
  let public_key = newest?.public_key ?? ''
  for (let attempt = 0; attempt < rotations_max; attempt++) {
    let signed_with = public_key
    const key = {
      public_key,
      async sign(bytes: Uint8Array) {
        const made = await context.audit_log.sign(bytes)
        signed_with = made.public_key
        return made.signature
      },
    }
    const proof = await proveDocument(document, key, { created: context.now })
    if (signed_with === public_key) return { ...document, proof }
    public_key = signed_with
  }
  throw refuse('adapter_error', 'The key of the audit log changed while it was signing; ask again.', {
    reason: 'key rotated',
  })
}
