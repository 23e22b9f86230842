// How many follow order books at one engine: each holds memory and looks at the log.

import { parseDid } from '@svc/contract/identity/did'
import { refuse } from '@svc/contract/refusal'

const followers_max = 256
const of_organization_max = 64
const of_agent_max = 16
const retry_after_ms = 5_000

const followers_of = new WeakMap<object, Set<{ readonly did: string; readonly namespace: string }>>()

/** Returns what gives the place back. */
export function enterFollower(engine: object, did: string): () => void {
  const followers = followers_of.get(engine) ?? new Set()
  followers_of.set(engine, followers)
  const namespace = parseDid(did)?.namespace ?? did
  const own = [...followers].filter((each) => each.namespace === namespace)
  const is_full = followers.size >= followers_max || own.length >= of_organization_max
  if (is_full || own.filter((each) => each.did === did).length >= of_agent_max)
    throw refuse('rate_limited', 'Too many follow order books here at once; end one, or try again shortly.', {
      reason: 'too many followers',
      retry_after_ms,
    })
  const follower = { did, namespace }
  followers.add(follower)
  return () => void followers.delete(follower)
}
