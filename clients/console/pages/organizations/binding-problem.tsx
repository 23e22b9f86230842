import { ProblemNote } from '../../parts/problem-note.tsx'
import { hashOf } from '../../shell/address.ts'
import type { Problem } from '../../shell/use-query.ts'
import { requiredMotion } from './required-motion.ts'

/** A refusal that a council can lift links to a new motion with the required fields filled in. */
export function BindingProblem({ problem }: { problem: Problem }) {
  const motion = requiredMotion(problem)
  return (
    <>
      <ProblemNote problem={problem} />
      {motion && (
        <p>
          {/* Opens in a new tab, so that this form keeps its content. */}
          <a
            href={hashOf('organizations', ['councils', 'new'], { ...motion })}
            target="_blank"
            rel="noreferrer"
          >
            Convene a council
          </a>{' '}
          and repeat this step once it has approved.
        </p>
      )}
    </>
  )
}
