// Maps errors to exit codes. The spec's codes: 0 success, 1 usage, 2 not authenticated, 3 capability denied,
// 4 rate limited, 5 timeout, 6 adapter or upstream, 7 policy denied, 99 a fault of this program. 8 is ours: a log or a
// proof that is consistent, but not vouched for by anything the reader trusts; the same as in svc-engine verify.
// 9 is ours too: a call that waits for the approval of others.
import { SvcError } from '@svc/sdk/errors'
import { refusals } from '../../generated/sdk-operations.ts'

const usage = 1
const not_authenticated = 2
const upstream = 6
const unverified = 8
const own_fault = 99

/** A usage error; the message says how to fix it. */
export class UsageError extends Error {
  readonly hint: string | undefined
  constructor(sentence: string, hint?: string) {
    super(sentence)
    this.name = 'UsageError'
    this.hint = hint
  }
}

/** The exit code of a verdict: never 0 for something anyone could have made. */
export function verdictExit(verdict: { readonly ok: boolean; readonly verified: boolean }): number {
  if (verdict.ok && verdict.verified) return 0
  return verdict.ok ? unverified : usage
}

export function exitCodeOf(thrown: unknown): number {
  if (thrown instanceof UsageError) return usage
  if (!(thrown instanceof SvcError)) return own_fault
  switch (thrown.code) {
    case 'not_configured':
      return not_authenticated
    case 'network':
    case 'bad_answer':
      return upstream
    default:
      return refusals[thrown.code].exit
  }
}
