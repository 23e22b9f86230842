// A signed statement of what the book holds over a period. A broken chain yields a signed report that says so, never a refusal.
import {
  countSpan,
  headOf,
  newestCheckpoint,
  publicKeys,
  type Span,
  spanOf,
  verifySpan,
} from '@svc/audit/records'
import { canonicalJson, contentHash } from '@svc/contract/canonical-json'
import type { OperationContext } from '@svc/contract/operation-context'
import { refuse } from '@svc/contract/refusal'
import { AnyObject, Closed, Hash, HexHash, ListOf, Ref } from '@svc/contract/schema'
import { Type } from 'typebox'
import { type ControlVerdict, type Framework, judgeControls } from './compliance.ts'
import { keepReport } from './report-store.ts'

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
  context: OperationContext,
) {
  if (period.from >= period.to) {
    throw refuse('invalid_payload', 'The period must begin before it ends.', {
      reason: 'empty_period',
      faults: [{ pointer: '/period', message: 'from must be before to' }],
    })
  }
  await context.book.settled()
  const { db, tenant_id } = context
  const span = await spanOf(db, tenant_id, period.from, period.to)
  context.progress({ message: 'recomputing every hash of the period', fraction: 0.1 })
  const verdict = span ? await verifySpan(db, tenant_id, span, context.signal) : { ok: true, gaps: [] }
  const checkpoint = await newestCheckpoint(db, tenant_id)
  context.progress({ message: 'asking the controls', fraction: 0.7 })
  const body = {
    tenant_id,
    period,
    framework,
    issued_at: context.now,
    head: (await headOf(db, tenant_id)).hash,
    first_seq: span?.first_seq ?? 0,
    last_seq: span?.last_seq ?? 0,
    merkle_root: checkpoint?.root ?? empty_root,
    tree_size: checkpoint?.size ?? 0,
    ...(await countsOf(span, context)),
    chain_verified: verdict.ok,
    first_bad_seq: verdict.first_bad_seq,
    gaps: [...verdict.gaps],
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
  // The registry does not exist here yet, so a report is not in it; null says so.
  return { report_id, attestation, ...answer, mars_ref: null }
}

async function countsOf(span: Span | undefined, { db, tenant_id }: OperationContext) {
  const counts = { success: 0, refused: 0, error: 0, by_event: {} as Record<string, number> }
  for (const { outcome, event_type, count } of span ? await countSpan(db, tenant_id, span) : []) {
    counts[outcome as 'success' | 'refused' | 'error'] += count
    counts.by_event[event_type] = (counts.by_event[event_type] ?? 0) + count
  }
  return { counts, record_count: counts.success + counts.refused + counts.error }
}

async function controlsOf(span: Span, framework: Framework, { db, tenant_id }: OperationContext) {
  const verdicts = await judgeControls(db, tenant_id, span, framework)
  return verdicts.map((verdict: ControlVerdict) => ({ ...verdict, evidence: [...verdict.evidence] }))
}

/** JWS in compact form over the canonical report, by the tenant's audit key. */
async function attest(report: object, context: OperationContext): Promise<string> {
  const [current] = await publicKeys(context.db, context.tenant_id)
  const header = { alg: 'EdDSA', typ: 'svc-report+jws', kid: current?.key_id }
  const signed = `${base64url(canonicalJson(header))}.${base64url(canonicalJson(report))}`
  const { signature } = await context.book.sign(Buffer.from(signed))
  return `${signed}.${signature}`
}

function base64url(text: string): string {
  return Buffer.from(text).toString('base64url')
}
