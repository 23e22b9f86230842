// Uses the consent to a call, or asks for it. All of it is one short transaction of the organization that decides.

import type { AuditEntry } from '@svc/contract/audit/audit-record'
import {
  type ApprovalAnswer,
  type ApprovalRequest,
  type AskedConsent,
  type Demand,
  kinOf,
  type MissingConsent,
} from '@svc/contract/authority/approval'
import { type Consent, parseConsent } from '@svc/contract/authority/consent'
import type { Database } from '@svc/contract/database'
import type { Vault } from '@svc/contract/needs/vault'
import { refuse } from '@svc/contract/refusal'
import { canonicalJson, sha256Hex } from '@svc/contract/signing/canonical-json'
import { consentText } from './approval-names.ts'
import {
  type ApprovalRow,
  approvalsOfCall,
  countPending,
  keepApproval,
  lockApprovals,
  markExpired,
  markUsed,
  unmarkUsed,
} from './approval-store.ts'

const pending_of_caller_max = 32
const pending_of_tenant_max = 1_000

/** People of an organization, as rules name them. */
export interface KnownPeople {
  /** DID by user name. */
  readonly dids: ReadonlyMap<string, string>
  /** User name by DID. */
  readonly names: ReadonlyMap<string, string>
}

export interface Decider {
  readonly did: string
  /** Of each rule that it counts for by a role: one of these must still be held. */
  readonly roles: readonly (readonly string[])[]
}

export interface GateParts {
  transaction(tenant_id: string): {
    readonly db: Database
    commit(events: readonly AuditEntry[]): Promise<void>
    rollback(): Promise<void>
  }
  vaultOf(tenant_id: string): Vault
  peopleOf(tenant_id: string, users: readonly string[], dids: readonly string[]): Promise<KnownPeople>
  /** Whether one of them is revoked or disabled by now, or has lost every role by which it decided. */
  isWithdrawn(tenant_id: string, deciders: readonly Decider[], at: Date): Promise<boolean>
  /** Tells those who can decide, after the commit; its failure changes nothing. */
  onAsked(request: ApprovalRequest, approval_id: string, demands: readonly AskedConsent[]): Promise<void>
  newId(): string
}

export interface ApprovalGate {
  use(request: ApprovalRequest): Promise<ApprovalAnswer>
  look(request: ApprovalRequest): Promise<ApprovalAnswer>
  giveBack(tenant_id: string, approval_id: string, record_id: string): Promise<void>
}

export function approvalGate(parts: GateParts): ApprovalGate {
  return {
    async use(request) {
      const asking = await askingOf(request, parts)
      const work = (db: Database, events: AuditEntry[]) => useOrAsk(asking, parts, db, events)
      const { answer, is_new } = await inTransaction(parts, request.tenant_id, work)
      if (is_new) await parts.onAsked(request, answer.approval_id!, asking.demands)
      return answer
    },
    async look(request) {
      const asking = await askingOf(request, parts)
      return inTransaction(parts, request.tenant_id, async (db) => {
        const rows = await approvalsOfCall(db, request.tenant_id, request.call_hash, keyHash(request))
        return answerFrom(rows, request) ?? missing('pending', null, asking, asking.decide_until)
      })
    },
    giveBack: (tenant_id, approval_id, record_id) =>
      inTransaction(parts, tenant_id, (db) => unmarkUsed(db, tenant_id, approval_id, record_id)),
  }
}

/** A request with its demands looked up. */
interface Asking {
  readonly request: ApprovalRequest
  readonly demands: readonly AskedConsent[]
  readonly decide_until: Date
  readonly use_ms: number
}

async function askingOf(request: ApprovalRequest, parts: GateParts): Promise<Asking> {
  const consents = request.demands.map(({ who }) => parseConsent(who)!)
  const users = consents.flatMap((consent) => consent.users)
  const dids = consents.flatMap((consent) => consent.dids)
  const people = await parts.peopleOf(request.tenant_id, users, dids)
  // Of several rules the shortest time counts.
  const decide_ms = Math.min(...consents.map((consent) => consent.decide_ms))
  return {
    request,
    demands: request.demands.map((demand, place) => consentOf(demand, consents[place]!, people)),
    decide_until: new Date(request.at.getTime() + decide_ms),
    use_ms: Math.min(...consents.map((consent) => consent.use_ms)),
  }
}

function consentOf({ who, by, ref }: Demand, consent: Consent, { dids, names }: KnownPeople): AskedConsent {
  const { count, roles, users } = consent
  return {
    who,
    by,
    ref,
    count,
    roles,
    dids: [...new Set([...consent.dids, ...users.flatMap((user) => dids.get(user) ?? [])])],
    names: [
      ...roles.map((role) => `role ${role}`),
      ...users,
      ...consent.dids.map((did) => names.get(did) ?? did),
    ],
  }
}

/** Serialized in an organization, so of two equal calls one finds it used. */
async function useOrAsk(
  asking: Asking,
  parts: GateParts,
  db: Database,
  events: AuditEntry[],
): Promise<{ readonly answer: ApprovalAnswer; readonly is_new: boolean }> {
  const { request } = asking
  const { tenant_id, call_hash, at, record_id } = request
  await lockApprovals(db, tenant_id)
  const rows = await approvalsOfCall(db, tenant_id, call_hash, keyHash(request))
  for (const row of rows) {
    const reason = await reasonToExpire(row, request, parts)
    if (reason === undefined) continue
    await markExpired(db, tenant_id, row.approval_id, at, reason)
    events.push(eventOf('ApprovalExpired', request, parts, { approval_id: row.approval_id, reason }))
  }
  const open = rows.filter(
    (row) => !isOver(row, at) && !events.some(({ meta }) => meta.approval_id === row.approval_id),
  )
  const answer = answerFrom(open, request)
  if (!answer) return { answer: await ask(asking, parts, db, events), is_new: true }
  if (answer.state === 'used') {
    const use = { record_id, used_key: keyHash(request), at }
    if (!(await markUsed(db, tenant_id, answer.approval_id, use)))
      throw new Error('an approval changed under its lock')
  }
  return { answer, is_new: false }
}

/** Consent counts as long as those who gave it could still give it. */
async function reasonToExpire(
  row: ApprovalRow,
  { tenant_id, at }: ApprovalRequest,
  parts: GateParts,
): Promise<string | undefined> {
  if (row.state !== 'PENDING' && row.state !== 'APPROVED') return undefined
  if (isOver(row, at)) return row.state === 'PENDING' ? 'not decided in time' : 'not used in time'
  if (row.state !== 'APPROVED') return undefined
  const deciders = row.decisions.map((decision) => deciderOf(decision, row.demands))
  return (await parts.isWithdrawn(tenant_id, deciders, at)) ? 'approver revoked' : undefined
}

/** Whoever a rule names needs no role for it. */
function deciderOf(
  { did, counts_for }: ApprovalRow['decisions'][number],
  demands: ApprovalRow['demands'],
): Decider {
  const by_role = counts_for.filter((place) => !demands[place]!.dids.includes(did))
  return { did, roles: by_role.map((place) => demands[place]!.roles) }
}

function isOver({ use_until, decide_until }: ApprovalRow, at: Date): boolean {
  return (use_until ?? decide_until) <= at
}

function answerFrom(rows: readonly ApprovalRow[], request: ApprovalRequest): ApprovalAnswer | undefined {
  const key = keyHash(request)
  const replayed = key === null ? undefined : rows.find(({ used_key }) => used_key === key)
  if (replayed) return { state: 'replay', approval_id: replayed.approval_id }
  const live = rows.filter((row) => !isOver(row, request.at))
  const approved = live.find(({ state }) => state === 'APPROVED')
  if (approved) return { state: 'used', approval_id: approved.approval_id }
  const row = live.find(({ state }) => state === 'PENDING' || state === 'REFUSED')
  if (!row) return undefined
  return missing(row.state === 'PENDING' ? 'pending' : 'refused', row.approval_id, row, row.decide_until)
}

function missing(
  state: MissingConsent['state'],
  approval_id: string | null,
  { demands }: { readonly demands: readonly AskedConsent[] },
  until: Date,
): MissingConsent {
  return { state, approval_id, who: demands.map(consentText), expires_at: until.toISOString() }
}

async function ask(
  { request, demands, decide_until, use_ms }: Asking,
  parts: GateParts,
  db: Database,
  events: AuditEntry[],
): Promise<MissingConsent> {
  const { tenant_id, caller, at, protocol, operation, input_text } = request
  await requireRoom(db, request)
  const approval_id = parts.newId()
  await keepApproval(db, {
    ...request,
    approval_id,
    caller_did: caller.did,
    caller_name: caller.name ?? null,
    caller_kin: kinOf(caller),
    input:
      input_text === undefined ? undefined : parts.vaultOf(tenant_id).seal(inputBox(approval_id), input_text),
    demands,
    requested_at: at,
    decide_until,
    use_ms,
  })
  const rules = demands.map(({ by, ref }) => ({ by, ref }))
  const facts = { approval_id, protocol, operation, expires_at: decide_until.toISOString(), rules }
  events.push(eventOf('ApprovalRequested', request, parts, facts))
  return missing('pending', approval_id, { demands }, decide_until)
}

/** Whoever decides must not drown in the requests of one caller. */
async function requireRoom(db: Database, { tenant_id, caller }: ApprovalRequest): Promise<void> {
  const { own, all } = await countPending(db, tenant_id, caller.did)
  if (own < pending_of_caller_max && all < pending_of_tenant_max) return
  throw refuse(
    'policy_denied',
    own < pending_of_caller_max
      ? `${pending_of_tenant_max} calls already wait for approval in ${tenant_id}; wait until some are decided.`
      : `${pending_of_caller_max} calls of this caller already wait for approval; wait until some are decided.`,
    { reason: 'too many pending approvals', denying_policy: 'MAXIM limits' },
  )
}

/** The name a retained input is sealed under. */
export function inputBox(approval_id: string): string {
  return `approval input ${approval_id}`
}

function keyHash({ caller, idempotency_key }: ApprovalRequest): string | null {
  return idempotency_key === undefined ? null : sha256Hex(canonicalJson([caller.did, idempotency_key]))
}

function eventOf(
  event_type: string,
  { tenant_id, caller, correlation_id, at }: ApprovalRequest,
  { newId }: GateParts,
  meta: Record<string, unknown>,
): AuditEntry {
  return {
    id: newId(),
    event_type,
    correlation_id,
    timestamp: at.toISOString(),
    tenant_id,
    caller_did: caller.did,
    protocol: 'MAXIM',
    outcome: 'success',
    latency_ms: 0,
    meta,
  }
}

async function inTransaction<Result>(
  parts: GateParts,
  tenant_id: string,
  work: (db: Database, events: AuditEntry[]) => Promise<Result>,
): Promise<Result> {
  const transaction = parts.transaction(tenant_id)
  const events: AuditEntry[] = []
  try {
    const result = await work(transaction.db, events)
    await transaction.commit(events)
    return result
  } catch (error) {
    await transaction.rollback()
    throw error
  }
}
