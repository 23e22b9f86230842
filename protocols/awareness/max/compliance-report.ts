// A signed report on a period of the audit log. If the chain is broken, the report is signed and says so.
import { authoritiesUsed } from '@svc/audit/query/control-query'
import { firstHidden } from '@svc/audit/query/hidden-records'
import { newestCheckpoint, publicKeys } from '@svc/audit/query/records'
import { countSpan, type Span, type SpanVerdict, spanOf, verifySpan } from '@svc/audit/query/span'
import { genesis_hash } from '@svc/contract/audit/audit-record'
import type { OperationContext } from '@svc/contract/operation-context'
import { refuse } from '@svc/contract/refusal'
import { AnyObject, Closed, described, Hash, HexHash, ListOf, OneOf, Ref } from '@svc/contract/schema'
import { canonicalJson, contentHash } from '@svc/contract/signing/canonical-json'
import { Type } from 'typebox'
import { requireMoments } from './audit-log-access.ts'
import { firstUnsigned } from './audit-log-proofs.ts'
import { Controls, evidenceOf } from './frameworks/control-evidence.ts'
import { type FrameworkName, frameworks } from './frameworks/frameworks.ts'
import { keepReport } from './report-store.ts'

/** Only the most used are listed; the report says if there are more. */
const authorities_max = 100

export const ComplianceReport = Closed({
  report_id: described(Hash, 'Names the report: the hash of its content.'),
  attestation: Type.String({ description: "JWS, EdDSA, by the tenant's audit key." }),
  head: described(HexHash, 'Hash of the last record that the report covers.'),
  first_seq: Type.Integer({ description: 'First record of the period; 0 where there is none.' }),
  last_seq: Type.Integer({ description: 'Last record of the period; 0 where there is none.' }),
  record_count: Type.Integer({ description: 'Records in the period.' }),
  merkle_root: described(HexHash, 'Root of the tree over the records it covers.'),
  tree_size: Type.Integer({ description: 'Records in the tree of merkle_root, from the first of the log.' }),
  counts: Closed(
    {
      success: Type.Integer({ description: 'Records with outcome success.' }),
      refused: Type.Integer({ description: 'Records with outcome refused.' }),
      error: Type.Integer({ description: 'Records with outcome error.' }),
      by_event: described(AnyObject, 'Number of records for each event type.'),
    },
    { description: 'Records of the period by outcome and by event.' },
  ),
  chain_verified: Type.Boolean({
    description: 'Every hash and signature of the period was recomputed and matched.',
  }),
  first_bad_seq: Type.Optional(
    Type.Integer({ description: 'First record that did not verify; absent where all did.' }),
  ),
  gaps: described(ListOf(Type.Integer()), 'Places in the chain where a record is missing.'),
  authorities: described(
    ListOf(
      Closed({
        source: described(OneOf('delegation', 'treaty', 'envelope'), 'Kind of authority.'),
        ref: Type.String({ description: 'Delegation token, treaty or envelope that was used.' }),
        calls: Type.Integer({ description: 'Calls it allowed in the period.' }),
      }),
      0,
      authorities_max,
    ),
    'Delegations, treaties and envelopes that allowed calls, the most used first.',
  ),
  authorities_truncated: Type.Boolean({ description: 'More were used than are listed.' }),
  framework_about: Type.String({
    description: 'Which text the controls map, and what of it they leave out.',
  }),
  controls: described(
    Controls,
    'Controls of the framework: what each asks, what the log of the period shows, and what it cannot show.',
  ),
  mars_ref: Type.Union([Ref, Type.Null()], {
    description: 'Entry of the report in the registry; null, as reports are not registered yet.',
  }),
})

interface Asked {
  readonly period: { readonly from: string; readonly to: string }
  readonly framework?: FrameworkName
  readonly include_controls?: boolean
}

const empty_root = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'

export async function issueReport(
  { period, framework = 'core', include_controls = true }: Asked,
  context: OperationContext<'audit_log'>,
) {
  requirePeriod(period, context.now)
  await context.audit_log.settled()
  const { db, tenant_id } = context
  const span = await spanOf(db, tenant_id, period.from, period.to)
  context.progress({ message: 'recomputing every hash of the period', fraction: 0.1 })
  const verdict = await judgeSpan(period, span, context)
  const checkpoint = await newestCheckpoint(db, tenant_id)
  context.progress({ message: 'gathering evidence for the controls', fraction: 0.7 })
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
    framework_about: frameworks[framework].about,
    controls: include_controls ? await evidenceOf(frameworks[framework].controls, context, span) : [],
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
    framework,
    period,
    chain_verified: verdict.ok,
    first_seq: body.first_seq,
    last_seq: body.last_seq,
  })
  const { tenant_id: _tenant, period: _period, framework: _framework, issued_at: _issued, ...answer } = body
  // Reports are not yet entered in the registry, hence null.
  return { report_id, attestation, ...answer, mars_ref: null }
}

/** What has not begun has no records: a report on it would only look like one. */
function requirePeriod(period: Asked['period'], now: string): void {
  requireMoments(period, '/period')
  const from_ms = Date.parse(period.from)
  if (from_ms >= Date.parse(period.to))
    throw refuse('invalid_payload', 'The period must begin before it ends.', {
      reason: 'empty_period',
      faults: [{ pointer: '/period', message: 'from must be before to' }],
    })
  if (from_ms > Date.parse(now))
    throw refuse('invalid_payload', 'The period has not begun; ask for one that began before now.', {
      reason: 'future_period',
      faults: [{ pointer: '/period/from', message: 'must not be in the future' }],
    })
}

/** First every hash, then the signature over their tree: anyone can recompute the hashes alone. Last, what may be missing around them. */
export async function judgeSpan(
  period: Asked['period'],
  span: Span | undefined,
  context: Pick<OperationContext, 'db' | 'tenant_id'> & { readonly signal?: AbortSignal },
): Promise<SpanVerdict> {
  const { db, tenant_id, signal } = context
  const verdict: SpanVerdict = span ? await verifySpan(db, tenant_id, span, signal) : { ok: true, gaps: [] }
  if (!verdict.ok) return verdict
  const unsigned = span && (await firstUnsigned(span, context))
  const first_bad_seq = unsigned ?? (await firstHidden(db, tenant_id, period, span))
  return first_bad_seq === undefined ? verdict : { ok: false, first_bad_seq, gaps: [] }
}

const checked_records_max = 5_000

/** How many of the newest records of a period do not verify; 0 where all do. */
export async function brokenRecords(
  context: Pick<OperationContext, 'db' | 'tenant_id'>,
  period: Asked['period'],
): Promise<number> {
  const whole = await spanOf(context.db, context.tenant_id, period.from, period.to)
  const first_seq = whole && Math.max(whole.first_seq, whole.last_seq - checked_records_max + 1)
  const verdict = await judgeSpan(period, whole && { ...whole, first_seq: first_seq! }, context)
  return verdict.ok ? 0 : Math.max(1, verdict.gaps.length)
}

async function countsOf(span: Span | undefined, { db, tenant_id }: OperationContext) {
  const counts = { success: 0, refused: 0, error: 0, by_event: {} as Record<string, number> }
  let record_count = 0
  for (const { outcome, event_type, count } of span ? await countSpan(db, tenant_id, span) : []) {
    record_count += count
    // Only a changed record has another: it is in record_count and by_event, and the chain does not verify.
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
