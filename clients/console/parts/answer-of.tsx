import type { ReactNode } from 'react'
import type { Asked } from '../shell/use-asked.ts'
import { ProblemNote } from './problem-note.tsx'

/** What was asked for, once it is there; what it waits for and what went wrong look the same everywhere. */
export function AnswerOf<Answer>({
  asked,
  children,
}: {
  asked: Asked<Answer>
  children: (answer: Answer) => ReactNode
}) {
  if (asked.problem) return <ProblemNote problem={asked.problem} onRetry={asked.again} />
  if (asked.answer === undefined) return <p role="status">Loading …</p>
  return <div aria-busy={asked.is_waiting}>{children(asked.answer)}</div>
}
