// What was spent is for those who may read statements, wherever it is shown.
import { isWithin } from '@svc/contract/authority/attenuation'
import { capabilityFor, unexpired } from '@svc/contract/authority/capability'
import type { OperationContext } from '@svc/contract/operation-context'
import { refuse } from '@svc/contract/refusal'

export const spend_capability = capabilityFor('MEAL', 'statement')

export async function maySeeSpend({ authority, now }: OperationContext<'authority'>): Promise<boolean> {
  const { held } = await authority.ofCaller()
  return isWithin({ name: spend_capability, caveats: [] }, unexpired(held, now))
}

export async function requireSpendRight(context: OperationContext<'authority'>): Promise<void> {
  if (await maySeeSpend(context)) return
  throw refuse(
    'missing_capability',
    `What was spent is for holders of ${spend_capability}; ask for it, or leave spend out.`,
    { reason: 'missing capability', requested_capability: spend_capability },
  )
}
