import type { PolicySet } from '@svc/contract/authority/policy'
import type { OperationContext } from '@svc/contract/operation-context'
import { refuse } from '@svc/contract/refusal'
import { findLockout, type Lockout, type Member } from './policy-lockout.ts'

/** Tests each future set with each charter member. */
export async function requireNoLockout(
  sets: readonly PolicySet[],
  context: OperationContext<'authority' | 'charter' | 'policies'>,
): Promise<void> {
  const members = await membersOf(context)
  for (const set of sets) {
    const trying = findLockout(context.policies.cedar, set, members)
    for (let step = trying.next(); ; step = trying.next()) {
      if (step.done) {
        if (step.value) throw lockedOut(step.value)
        break
      }
      context.signal.throwIfAborted()
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
}

async function membersOf(context: OperationContext<'authority' | 'charter'>): Promise<Member[]> {
  const members: Member[] = []
  for (const did of await context.charter.members()) {
    const { identity } = await context.authority.of(did)
    const { jurisdiction } = identity.extended
    members.push({
      principal: {
        did,
        tenant: context.tenant_id,
        kind: identity.entity_kind,
        level: 2,
        lineage_verified: true,
        human_root: identity.human_root_did,
      },
      jurisdiction: typeof jurisdiction === 'string' ? jurisdiction : undefined,
    })
  }
  return members
}

function lockedOut(locked: Lockout | 'too many probes') {
  const details = {
    reason: 'policy would lock out charter governance',
    denying_policy: 'MAXIM lock-out guard',
    appeal_path: 'MACE convene',
  }
  if (locked === 'too many probes')
    return refuse(
      'policy_denied',
      'Too many cases to check whether this policy locks out charter governance; make it depend less on who acts at which hour.',
      details,
    )
  return refuse(
    'policy_denied',
    `With this policy charter member ${locked.did} could never call ${locked.operation}; allow it in at least one hour of the week.`,
    { ...details, locked_out: locked.did, operation: locked.operation },
  )
}
