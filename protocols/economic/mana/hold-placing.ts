// Places and releases holds. A hold ends by time, or is released by its placer or a charter member.

import { leaveInOutbox } from '@svc/audit/chain/outbox'
import type { Database } from '@svc/contract/database'
import type { OperationContext } from '@svc/contract/operation-context'
import { notFound, refuse } from '@svc/contract/refusal'
import type { Tick } from '@svc/contract/tick'
import { tellBooks } from '../ledger/api.ts'
import { findEnvelope } from './envelope-store.ts'
import { endOf, type HoldInput, parseScope, type Scope, scopeText } from './hold.ts'
import {
  countHolds,
  findHolds,
  holds_live_max,
  insertHold,
  lockHolds,
  releaseHolds,
  takeEnded,
} from './hold-store.ts'

export async function setHold(input: HoldInput, context: OperationContext<'charter'>) {
  const until = endOf(input.until, context.now)
  const scope = parseScope(input.scope)
  await lockHolds(context.db, context.tenant_id)
  return until ? place(input, scope, until, context) : release(input, scope, context)
}

async function place({ reason }: HoldInput, scope: Scope, until: Date, context: OperationContext<'charter'>) {
  const { db, tenant_id, caller, now } = context
  if (scope.kind === 'tenant' && !(await context.charter.has(caller.did))) {
    throw refuse(
      'policy_denied',
      'Only a charter member may hold the whole organization; ask one to do so.',
      {
        reason: 'charter member required',
      },
    )
  }
  const affects = await affectedBy(scope, context)
  if ((await countHolds(db, tenant_id, now)) >= holds_live_max) {
    throw refuse('policy_denied', `A tenant may have ${holds_live_max} holds at once; release one first.`, {
      reason: 'too many holds',
    })
  }
  const hold_id = context.newId()
  const placed = { hold_id, scope: scopeText(scope), reason, until }
  await insertHold(db, tenant_id, { ...placed, placed_by: caller.did, placed_at: new Date(now) })
  await tellBooks(db, tenant_id)
  context.audit('HoldPlaced', { hold_id, scope: placed.scope, until: until.toISOString() })
  return { hold_id, state: 'HELD' as const, affects, until: until.toISOString() }
}

/** Releases all holds of this scope that the caller may release; others stay and are reported. */
async function release({ hold_id }: HoldInput, scope: Scope, context: OperationContext<'charter'>) {
  const { db, tenant_id, caller, now } = context
  const name = scopeText(scope)
  const in_force = await findHolds(db, tenant_id, name, now)
  const placed_holds = hold_id === undefined ? in_force : in_force.filter((hold) => hold.hold_id === hold_id)
  if (placed_holds.length === 0) throw notFound('hold on', hold_id ?? name)
  const sits = await context.charter.has(caller.did)
  const released = placed_holds.filter(({ placed_by }) => sits || placed_by === caller.did)
  const [first] = released
  if (!first) {
    throw refuse(
      'policy_denied',
      `Only who placed a hold or a charter member may release it; ask one of them.`,
      {
        reason: 'not the placer or a charter member',
      },
    )
  }
  const ids = released.map((hold) => hold.hold_id)
  await releaseHolds(db, tenant_id, ids, caller.did, now)
  await tellBooks(db, tenant_id)
  for (const id of ids) context.audit('HoldReleased', { hold_id: id, scope: name, by: caller.did })
  const still_held = in_force.length - released.length
  return {
    hold_id: first.hold_id,
    state: 'RELEASED' as const,
    affects: { ...scope },
    released: ids.length,
    still_held,
  }
}

async function affectedBy(scope: Scope, { db, tenant_id }: OperationContext) {
  if (scope.kind !== 'envelope') return { ...scope }
  const envelope = await findEnvelope(db, tenant_id, scope.id!)
  if (!envelope || envelope.state === 'CLOSED') throw notFound('open envelope', scope.id!)
  return { ...scope, members: envelope.members.length }
}

/** Runs as the engine's role. Expired holds have no effect even before this; this only records it. */
export async function sweepHolds(db: Database, tick: Tick): Promise<number> {
  return db.transaction(async (transaction) => {
    const ended = await takeEnded(transaction, tick.now)
    for (const { tenant_id, hold_id, scope, until } of ended) {
      await leaveInOutbox(transaction, {
        id: tick.newId(),
        event_type: 'HoldReleased',
        correlation_id: tick.newId(),
        timestamp: until.toISOString(),
        tenant_id,
        caller_did: 'engine',
        protocol: 'MANA',
        outcome: 'success',
        latency_ms: 0,
        meta: { hold_id, scope, by: 'until' },
      })
    }
    for (const tenant_id of new Set(ended.map((hold) => hold.tenant_id)))
      await tellBooks(transaction, tenant_id)
    return ended.length
  })
}
