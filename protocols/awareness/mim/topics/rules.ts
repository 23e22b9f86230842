// Who may publish to a topic, or subscribe: all of the organization, or those its owner names.
import { Did, described, ListOf } from '@svc/contract/schema'
import { Type } from 'typebox'
import { agents_max } from './limits.ts'

export const Agents = described(
  Type.Union([Type.Literal('organization'), ListOf(Did, 0, agents_max)]),
  'All of the organization, or these identities.',
)

/** As rows have it: null is the organization. */
export function agentsShown(agents: readonly string[] | null): 'organization' | string[] {
  return agents === null ? 'organization' : [...agents]
}
