import { ProblemNote } from '../../parts/problem-note.tsx'
import { hashOf } from '../../shell/address.ts'
import type { Problem } from '../../shell/use-query.ts'
import { requiredMotion } from './required-motion.ts'

/** A "no" that a council can turn into a "yes" leads to that council, with what it has to decide on filled in. */
export function BindingProblem({ problem }: { problem: Problem }) {
  const motion = requiredMotion(problem)
  return (
    <>
      <ProblemNote problem={problem} />
      {motion && (
        <p>
          {/* Beside this page, so that what was written here stays. */}
          <a
            href={hashOf('institutions', ['councils', 'new'], { ...motion })}
            target="_blank"
            rel="noreferrer"
          >
            Call a council on it
          </a>{' '}
          and come back with its verdict: then the same step goes through.
        </p>
      )}
    </>
  )
}
