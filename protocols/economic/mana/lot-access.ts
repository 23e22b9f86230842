// Who may see a lot: its own tenant, and partners if it is open to them.
import { parseDid } from '@svc/contract/identity/did'
import type { OperationContext } from '@svc/contract/operation-context'
import { notFound } from '@svc/contract/refusal'
import type { Lot } from './lot.ts'
import { findLot, lockLot } from './lot-store.ts'

export function isForeign({ caller, tenant_id }: OperationContext): boolean {
  return parseDid(caller.did)?.namespace !== tenant_id
}

/** Locked until the operation ends. */
export async function requireLot(lot_id: string, context: OperationContext): Promise<Lot> {
  return requireVisible(await lockLot(context.db, context.tenant_id, lot_id), lot_id, context)
}

export async function requireSeenLot(lot_id: string, context: OperationContext): Promise<Lot> {
  return requireVisible(await findLot(context.db, context.tenant_id, lot_id), lot_id, context)
}

function requireVisible(lot: Lot | undefined, lot_id: string, context: OperationContext): Lot {
  if (!lot || (lot.visibility === 'tenant' && isForeign(context))) throw notFound('lot', lot_id)
  return lot
}
