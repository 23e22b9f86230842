// Whose valid credential a refusal concerns, without it being said to the caller.
import type { Refusal } from '@svc/contract/refusal'
import type { Credential } from '@svc/engine/call'

const holders = new WeakMap<Refusal, Credential>()

/** The holder of a valid credential that was refused: the refusal belongs into its tenant's audit log. */
export function holderOf(refusal: Refusal): Credential | undefined {
  return holders.get(refusal)
}

export function concerning(holder: Credential, refusal: Refusal): Refusal {
  holders.set(refusal, holder)
  return refusal
}
