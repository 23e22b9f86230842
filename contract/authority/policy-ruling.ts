// The effect of policies on a call: one answer for stage 4, for explanations and for permission queries.
import type { CedarDecision, DeterminingPolicy, PolicyRuling, Scene } from './policy.ts'

/** A policy that cannot be evaluated stops writes; reads proceed with a warning, unless their own input is the reason. */
export function ruleOn(
  set_digest: string,
  { determining, errors }: CedarDecision,
  scene: Scene,
): PolicyRuling {
  const warnings = errors.map(
    ({ policy_id, version, message }) => `policy ${policy_id}@${version} cannot be evaluated: ${message}`,
  )
  const stops = errors.find(
    ({ effect, reads_input }) => effect === 'forbid' && (scene.resource.state_changing || reads_input),
  )
  const forbids = determining.filter(({ effect }) => effect === 'forbid')
  const forbidding = forbids.find(({ approval }) => approval === undefined) ?? forbids[0]
  if (forbidding) {
    const { policy_id, version, reason, appeal } = forbidding
    return {
      allowed: false,
      set_digest,
      warnings,
      reason: `policy ${policy_id}@${version} forbids${reason ? `: ${reason}` : ''}`,
      denying_policy: `maxim://${policy_id}@${version}`,
      ...(appeal && { appeal_path: appeal }),
      ...(!stops && forbidding.approval !== undefined && { approvals: forbids.map(approvalOf) }),
    }
  }
  if (!stops) return { allowed: true, set_digest, warnings }
  return {
    allowed: false,
    set_digest,
    warnings,
    reason: stops.reads_input
      ? `policy ${stops.policy_id}@${stops.version} cannot be evaluated: ${stops.message}`
      : 'policy evaluation error',
    denying_policy: `maxim://${stops.policy_id}@${stops.version}`,
    ...(stops.reads_input && { reads_input: true }),
  }
}

function approvalOf({ policy_id, version, approval }: DeterminingPolicy) {
  return { who: approval!, policy: `maxim://${policy_id}@${version}` }
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
