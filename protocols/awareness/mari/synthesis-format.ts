// Formats a synthesis as paragraph, report, table or list of claims. Each sentence has its source numbers.
import type { Format, Sentence, SynthesizeOutput } from './synthesize-input.ts'

export interface Told {
  readonly sentences: readonly (Sentence & { readonly section: number })[]
  readonly sections: readonly string[]
  readonly dissent: SynthesizeOutput['dissent']
  readonly bibliography: SynthesizeOutput['bibliography']
}

const nothing = 'No source that stands answers this.'

export function formatAnswer(format: Format, synthesis: Told): string {
  if (synthesis.sentences.length === 0) return nothing
  if (format === 'table') return asTable(synthesis)
  if (format === 'claims') return asClaims(synthesis)
  return format === 'report' ? asReport(synthesis) : asBrief(synthesis)
}

type Cited = Pick<Sentence, 'text' | 'citations'>

function withNumbers({ text, citations }: Cited): string {
  return `${asSentence(text)} ${marks(citations)}`
}

/** On one line, ending with punctuation. */
function asSentence(text: string): string {
  const line = text.replace(/\s+/gu, ' ').trim()
  return /[.!?…]["'”’)\]]?$/u.test(line) ? line : `${line}.`
}

function marks(citations: Cited['citations']): string {
  return [...new Set(citations.map(({ number }) => number))].map((number) => `[${number}]`).join('')
}

function asBrief({ sentences }: Told): string {
  return sentences.map(withNumbers).join(' ')
}

function asReport({ sentences, sections, dissent, bibliography }: Told): string {
  const parts: string[] = []
  for (const [section, title] of sections.entries()) {
    const own = sentences.filter((one) => one.section === section)
    if (own.length === 0) continue
    parts.push(`## ${asHeading(title)}`, own.map(withNumbers).join(' '))
  }
  if (dissent.length > 0)
    parts.push('## Dissent', dissent.map((one) => `- ${withNumbers(one)} (${one.status})`).join('\n'))
  parts.push('## Sources', bibliography.map(({ number, formatted }) => `[${number}] ${formatted}`).join('\n'))
  return parts.join('\n\n')
}

function asHeading(title: string): string {
  return title.replace(/\s+/gu, ' ').trim()
}

function asTable({ sentences }: Told): string {
  const rows = sentences.map(
    ({ text, citations, confidence, stance }) =>
      `| ${asCell(asSentence(text))} | ${stance} | ${confidence.toFixed(2)} | ${marks(citations)} |`,
  )
  return ['| statement | stance | confidence | sources |', '| --- | --- | --- | --- |', ...rows].join('\n')
}

function asCell(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('|', '\\|')
}

function asClaims({ sentences }: Told): string {
  return sentences
    .map(
      (sentence, place) =>
        `${place + 1}. ${withNumbers(sentence)} confidence ${sentence.confidence.toFixed(2)}`,
    )
    .join('\n')
}
