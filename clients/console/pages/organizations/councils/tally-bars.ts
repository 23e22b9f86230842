// What the bars of a tally show. Pure, so that it can be tested.
import type { Motion } from './motion.ts'
import { wordsOf } from './share-words.ts'

export interface Segment {
  readonly name: string
  readonly tone: 'for' | 'against' | 'aside' | 'missing'
  readonly count: number
}

export interface TallyBar {
  readonly name: string
  readonly segments: readonly Segment[]
  /** What the segments are parts of. */
  readonly whole: number
  /** Where the mark is, as a share of the whole; absent: this bar decides nothing. */
  readonly mark?: { readonly share: number; readonly text: string } | undefined
  /** Whether the mark was reached; absent before the tally. */
  readonly met?: boolean | undefined
}

type Marked = Pick<Motion, 'seats' | 'attendance' | 'threshold' | 'verdict'>

export function tallyBars({ seats, attendance, threshold, verdict }: Marked): readonly TallyBar[] {
  const { present, needed } = attendance
  const came: TallyBar = {
    name: 'Attendance',
    segments: [
      { name: 'came', tone: 'for', count: present },
      { name: 'absent', tone: 'missing', count: Math.max(0, seats - present) },
    ],
    whole: seats,
    mark: { share: Math.min(1, needed / seats), text: `${needed} of ${seats}` },
    met: present >= needed ? true : verdict ? false : undefined,
  }
  if (!verdict) return [came]
  const { counts } = verdict
  const votes = counts.for + counts.against
  const for_and_against: Segment[] = [
    { name: 'for', tone: 'for', count: counts.for },
    { name: 'against', tone: 'against', count: counts.against },
  ]
  const all: Segment[] = [
    ...for_and_against,
    { name: 'abstained', tone: 'aside', count: counts.abstain },
    { name: 'recused', tone: 'aside', count: counts.recused },
    { name: 'absent', tone: 'missing', count: counts.absent },
  ]
  return [
    came,
    {
      name: 'Of the votes',
      segments: for_and_against,
      whole: votes,
      ...markOf(threshold.of_votes, counts.for, votes),
    },
    { name: 'Of all seats', segments: all, whole: seats, ...markOf(threshold.of_seats, counts.for, seats) },
  ]
}

/** A share as the engine writes it, such as >=2/3 or >1/2. */
function markOf(text: string | undefined, count: number, whole: number): Pick<TallyBar, 'mark' | 'met'> {
  const [, sign, part, of] = /^(>=?)(\d+)\/(\d+)$/.exec(text ?? '') ?? []
  if (!text || !sign || !part || !of) return {}
  const [have, need] = [count * Number(of), whole * Number(part)]
  return {
    mark: { share: Number(part) / Number(of), text: wordsOf(sign, `${part}/${of}`) },
    met: whole > 0 && (sign === '>' ? have > need : have >= need),
  }
}

export function shareOf(count: number, whole: number): number {
  return whole === 0 ? 0 : (count / whole) * 100
}
