// A refusal with its message, rule, stage and a link to its request.
import { Alert, Button } from '@mantine/core'
import { hashOf } from '../shell/address.ts'
import { isRefusal, type Problem } from '../shell/use-query.ts'
import { words } from '../words/en.ts'
import { Fact } from './figure.tsx'

export function ProblemNote({ problem, onRetry }: { problem: Problem; onRetry?: () => void }) {
  return (
    <Alert color="red" className="problem" title={problem.message}>
      {isRefusal(problem) && (
        <dl className="facts">
          <Fact name={words.problem.code} value={problem.code} />
          <Fact name={words.problem.reason} value={problem.reason} />
          <Fact name={words.problem.stage} value={problem.stage} />
          <Fact name={words.try_again} value={retryText(problem)} />
        </dl>
      )}
      <div className="row middle">
        {isRefusal(problem) && problem.correlation_id && (
          <a href={hashOf('requests', [problem.correlation_id])}>{words.problem.see}</a>
        )}
        {onRetry && (
          <Button variant="default" size="xs" onClick={onRetry}>
            {words.try_again}
          </Button>
        )}
      </div>
    </Alert>
  )
}

function retryText({ retryable, retry_after_ms }: { retryable: boolean; retry_after_ms: number | null }) {
  if (!retryable) return null
  return retry_after_ms === null
    ? words.problem.may_help
    : words.problem.in_seconds(Math.ceil(retry_after_ms / 1000))
}
