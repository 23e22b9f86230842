import { Skeleton } from '@mantine/core'
import type { ReactNode } from 'react'
import type { Query } from '../shell/use-query.ts'
import { words } from '../words/en.ts'
import { ProblemNote } from './problem-note.tsx'

/** The answer of a query once loaded, with the same loading and error display everywhere. */
export function AnswerOf<Answer>({
  query,
  children,
}: {
  query: Query<Answer>
  children: (answer: Answer) => ReactNode
}) {
  if (query.problem) return <ProblemNote problem={query.problem} onRetry={query.again} />
  if (query.answer === undefined)
    return (
      <div role="status" data-waiting>
        <span className="quiet">{words.loading}</span>
        <Skeleton height={14} mt="xs" />
        <Skeleton height={14} mt="xs" width="70%" />
      </div>
    )
  return <div aria-busy={query.is_waiting}>{children(query.answer)}</div>
}
