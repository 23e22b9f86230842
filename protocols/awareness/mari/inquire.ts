// Answers a question with sources: splits it, searches all stored content, and cites each finding.
import type { OperationContext } from '@svc/contract/operation-context'
import { newTimeOrderedId } from '../../cognition/knowledge/api.ts'
import { releaseDue } from '../../truth/claims/api.ts'
import { findingRef, keepInquiry, type ReadFinding } from './finding-store.ts'
import {
  type Finding,
  findings_default,
  type InquireInput,
  type InquireOutput,
  refuseOddInquiry,
} from './inquire-input.ts'
import { gatherCandidates } from './inquiry-gathering.ts'
import { type Judged, judge } from './inquiry-judging.ts'
import { divide, type Spent } from './inquiry-question.ts'
import { gatherTestimony } from './inquiry-testimony.ts'

const refs_told_max = 200

export async function inquireInto(
  input: InquireInput,
  context: OperationContext<
    'audit_log' | 'authority' | 'compute' | 'embedder' | 'engine' | 'model' | 'served' | 'tokens' | 'vault'
  >,
): Promise<InquireOutput> {
  refuseOddInquiry(input)
  const spent: Spent = { tokens_in: 0, tokens_out: 0 }
  const subquestions = await divide(context, input.question, spent)
  const { refs: testimony_refs, unreachable } = await gatherTestimony(context, input, subquestions)
  // Claims whose embargo has just ended are found and argue like any other.
  if (!input.sources || input.sources.includes('maven')) await releaseDue(context)
  const gathered = await gatherCandidates(context, input, subquestions, testimony_refs)
  const judged = await judge(context, gathered, subquestions, {
    findings_max: input.max_findings ?? findings_default,
    confidence_min: input.min_confidence ?? 0,
  })
  const inquiry_ref = `mari://inquiry/${context.record_id}`
  const ids = judged.findings.map(() => newTimeOrderedId(context))
  const refs = ids.map(findingRef)
  const stored = judged.findings.map((finding, place) =>
    storedOf(finding, inquiry_ref, refs[place]!, judged, refs),
  )
  const { question, scope } = input
  const commitment = await keepInquiry(
    context,
    inquiry_ref,
    { question, subquestions, ...(scope && { scope }), findings: refs },
    stored,
  )
  context.audit('InquiryCompleted', {
    inquiry_ref,
    commitment,
    subquestions: subquestions.length,
    findings: refs.slice(0, refs_told_max),
    contradictions: judged.quarrels.length,
    gaps: judged.gaps.length,
    coverage: judged.coverage,
  })
  return {
    inquiry_ref,
    subquestions,
    findings: judged.findings.map((finding, place) => tell(finding, ids[place]!)),
    contradictions: judged.quarrels.map(({ one, other, by }) => ({
      findings: [refs[one]!, refs[other]!],
      by,
    })),
    gaps: [...judged.gaps],
    coverage: judged.coverage,
    ...(unreachable.length > 0 && { unreachable: [...unreachable] }),
    usage: { ...spent, work: gathered.work },
  }
}

function storedOf(
  { subquestion, stance, citations, relevance, place }: Judged,
  inquiry_ref: string,
  ref: string,
  { quarrels }: { quarrels: readonly { one: number; other: number }[] },
  refs: readonly string[],
): ReadFinding {
  const against = quarrels.flatMap(({ one, other }) =>
    one === place ? [refs[other]!] : other === place ? [refs[one]!] : [],
  )
  return { ref, inquiry_ref, subquestion, stance, citations, relevance, against }
}

function tell(
  { subquestion, statement, stance, citations, issuer_did, reliability, confidence, status }: Judged,
  finding_id: string,
): Finding {
  return {
    finding_id,
    ref: findingRef(finding_id),
    subquestion,
    statement,
    stance,
    citations: [...citations],
    issuer_did,
    source_reliability: reliability,
    confidence,
    status,
  }
}
