// A refusal with its message, rule, stage and a link to its journey.
import { hashOf } from '../shell/address.ts'
import { isRefusal, type Problem } from '../shell/use-query.ts'

export function ProblemNote({ problem, onRetry }: { problem: Problem; onRetry?: () => void }) {
  return (
    <div role="alert" className="problem">
      <p>{problem.message}</p>
      {isRefusal(problem) && (
        <dl className="facts">
          <Fact name="Code" value={problem.code} />
          <Fact name="Reason" value={problem.reason} />
          <Fact name="Stage" value={problem.stage} />
          <Fact name="Try again" value={retryText(problem)} />
        </dl>
      )}
      {isRefusal(problem) && problem.correlation_id && (
        <a href={hashOf('journey', [problem.correlation_id])}>See how it went</a>
      )}
      {onRetry && (
        <button type="button" onClick={onRetry}>
          Try again
        </button>
      )}
    </div>
  )
}

function retryText({ retryable, retry_after_ms }: { retryable: boolean; retry_after_ms: number | null }) {
  if (!retryable) return null
  return retry_after_ms === null ? 'may help' : `in ${Math.ceil(retry_after_ms / 1000)} s`
}

function Fact({ name, value }: { name: string; value: string | number | null }) {
  if (value === null || value === '') return null
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  )
}
