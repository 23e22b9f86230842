import { ProblemNote } from '../../../parts/problem-note.tsx'
import { isRefusal, type Problem } from '../../../shell/use-query.ts'
import { FaultList } from './fault-list.tsx'
import { faultsOf } from './policy.ts'

/** Why a draft cannot be enacted, with positions for faults in its text. */
export function DraftProblem({ problem, text }: { problem: Problem; text: string }) {
  const faults = isRefusal(problem) && problem.reason === 'cedar' ? faultsOf(problem.details) : []
  return (
    <>
      <ProblemNote problem={problem} />
      {faults.length > 0 && (
        <section aria-label="Faults in the text">
          <h3>Faults</h3>
          <FaultList text={text} faults={faults} />
        </section>
      )}
    </>
  )
}
