// A signed report on a period of the audit log. If the chain is broken, the report is signed and says so.
import { authoritiesUsed } from '@svc/audit/query/control-query'
import { firstHidden } from '@svc/audit/query/hidden-records'
import { newestCheckpoint, publicKeys } from '@svc/audit/query/records'
import { countSpan, type Span, type SpanVerdict, spanOf, verifySpan } from '@svc/audit/query/span'
import { genesis_hash } from '@svc/contract/audit/audit-record'
import type { OperationContext } from '@svc/contract/operation-context'
import { refuse } from '@svc/contract/refusal'
import { AnyObject, Closed, Hash, HexHash, ListOf, OneOf, Ref } from '@svc/contract/schema'
import { canonicalJson, contentHash } from '@svc/contract/signing/canonical-json'
import { Type } from 'typebox'
import { requireMoments } from './audit-log-access.ts'
import { firstUnsigned } from './audit-log-proofs.ts'
import { type ControlVerdict, type Framework, judgeControls } from './compliance.ts'
import { keepReport } from './report-store.ts'

/** Only the most used are listed; the report says if there are more. */
const authorities_max = 100

export const ComplianceReport = Closed({
  report_id: Hash,
  attestation: Type.String({ description: "JWS, EdDSA, by the tenant's audit key." }),
  head: HexHash,
  first_seq: Type.Integer(),
  last_seq: Type.Integer(),
  record_count: Type.Integer(),
  merkle_root: HexHash,
  tree_size: Type.Integer(),
  counts: Closed({
    success: Type.Integer(),
    refused: Type.Integer(),
    error: Type.Integer(),
    by_event: AnyObject,
  }),
  chain_verified: Type.Boolean(),
  first_bad_seq: Type.Optional(Type.Integer()),
  gaps: ListOf(Type.Integer()),
  authorities: ListOf(
    Closed({ source: OneOf('delegation', 'treaty', 'envelope'), ref: Type.String(), calls: Type.Integer() }),
    0,
    authorities_max,
  ),
  authorities_truncated: Type.Boolean(),
  controls: ListOf(
    Closed({
      id: Type.String(),
      statement: Type.String(),
      status: Type.String(),
      evidence: ListOf(Ref),
    }),
  ),
  mars_ref: Type.Union([Ref, Type.Null()]),
})

interface Asked {
  readonly period: { readonly from: string; readonly to: string }
  readonly framework?: Framework
  readonly include_controls?: boolean
}

const empty_root = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'

export async function issueReport(
  { period, framework = 'core', include_controls = true }: Asked,
  context: OperationContext<'audit_log'>,
) {
  requireMoments(period, '/period')
  if (Date.parse(period.from) >= Date.parse(period.to)) {
    throw refuse('invalid_payload', 'The period must begin before it ends.', {
      reason: 'empty_period',
      faults: [{ pointer: '/period', message: 'from must be before to' }],
    })
  }
  await context.audit_log.settled()
  const { db, tenant_id } = context
  const span = await spanOf(db, tenant_id, period.from, period.to)
  context.progress({ message: 'recomputing every hash of the period', fraction: 0.1 })
  const verdict = await judgeSpan(period, span, context)
  const checkpoint = await newestCheckpoint(db, tenant_id)
  context.progress({ message: 'asking the controls', fraction: 0.7 })
  const body = {
    tenant_id,
    period,
    framework,
    issued_at: context.now,
    head: checkpoint?.head ?? genesis_hash,
    first_seq: span?.first_seq ?? 0,
    last_seq: span?.last_seq ?? 0,
    merkle_root: checkpoint?.root ?? empty_root,
    tree_size: checkpoint?.size ?? 0,
    ...(await countsOf(span, context)),
    chain_verified: verdict.ok,
    first_bad_seq: verdict.first_bad_seq,
    gaps: [...verdict.gaps],
    ...(await authoritiesOf(span, context)),
    controls: span && include_controls ? await controlsOf(span, framework, context) : [],
  }
  const report_id = contentHash(body)
  const attestation = await attest({ ...body, report_id }, context)
  await keepReport(db, tenant_id, {
    report_id,
    tree_size: body.tree_size,
    attestation,
    issued_at: context.now,
  })
  context.audit('ComplianceReportIssued', {
    report_id,
    chain_verified: verdict.ok,
    first_seq: body.first_seq,
    last_seq: body.last_seq,
  })
  const { tenant_id: _tenant, period: _period, framework: _framework, issued_at: _issued, ...answer } = body
  // Reports are not yet entered in the registry, hence null.
  return { report_id, attestation, ...answer, mars_ref: null }
}

/** First every hash, then the signature over their tree: anyone can recompute the hashes alone. Last, what may be missing around them. */
export async function judgeSpan(
  period: Asked['period'],
  span: Span | undefined,
  context: Pick<OperationContext, 'db' | 'tenant_id' | 'signal'>,
): Promise<SpanVerdict> {
  const { db, tenant_id, signal } = context
  const verdict: SpanVerdict = span ? await verifySpan(db, tenant_id, span, signal) : { ok: true, gaps: [] }
  if (!verdict.ok) return verdict
  const unsigned = span && (await firstUnsigned(span, context))
  const first_bad_seq = unsigned ?? (await firstHidden(db, tenant_id, period, span))
  return first_bad_seq === undefined ? verdict : { ok: false, first_bad_seq, gaps: [] }
}

async function countsOf(span: Span | undefined, { db, tenant_id }: OperationContext) {
  const counts = { success: 0, refused: 0, error: 0, by_event: {} as Record<string, number> }
  let record_count = 0
  for (const { outcome, event_type, count } of span ? await countSpan(db, tenant_id, span) : []) {
    record_count += count
    // Only a tampered row has any other outcome; it is counted, and the chain does not verify.
    if (isOutcome(outcome)) counts[outcome] += count
    counts.by_event[event_type] = (counts.by_event[event_type] ?? 0) + count
  }
  return { counts, record_count }
}

async function authoritiesOf(span: Span | undefined, { db, tenant_id }: OperationContext) {
  const used = span ? await authoritiesUsed(db, tenant_id, span, authorities_max + 1) : []
  return {
    authorities: used.slice(0, authorities_max),
    authorities_truncated: used.length > authorities_max,
  }
}

function isOutcome(text: string): text is 'success' | 'refused' | 'error' {
  return text === 'success' || text === 'refused' || text === 'error'
}

async function controlsOf(span: Span, framework: Framework, { db, tenant_id }: OperationContext) {
  const verdicts = await judgeControls(db, tenant_id, span, framework)
  return verdicts.map((verdict: ControlVerdict) => ({ ...verdict, evidence: [...verdict.evidence] }))
}

/** Compact JWS over the canonical report, signed with the tenant's audit key. */
async function attest(report: object, context: OperationContext<'audit_log'>): Promise<string> {
  const [current] = await publicKeys(context.db, context.tenant_id)
  const header = { alg: 'EdDSA', typ: 'svc-report+jws', kid: current?.key_id }
  const signed = `${base64url(canonicalJson(header))}.${base64url(canonicalJson(report))}`
  const { signature } = await context.audit_log.sign(Buffer.from(signed))
  return `${signed}.${signature}`
}

function base64url(text: string): string {
  return Buffer.from(text).toString('base64url')
}
