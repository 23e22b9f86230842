// The effect of policies on a call: one answer for stage 4, for explanations and for permission queries.
import type { CedarDecision, PolicyRuling, Scene } from './policy.ts'

/** A policy that cannot be evaluated stops writes; reads proceed with a warning. */
export function ruleOn(
  set_digest: string,
  { determining, errors }: CedarDecision,
  scene: Scene,
): PolicyRuling {
  const warnings = errors.map(
    ({ policy_id, version, message }) => `policy ${policy_id}@${version} cannot be evaluated: ${message}`,
  )
  const forbidding = determining.find(({ effect }) => effect === 'forbid')
  if (forbidding) {
    const { policy_id, version, reason, appeal } = forbidding
    return {
      allowed: false,
      set_digest,
      warnings,
      reason: `policy ${policy_id}@${version} forbids${reason ? `: ${reason}` : ''}`,
      denying_policy: `maxim://${policy_id}@${version}`,
      ...(appeal && { appeal_path: appeal }),
    }
  }
  const error = errors.find(({ effect }) => effect === 'forbid')
  if (!error || !scene.resource.state_changing) return { allowed: true, set_digest, warnings }
  return {
    allowed: false,
    set_digest,
    warnings,
    reason: 'policy evaluation error',
    denying_policy: `maxim://${error.policy_id}@${error.version}`,
  }
}

/** Charter members can always read their organization's audit log, whatever its policies say. */
export function isAuditLogRead({ resource }: Scene): boolean {
  return resource.protocol === 'MAX' && !resource.state_changing
}

/** The ruling without one policy. All forbidding policies are listed, so nothing is evaluated again. */
export function withoutPolicy({ determining, errors }: CedarDecision, name: string): CedarDecision {
  const isOther = ({ policy_id, version }: { policy_id: string; version: string }) =>
    `${policy_id}@${version}` !== name
  const left = determining.filter(isOther)
  const denied = left.some(({ effect }) => effect === 'forbid')
  return { decision: denied ? 'deny' : 'allow', determining: left, errors: errors.filter(isOther) }
}

/** Policies against a call, as `<id>@<version>`: those that forbid, and those that cannot be evaluated. */
export function standingAgainst({ determining, errors }: CedarDecision): string[] {
  const against = [...determining, ...errors].filter(({ effect }) => effect === 'forbid')
  return [...new Set(against.map(({ policy_id, version }) => `${policy_id}@${version}`))]
}
