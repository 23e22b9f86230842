// The passages of many texts that match a question best, by words only.
import { computation } from '@svc/contract/needs/computation'
import { type Passage, readPassage, shareOf, splitPassages } from './passage.ts'

const per_text_max = 3

export interface PassageWish {
  readonly question: string
  /** A whole text is one passage, regardless of its sentences. */
  readonly texts: readonly { readonly text: string; readonly is_whole: boolean }[]
}

export interface RankedPassage extends Passage {
  /** The share of the question's words it contains. */
  readonly share: number
}

export const passage_job = computation<PassageWish, RankedPassage[][]>(new URL(import.meta.url))

/** The best few of each text, by share; a text of one passage keeps that one. */
export function compute({ question, texts }: PassageWish): RankedPassage[][] {
  const { words } = readPassage(question)
  return texts.map(({ text, is_whole }) =>
    (is_whole ? [{ start: 0, end: text.length, text: text.toWellFormed() }] : splitPassages(text))
      .map((passage) => ({ ...passage, share: shareOf(words, readPassage(passage.text).words) }))
      .sort((a, b) => b.share - a.share || a.start - b.start)
      .slice(0, per_text_max),
  )
}
