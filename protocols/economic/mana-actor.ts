// Who may take part in an economy: what acts by itself. A person does so through one of them.
import { isAutonomousOrg, type ResolvedAgentIdentity } from '@svc/contract/identity'
import { refuse } from '@svc/contract/refusal'

const acting_kinds: readonly string[] = ['Agent', 'AgentInstance', 'Service']

export function requireActor(caller: ResolvedAgentIdentity): void {
  const is_resolved = caller.auth_method !== 'unresolved'
  if (is_resolved && (acting_kinds.includes(caller.entity_kind) || isAutonomousOrg(caller))) return
  throw refuse(
    'policy_denied',
    `${caller.did} is ${is_resolved ? caller.entity_kind : 'not resolved'}; act through an agent, a service or an autonomous organization.`,
    { reason: 'agent or autonomous org required' },
  )
}
