// Seals the audit log, on request of a charter member or of the successor.
import type { ChainSeal } from '@svc/contract/needs/audit-log'
import type { OperationContext } from '@svc/contract/operation-context'
import { notFound, type Refusal, refuse } from '@svc/contract/refusal'
import { Closed, described, Hash, HexHash, OneOf, Ref, Uuid } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import { readSeal, Seal, sealEntry, sealRef } from './chain-seal.ts'
import { advance, type Dissolution } from './dissolution.ts'
import { findArchive } from './dissolution-archive.ts'
import { sealBlockers } from './dissolution-steps.ts'
import { findDissolution, findOpen } from './dissolution-store.ts'

export const SealInput = Closed({
  dissolution_id: Type.Optional(described(Uuid, 'Dissolution to end; default the open one.')),
  expected_head: Type.Optional(
    Type.String({
      pattern: '^(sha256:)?[0-9a-f]{64}$',
      description: 'Hash of the last record you know; sealing is refused if the chain has newer records.',
    }),
  ),
})
export type SealInput = Static<typeof SealInput>

export const SealOutput = Closed({
  dissolution_id: described(Uuid, 'Dissolution that ended.'),
  state: described(OneOf('SEALED', 'ARCHIVED'), 'ARCHIVED once the records were bundled as well.'),
  final_hash: described(HexHash, 'Hash of the last record; none can follow.'),
  final_seq: Type.Integer({ minimum: 1, description: 'Place of the last record.' }),
  seal: Seal,
  mars_ref: described(Ref, 'Entry of the seal in the registry.'),
  archive: Type.Optional(
    Closed(
      {
        hash: described(Hash, 'Names the bundle: the hash of its bytes.'),
        bytes: Type.Integer({ minimum: 1, description: 'Size of the bundle.' }),
        records: Type.Integer({ minimum: 1, description: 'Number of records in it.' }),
      },
      { description: 'Bundle of all records; absent until it was made.' },
    ),
  ),
})
export type SealOutput = Static<typeof SealOutput>

export async function seal(
  input: SealInput,
  context: OperationContext<'audit_log' | 'charter' | 'engine'>,
): Promise<SealOutput> {
  const dissolution = await findNamed(input, context)
  await requireMourner(dissolution, context, 'seal')
  const { tenant_id, state } = dissolution
  if (state === 'SEALED' || state === 'ARCHIVED') {
    const chain_seal = await readSeal(context.db, tenant_id)
    if (!chain_seal) throw notFound('seal of', tenant_id)
    return await sealAnswer(dissolution, chain_seal, context)
  }
  await requireReady(dissolution, context)
  await context.audit_log.settled()
  const sealed = await context.audit_log.seal({
    id: context.newId(),
    correlation_id: context.invoke.correlation_id,
    timestamp: context.now,
    tenant_id,
    caller_did: context.caller.did,
    meta: {
      dissolution_id: dissolution.dissolution_id,
      authority: dissolution.authority,
      successor_did: dissolution.schedule.successor_did,
    },
    expected_head: input.expected_head?.replace('sha256:', ''),
  })
  return await sealAnswer({ ...dissolution, state: 'SEALED' }, sealed, context)
}

async function findNamed({ dissolution_id }: SealInput, context: OperationContext): Promise<Dissolution> {
  const { db, tenant_id } = context
  const dissolution =
    dissolution_id === undefined ? await findOpen(db, tenant_id) : await findDissolution(db, dissolution_id)
  if (dissolution) return dissolution
  throw notFound('dissolution', dissolution_id ?? `of ${tenant_id}`)
}

export async function requireMourner(
  dissolution: Dissolution,
  context: OperationContext<'charter'>,
  action: string,
): Promise<void> {
  const { did } = context.caller
  const { tenant_id, schedule } = dissolution
  if (did === schedule.successor_did) return
  if (context.tenant_id === tenant_id && (await context.charter.has(did))) return
  throw refuse(
    'policy_denied',
    `Only a charter member of ${tenant_id} or its successor ${schedule.successor_did} may ${action} it; ask one of them.`,
    { reason: 'not a charter member or successor', denying_policy: 'MAUSOLEUM' },
  )
}

/** A successor cannot see another organization's assets; then only the database checks. */
async function requireReady(dissolution: Dissolution, context: OperationContext): Promise<void> {
  const { tenant_id, blocked } = dissolution
  const state = advance(dissolution, new Date(context.now))
  const known_blockers = context.tenant_id === tenant_id ? await sealBlockers(context.db, tenant_id) : []
  const blockers = [...(blocked ? [`${blocked.step}: ${blocked.reason}`] : []), ...known_blockers]
  const named = blocked ? 'BLOCKED' : state
  if (state === 'READY_TO_SEAL' && blockers.length === 0) return
  throw notReady(named, blockers)
}

function notReady(state: string, blockers: readonly string[]): Refusal {
  const why = blockers.length > 0 ? `: ${blockers.join('; ')}` : ''
  return refuse(
    'policy_denied',
    `The dissolution is ${state}, and seal needs READY_TO_SEAL${why}; resolve what is open, then seal again.`,
    {
      reason: `dissolution is ${state}; seal needs READY_TO_SEAL`,
      denying_policy: 'MAUSOLEUM',
      appeal_path: 'MOOT file',
      state,
      blockers: [...blockers],
    },
  )
}

export async function sealAnswer(
  dissolution: Dissolution,
  sealed: ChainSeal,
  { db, engine: { operator_tenant_id } }: OperationContext<'engine'>,
): Promise<SealOutput> {
  const { dissolution_id, tenant_id, state } = dissolution
  const archive = state === 'ARCHIVED' ? await findArchive(db, tenant_id) : undefined
  return {
    dissolution_id,
    state: archive ? 'ARCHIVED' : 'SEALED',
    final_hash: sealed.final_hash,
    final_seq: sealed.final_seq,
    seal: { ...sealed },
    mars_ref: sealRef(sealEntry(operator_tenant_id, dissolution, sealed)),
    ...(archive && {
      archive: {
        hash: archive.hash,
        bytes: archive.manifest.file.bytes,
        records: archive.manifest.records,
      },
    }),
  }
}
