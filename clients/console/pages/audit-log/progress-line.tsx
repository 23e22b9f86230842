import { Button } from '@mantine/core'
import { ProblemNote } from '../../parts/problem-note.tsx'
import type { Work } from './use-work.ts'

/** Progress, with a button to stop. */
export function ProgressLine<Result>({ work, doing }: { work: Work<Result>; doing: string }) {
  const { state, done, total } = work
  if (state === 'failed' && work.problem) return <ProblemNote problem={work.problem} />
  if (state === 'stopped') return <p role="status">Stopped after {done} lines. There is no verdict.</p>
  if (state !== 'running') return null
  const share = total > 0 ? Math.min(1, done / total) : 0
  return (
    <div className="row">
      <progress max={1} value={share} aria-label={doing} />
      <span role="status">
        {total === 0
          ? `${doing} …`
          : done < total
            ? `${doing}: ${done} of ${total} records`
            : `${doing}: ${total} records, now the checkpoints`}
      </span>
      <Button variant="default" onClick={work.stop}>
        Stop
      </Button>
    </div>
  )
}
