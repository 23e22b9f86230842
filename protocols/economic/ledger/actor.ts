// Who may take part in the economy: agents and organizations. People act through them.
import type { ResolvedAgentIdentity } from '@svc/contract/identity/identity'
import { type Refusal, refuse } from '@svc/contract/refusal'

const acting_kinds: ReadonlySet<string> = new Set([
  'EntityNameRecord',
  'MultiHumanRoot',
  'Agent',
  'AgentInstance',
  'Service',
])

export function requireActor({ did, entity_kind, auth_method }: ResolvedAgentIdentity): void {
  if (auth_method === 'unresolved') throw notActing(did, 'not resolved')
  requireActingKind(did, entity_kind)
}

/** For a party that is only named: its DID contains its kind. */
export function requireActingKind(did: string, entity_kind: string): void {
  if (!acting_kinds.has(entity_kind)) throw notActing(did, `of kind ${entity_kind}`)
}

function notActing(did: string, what: string): Refusal {
  return refuse(
    'policy_denied',
    `${did} is ${what}; act through an agent, a service or an autonomous organization.`,
    { reason: 'agent or autonomous org required' },
  )
}
