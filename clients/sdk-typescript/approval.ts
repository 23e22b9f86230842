import { SvcError } from './errors.ts'
import type { Sleep } from './retry.ts'

const first_wait_ms = 2_000
const wait_ms_max = 15_000
const wait_growth = 1.5
const pending = 'approval required'

interface Waiting {
  /** The longest time to wait altogether. */
  readonly within_ms: number
  readonly sleep: Sleep
  readonly signal: AbortSignal | undefined
  /** The state of an approval; undefined where the caller may not read it. */
  stateOf(approval_id: string, tenant_id: string): Promise<string | undefined>
}

/** Sends a call; if that waits for the consent of others, sends it again once they have decided. */
export async function withApproval<Result>(send: () => Promise<Result>, waiting: Waiting): Promise<Result> {
  const { within_ms, sleep, signal, stateOf } = waiting
  let refusal = await refusalOf(send)
  if (!('approval_id' in refusal)) return refusal.result
  const { approval_id, approval_tenant } = refusal
  let wait_ms = first_wait_ms
  for (let waited_ms = 0; waited_ms < within_ms; waited_ms += wait_ms, wait_ms = longer(wait_ms)) {
    wait_ms = Math.min(wait_ms, within_ms - waited_ms)
    await sleep(wait_ms, signal)
    signal?.throwIfAborted()
    const state = await stateOf(approval_id, approval_tenant)
    if (state === 'PENDING') continue
    // Sent again, an expired one would ask for another.
    if (state === 'EXPIRED') break
    refusal = await refusalOf(send)
    if (!('approval_id' in refusal)) return refusal.result
    if (refusal.approval_id !== approval_id) break
  }
  throw refusal.error
}

function longer(wait_ms: number): number {
  return Math.min(wait_ms * wait_growth, wait_ms_max)
}

type Sent<Result> =
  | { readonly result: Result }
  | { readonly error: SvcError; readonly approval_id: string; readonly approval_tenant: string }

/** Throws any other refusal. */
async function refusalOf<Result>(send: () => Promise<Result>): Promise<Sent<Result>> {
  try {
    return { result: await send() }
  } catch (error) {
    if (!(error instanceof SvcError) || error.code !== 'approval_required') throw error
    const { approval_id, approval_tenant } = error.details
    if (error.reason !== pending || typeof approval_id !== 'string' || typeof approval_tenant !== 'string')
      throw error
    return { error, approval_id, approval_tenant }
  }
}
