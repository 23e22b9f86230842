// Evidence of a case: each reference is looked up as the party sees it and checked against hash and
// signatures.

import { correlationsNaming } from '@svc/audit/query/records'
import { replayRecord, replayRecords } from '@svc/audit/query/replay'
import type { OperationContext } from '@svc/contract/operation-context'
import { type Refusal, refuse } from '@svc/contract/refusal'
import { contentHash } from '@svc/contract/signing/canonical-json'
import { findPage } from '../../awareness/registry/api.ts'
import { proveContract } from '../../economic/contracts/api.ts'
import { keyEventsOfAll } from '../../identity/keys/api.ts'
import { type EvidenceCheck, findRuling } from '../cases/api.ts'
import { findTreaty, isIntact, isWordFor } from '../moat/api.ts'
import { findVerdict } from '../motions/api.ts'

/** Every record is hashed and verified again, so the number per filing is limited. */
const records_max = 500
export const correlations_max = 64
const contracts_max = 16
/** Keeps the maximum number of contracts within the limit of replayed requests. */
const correlations_of_contract_max = correlations_max / contracts_max
const contract_events = ['ContractCreated', 'ContractActivated', 'ContractSettled', 'ContractDefaulted']

const hash = 'sha256:[0-9a-f]{64}'
const uuid = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'
const tenant = '[a-z0-9][a-z0-9-]{0,62}'
const record_form = new RegExp(`^max://(${tenant})/record/(?:sha256:)?([0-9a-f]{64})$`)
const correlation_form = new RegExp(`^max://(${tenant})/correlation/(${uuid})$`)
const contract_form = new RegExp(
  `^made://contract/(${hash})(?:/(?:settlement/(${uuid})|obligation/([A-Za-z0-9][A-Za-z0-9._-]{0,63})))?$`,
)
const treaty_form = new RegExp(`^moat://(${hash})$`)
const entry_form = new RegExp(`^mars://(${hash})$`)

export interface ContractTarget {
  readonly contract_id: string
  readonly settlement_id?: string | undefined
  readonly obligation_id?: string | undefined
}

/** `made://contract/<id>`, or one of its settlements or obligations. */
export function contractOf(ref: string | null): ContractTarget | undefined {
  const [, contract_id, settlement_id, obligation_id] = contract_form.exec(ref ?? '') ?? []
  return contract_id === undefined ? undefined : { contract_id, settlement_id, obligation_id }
}

export function treatyOf(ref: string | null): string | undefined {
  return treaty_form.exec(ref ?? '')?.[1]
}

/** A party's evidence, and the requests whose records are replayed for it. */
export interface Shown {
  readonly checks: readonly EvidenceCheck[]
  readonly correlations: readonly string[]
  readonly contracts: readonly string[]
}

interface Look {
  readonly found: boolean
  readonly hash_ok: boolean
  readonly signature_ok: boolean
  readonly correlation_ids?: readonly string[]
  readonly records?: number
}

const nothing: Look = { found: false, hash_ok: false, signature_ok: false }

/** In citation order, without duplicates. Unverifiable references are kept and marked. */
export async function checkEvidence(
  context: OperationContext<'audit_log' | 'telemetry'>,
  refs: readonly string[],
): Promise<Shown> {
  await context.audit_log.settled()
  const checks: EvidenceCheck[] = []
  const correlations = new Set<string>()
  const contracts = new Set<string>()
  let left = records_max
  for (const ref of new Set(refs)) {
    const { correlation_ids = [], records = 0, ...look } = await lookAt(context, ref, left + 1)
    left -= records
    checks.push({ ref, ...look })
    const contract = look.found ? contractOf(ref) : undefined
    for (const correlation_id of correlation_ids) correlations.add(correlation_id)
    if (contract) contracts.add(contract.contract_id)
    if (left < 0) throw tooMuch(`${records_max} records`)
  }
  if (correlations.size > correlations_max) throw tooMuch(`records of ${correlations_max} requests`)
  if (contracts.size > contracts_max) throw tooMuch(`${contracts_max} contracts`)
  return { checks, correlations: [...correlations], contracts: [...contracts] }
}

export function tooMuch(what: string): Refusal {
  return refuse('invalid_payload', `A filing may cite at most ${what}; cite the most relevant ones.`, {
    reason: 'too_large',
    faults: [{ pointer: '/evidence', message: `cites more than ${what}` }],
  })
}

/** A reference that leads nowhere is an error of whoever cites it; one that does not verify is for the court to weigh. */
export function requireReadable({ checks }: Pick<Shown, 'checks'>, refs: readonly string[]): void {
  const missing = checks.filter(({ found }) => !found).map(({ ref }) => ref)
  if (missing.length === 0) return
  throw refuse(
    'invalid_payload',
    `${missing.length} of the ${checks.length} references in evidence lead to nothing that you may read; correct or omit them.`,
    {
      reason: 'evidence not found',
      faults: missing.map((ref) => ({
        pointer: `/evidence/${refs.indexOf(ref)}`,
        message:
          'is no record, request, contract, treaty, verdict, ruling or registry entry that you may read',
      })),
    },
  )
}

export function isVerified({ found, hash_ok, signature_ok }: EvidenceCheck): boolean {
  return found && hash_ok && signature_ok
}

/** The same check as the venue: only records it has access to, within its limit. */
export async function checkRecords(
  context: OperationContext<'telemetry'>,
  refs: readonly string[],
): Promise<EvidenceCheck[]> {
  const checks: EvidenceCheck[] = []
  let left = records_max
  for (const ref of refs) {
    if (left <= 0) break
    if (!record_form.test(ref) && !correlation_form.test(ref)) continue
    const { found, hash_ok, signature_ok, records = 1 } = await lookAt(context, ref, left)
    left -= records
    checks.push({ ref, found, hash_ok, signature_ok })
  }
  return checks
}

async function lookAt(context: OperationContext<'telemetry'>, ref: string, limit: number): Promise<Look> {
  const { db, tenant_id } = context
  const record = record_form.exec(ref)
  if (record) return await lookAtRecord(context, record[1]!, record[2]!)
  const correlation = correlation_form.exec(ref)
  if (correlation) return await lookAtCorrelation(context, correlation[1]!, correlation[2]!, limit)
  const contract = contractOf(ref)
  if (contract) return await lookAtContract(context, contract.contract_id)
  const treaty = treatyOf(ref)
  if (treaty) return await lookAtTreaty(context, treaty)
  const entry = entry_form.exec(ref)
  if (entry) {
    // The registry returns only entries whose hash matches their address.
    const { entries } = await findPage(context, { entry: entry[1]!, versions: 'all' }, 1)
    return entries.length > 0 ? { found: true, hash_ok: true, signature_ok: true } : nothing
  }
  if (ref.startsWith('mace://')) {
    const verdict = await findVerdict(db, tenant_id, ref)
    return verdict ? { found: true, hash_ok: true, signature_ok: true } : nothing
  }
  if (ref.startsWith('moot://ruling/')) {
    const ruling = await findRuling(db, ref.slice('moot://ruling/'.length))
    const hash_ok = ruling !== undefined && contentHash(ruling.body) === ruling.ruling_id
    return ruling ? { found: true, hash_ok, signature_ok: hash_ok } : nothing
  }
  return nothing
}

async function lookAtRecord({ db }: OperationContext, owner: string, record_hash: string): Promise<Look> {
  const replayed_record = await replayRecord(db, owner, record_hash)
  if (!replayed_record) return nothing
  const { record, hash_ok, signature_ok } = replayed_record
  return { found: true, hash_ok, signature_ok, correlation_ids: [record.correlation_id], records: 1 }
}

/** The events of a contract are in both audit logs: the court replays them from there. */
async function lookAtContract({ db, tenant_id }: OperationContext, contract_id: string): Promise<Look> {
  const proved = await proveContract(db, contract_id)
  if (!proved.found) return proved
  const [named = []] = await correlationsNaming(
    db,
    tenant_id,
    contract_events,
    [contract_id],
    correlations_of_contract_max,
  )
  return { ...proved, correlation_ids: named }
}

/** Valid only if all of its records are. */
async function lookAtCorrelation(
  { db }: OperationContext,
  owner: string,
  correlation_id: string,
  limit: number,
): Promise<Look> {
  const filter = { correlation_ids: [correlation_id], limit }
  const replayed_records = await replayRecords(db, owner, filter)
  if (replayed_records.length === 0) return nothing
  return {
    found: true,
    hash_ok: replayed_records.every(({ hash_ok }) => hash_ok),
    signature_ok: replayed_records.every(({ signature_ok }) => signature_ok),
    correlation_ids: [correlation_id],
    records: replayed_records.length,
  }
}

/** A treaty that was ever in force has valid signatures of both. */
async function lookAtTreaty(context: OperationContext, treaty_id: string): Promise<Look> {
  const treaty = await findTreaty(context.db, treaty_id)
  if (!treaty) return nothing
  const signers = treaty.signatures.map(({ signed_by }) => signed_by)
  const events = await keyEventsOfAll(context.db, signers)
  const signed = treaty.signatures.filter((word) => isWordFor(word, treaty_id, events.get(word.signed_by)))
  const is_whole = treaty.activated_at === null || signed.length === 2
  return {
    found: true,
    hash_ok: isIntact(treaty),
    signature_ok: is_whole && signed.length === treaty.signatures.length,
  }
}
