// Re-reads the text of findings at its source: changed, overruled or redacted text is not presented as valid.
import type { OperationContext } from '@svc/contract/operation-context'
import { readContent } from '../../cognition/content/api.ts'
import type { ReadFinding, ReadInquiries } from './finding-store.ts'
import type { Cited } from './inquire-input.ts'
import { confidenceIn, judgeSpeakers, type Reliabilities } from './inquiry-reliability.ts'
import { momentOf } from './inquiry-search.ts'
import { doesStand, type InquirySource, type SourceStatus, sourcesAt } from './inquiry-source.ts'
import { readPassage } from './passage.ts'
import { vectorsOf } from './passage-vectors.ts'
import type { Statement } from './synthesis.ts'

/** A cited source in its current state; its text only if unchanged since it was cited. */
export interface Looked extends Cited {
  readonly status: SourceStatus
  readonly source: InquirySource
  readonly text: string | null
}

export interface ReadStatement extends Statement {
  readonly citations: readonly Looked[]
}

export interface Reread {
  readonly statements: readonly ReadStatement[]
  /** Overruled claims, on request. */
  readonly overruled: readonly ReadStatement[]
  readonly looked: readonly Looked[]
  /** Titles of the sections. */
  readonly sections: readonly string[]
}

export async function rereadFindings(
  context: OperationContext<'authority' | 'embedder' | 'vault'>,
  { inquiries, findings }: ReadInquiries,
): Promise<Reread> {
  const cited = findings.flatMap(({ citations }) => citations)
  const scopes = [...inquiries.values()].map(({ scope }) => scope)
  const as_of = scopes.length === 1 ? momentOf(context, scopes[0]) : context.now
  const { by_ref, attacks } = await sourcesAt(
    context,
    cited.map(({ ref }) => ref),
    { as_of },
  )
  const looked = new Map<Cited, Looked>()
  for (const one of cited) {
    const source = by_ref.get(one.ref)
    if (source) looked.set(one, await look(context, one, source))
  }
  const reliabilityOf = await judgeSpeakers(context, [...by_ref.values()])
  const sections = sectionsOf(inquiries, findings)
  const read = findings.flatMap((finding) =>
    statementsOf(finding, looked, sections.of(finding), reliabilityOf),
  )
  const vectors = await vectorsOf(
    context,
    read.map(({ text }) => text),
  )
  const statements = withAttacks(read, attacks).map((one, place) => ({ ...one, vector: vectors[place]! }))
  return {
    statements: statements.filter(({ source }) => doesStand(source.status)),
    overruled: statements.filter(({ source }) => !doesStand(source.status)),
    looked: [...looked.values()],
    sections: sections.titles,
  }
}

/** The text of an earlier version is readable, but is not the current statement. */
async function look(
  context: OperationContext<'vault'>,
  cited: Cited,
  source: InquirySource,
): Promise<Looked> {
  if (source.text === null) return { ...cited, source, status: 'redacted', text: null }
  if (source.version === cited.version)
    return { ...cited, source, status: source.status, text: textAt(source.text, cited) }
  const then = await readContent(context, cited.ref, { version: cited.version })
  const status = then?.status === 'redacted' ? 'redacted' : 'superseded'
  return { ...cited, source, status, text: null }
}

function textAt(text: string, { locator }: Cited): string | null {
  const { char_range } = locator
  if (!char_range) return text.toWellFormed()
  const { start, end } = char_range
  return end <= text.length ? text.slice(start, end).toWellFormed() : null
}

/** One statement for what is still valid; if nothing is, one for what was overruled. */
function statementsOf(
  { ref, citations, relevance, stance, against }: ReadFinding,
  looked: ReadonlyMap<Cited, Looked>,
  section: number,
  reliabilityOf: Reliabilities,
): Omit<ReadStatement, 'vector'>[] {
  const sources = citations.flatMap((one) => looked.get(one) ?? [])
  const readable = sources.filter(({ text }) => text !== null)
  const standing = readable.filter(({ status }) => doesStand(status))
  const shown = standing.length > 0 ? standing : readable.filter(({ status }) => status === 'rejected')
  const [first] = shown
  if (!first) return []
  const speakers = shown.map(({ source }) => {
    const reliability = reliabilityOf(source)
    const { ref: said_in, issuer_did } = source
    return { ref: said_in, issuer_did, reliability, confidence: confidenceIn(source, reliability) }
  })
  const text = first.text!
  const reading = readPassage(text)
  const { source } = first
  return [{ ref, section, text, reading, source, relevance, stance, against, speakers, citations: shown }]
}

/** In the order the inquiries were given, each with its subquestions. */
function sectionsOf(inquiries: ReadInquiries['inquiries'], findings: readonly ReadFinding[]) {
  const titles: string[] = []
  const starts = new Map<string, number>()
  for (const { inquiry_ref } of findings) {
    if (starts.has(inquiry_ref)) continue
    starts.set(inquiry_ref, titles.length)
    const own = findings.filter((one) => one.inquiry_ref === inquiry_ref)
    const subquestions = inquiries.get(inquiry_ref)?.subquestions
    const most = Math.max(...own.map(({ subquestion }) => subquestion))
    for (let place = 0; place <= most; place++) titles.push(subquestions?.[place] ?? 'Findings')
  }
  return {
    titles,
    of: ({ inquiry_ref, subquestion }: ReadFinding) => starts.get(inquiry_ref)! + subquestion,
  }
}

/** Adds attacks made since. */
function withAttacks<T extends Pick<ReadStatement, 'ref' | 'citations' | 'against'>>(
  read: readonly T[],
  attacks: readonly { readonly from: string; readonly to: string }[],
): T[] {
  const findings = (source_ref: string) =>
    read.filter(({ citations }) => citations.some(({ ref }) => ref === source_ref)).map(({ ref }) => ref)
  const against = new Map<string, string[]>()
  for (const { from, to } of attacks)
    for (const one of findings(from)) against.set(one, [...(against.get(one) ?? []), ...findings(to)])
  return read.map((one) => ({ ...one, against: [...one.against, ...(against.get(one.ref) ?? [])] }))
}
