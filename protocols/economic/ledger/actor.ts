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
  if (auth_method === 'unresolved') throw notActing(did, 'could not be resolved')
  requireActingKind(did, entity_kind)
}

/** For a party that is only named: its DID contains its kind. */
export function requireActingKind(did: string, entity_kind: string): void {
  if (!acting_kinds.has(entity_kind)) throw notActing(did, `is of the kind ${entity_kind}`)
}

function notActing(did: string, what: string): Refusal {
  return refuse(
    'policy_denied',
    `Only agents, services and organizations take part in the economy, and this identity ${what}; act through an agent.`,
    { reason: 'agent or autonomous org required', did },
  )
}
