// The claims among the cited sources, and the attacks between them.
import type { OperationContext } from '@svc/contract/operation-context'
import { Refusal } from '@svc/contract/refusal'
import {
  type ClaimRow,
  claimIdIn,
  findClaim,
  findComponent,
  type RaisedAttack,
} from '../../truth/claims/api.ts'

export interface RefPair {
  readonly from: string
  readonly to: string
}

export async function claimsAmong(
  context: OperationContext,
  refs: readonly string[],
): Promise<{ rows: Map<string, ClaimRow>; attacks: readonly RefPair[] }> {
  const ids = refs.flatMap((ref) => claimIdIn(ref) ?? [])
  const rows = new Map<string, ClaimRow>()
  if (ids.length === 0) return { rows, attacks: [] }
  const ref_of = new Map(refs.flatMap((ref) => (claimIdIn(ref) ? [[claimIdIn(ref)!, ref]] : [])))
  const { claims, attacks } = await disputeOf(context, ids)
  for (const [claim_id, ref] of ref_of) {
    const row = claims.get(claim_id) ?? (await findClaim(context, claim_id))
    if (row) rows.set(ref, row)
  }
  const between = attacks.flatMap(({ from, to }) => {
    const pair = { from: ref_of.get(from), to: ref_of.get(to) }
    return pair.from && pair.to ? [{ from: pair.from, to: pair.to }] : []
  })
  return { rows, attacks: between }
}

/** A dispute too large to decide is also too large to report. */
async function disputeOf(
  context: OperationContext,
  ids: readonly string[],
): Promise<{ claims: ReadonlyMap<string, ClaimRow>; attacks: readonly RaisedAttack[] }> {
  try {
    return await findComponent(context, ids)
  } catch (error) {
    if (error instanceof Refusal) return { claims: new Map(), attacks: [] }
    throw error
  }
}
