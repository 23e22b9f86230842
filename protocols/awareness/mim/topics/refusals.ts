// What callers are told who may not use a topic as they tried.
import { notFound, type Refusal, refuse } from '@svc/contract/refusal'

/** A guest does not learn which topics exist. */
export function noUse(
  outcome: 'unknown' | 'denied',
  address: string,
  { is_member, what }: { readonly is_member: boolean; readonly what: 'publish to' | 'receive from' },
): Refusal {
  if (outcome === 'unknown' || !is_member)
    return notFound(address.includes('/') ? 'subscription' : 'topic', address)
  return refuse(
    'policy_denied',
    `The owner of ${address} has not named you among those who ${what} the topic; ask the owner to name you with MIM topic_declare.`,
    { reason: `may not ${what} the topic`, denying_policy: 'MIM topic rules' },
  )
}

export function notOwner(what: 'topic' | 'subscription', address: string): Refusal {
  return refuse(
    'policy_denied',
    `${address} belongs to another identity; only the owner of the ${what} may do this, so ask the owner.`,
    { reason: `not the owner of the ${what}`, denying_policy: 'MIM topic owner' },
  )
}
