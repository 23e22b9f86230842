import { refuse } from '@svc/contract/refusal'
import type { Fault } from '../planning/api.ts'

const faults_shown_max = 32

/** All faults at once, so that the author can fix them in one pass. */
export function refuseFaults(faults: readonly Fault[], start = ''): void {
  const [first] = faults
  if (!first) return
  throw refuse(
    'invalid_payload',
    `${start}${first.pointer} cannot be used: ${first.message}; correct it and what else is listed.`,
    {
      reason: 'domain',
      path: start + first.pointer,
      faults: faults
        .slice(0, faults_shown_max)
        .map(({ pointer, message }) => ({ pointer: start + pointer, message })),
    },
  )
}
