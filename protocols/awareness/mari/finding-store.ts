// Stores inquiries and findings: locations and conclusions. The text of sources is not copied, so that
// redacting it there removes it here, too.
import type { OperationContext } from '@svc/contract/operation-context'
import { notFound, refuse } from '@svc/contract/refusal'
import { keepContent, linkContent, readContents, type StoredContent } from '../../cognition/content/api.ts'
import type { Cited, InquireInput, Stance } from './inquire-input.ts'

const inquiry_form = /^mari:\/\/inquiry\/[A-Za-z0-9:._-]{1,200}$/
const finding_form = /^mari:\/\/finding\/[A-Za-z0-9:._-]{1,200}$/

export interface StoredFinding {
  readonly inquiry_ref: string
  readonly subquestion: number
  readonly stance: Stance
  readonly citations: readonly Cited[]
  readonly relevance: number
  /** Findings it contradicts. */
  readonly against: readonly string[]
}

export interface StoredInquiry {
  readonly question: string
  readonly subquestions: readonly string[]
  readonly scope?: InquireInput['scope']
  readonly findings: readonly string[]
}

export type ReadFinding = StoredFinding & { readonly ref: string }

export function findingRef(finding_id: string): string {
  return `mari://finding/${finding_id}`
}

export async function keepInquiry(
  context: OperationContext<'embedder' | 'vault'>,
  ref: string,
  inquiry: StoredInquiry,
  findings: readonly ReadFinding[],
): Promise<string> {
  const index = { namespace: 'research', text: inquiry.question, vector: false }
  const { commitment } = await keepContent(context, { ref, kind: 'inquiry', body: inquiry, index })
  for (const { ref: finding_ref, ...body } of findings)
    await keepContent(context, { ref: finding_ref, kind: 'finding', body })
  const cited = new Map(findings.flatMap(({ citations }) => citations.map((one) => [one.ref, one.version])))
  await linkContent(
    context,
    ref,
    [...cited].map(([to, version]) => ({ ref: to, version })),
    'cites',
  )
  return commitment
}

export interface ReadInquiries {
  readonly inquiries: ReadonlyMap<string, StoredInquiry>
  readonly findings: readonly ReadFinding[]
}

/** The requested findings, or all of an inquiry, in the order found, with their inquiries. */
export async function readFindings(
  context: OperationContext<'vault'>,
  request: { readonly inquiry_ref?: string | undefined; readonly findings?: readonly string[] | undefined },
): Promise<ReadInquiries> {
  const inquiry =
    request.inquiry_ref === undefined ? undefined : await readInquiry(context, request.inquiry_ref)
  const refs = [...new Set(request.findings ?? inquiry!.findings)]
  const contents = await readContents(
    context,
    refs.filter((ref) => finding_form.test(ref)),
  )
  const findings: ReadFinding[] = []
  for (const [place, ref] of refs.entries()) {
    const content = contents.get(ref)
    if (request.findings === undefined && content?.body === undefined) continue
    const { body } = requireReadable('finding', content, ref, `/findings/${place}`)
    findings.push({ ...(body as StoredFinding), ref })
  }
  const inquiries = new Map(inquiry ? [[request.inquiry_ref!, inquiry]] : [])
  const others = [...new Set(findings.map(({ inquiry_ref }) => inquiry_ref))]
  for (const [ref, { body }] of await readContents(context, others))
    if (body !== undefined) inquiries.set(ref, body as StoredInquiry)
  return { inquiries, findings }
}

async function readInquiry(context: OperationContext<'vault'>, ref: string): Promise<StoredInquiry> {
  const content = inquiry_form.test(ref) ? (await readContents(context, [ref])).get(ref) : undefined
  return requireReadable('inquiry', content, ref, '/inquiry_ref').body as StoredInquiry
}

function requireReadable(
  what: string,
  content: StoredContent | undefined,
  ref: string,
  path: string,
): StoredContent {
  if (!content) throw notFound(what, ref)
  if (content.body !== undefined) return content
  throw refuse('invalid_payload', `${ref} was redacted; inquire again and use what that finds.`, {
    reason: 'redacted',
    path,
  })
}
