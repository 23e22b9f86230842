// This engine as a witness: cosigns checkpoints of trusted logs, follows changes of their keys, and reports a log that contradicts itself.

import { leaveInOutbox } from '@svc/audit/chain/outbox'
import { queryOf } from '@svc/audit/query/query'
import type { CosigningKey } from '@svc/audit/witness/cosign'
import { heldNote, type Witnessed, witnessSubmission } from '@svc/audit/witness/witness'
import { rotation_type } from '@svc/audit/witness/witness-feed'
import { type FollowedKey, followRotation } from '@svc/audit/witness/witness-rotation'
import type { Database } from '@svc/contract/database'
import type { Clock, Log } from '@svc/engine/ports'
import type { WitnessHandler, WitnessReply } from '@svc/gateway/witness/witness-handler'

/** How often a log that keeps contradicting itself is reported. */
const told_every_ms = 60_000
const told_max = 1_000

interface Parts {
  readonly db: Database
  readonly clock: Clock
  readonly log: Log
  readonly own: { readonly tenant_id: string; readonly did: string }
  /** Created at first use: most engines never need it. */
  key(): Promise<CosigningKey>
}

export interface CountingWitness extends WitnessHandler {
  readonly cosigned: number
  readonly refused: number
}

export function openWitness(parts: Parts): CountingWitness {
  const { db, clock, key } = parts
  const reported_at = new Map<string, number>()
  const counts = { cosigned: 0, refused: 0 }
  const answer = async (witnessed: Witnessed & { readonly origin?: string }) => {
    if (witnessed.kind === 'cosigned') counts.cosigned++
    else counts.refused++
    const { kind, origin } = witnessed
    const is_grave = kind === 'contradiction' || kind === 'unproved'
    if (is_grave && origin !== undefined && isChange(reported_at, origin, clock)) {
      await tellOperator(parts, origin, kind, witnessed.held_size)
    }
    return replyTo(witnessed)
  }
  const now = () => new Date(clock.now_ms())
  return {
    async addCheckpoint(body) {
      const witnessed = await witnessSubmission(db, await key(), body, now())
      const reply = await answer(witnessed)
      return witnessed.kind === 'not signed' ? { ...reply, type: rotation_type } : reply
    },
    async addRotation(body) {
      let followed: FollowedKey | undefined
      const witnessed = await followRotation(db, await key(), body, now(), async (transaction, change) => {
        await recordFollowed(parts, transaction, change)
        followed = change
      })
      if (followed) parts.log.warn({ ...followed }, 'a log that is witnessed here has changed its key')
      const reply = await answer(witnessed)
      return witnessed.kind === 'malformed' ? { ...reply, body: rotation_form } : reply
    },
    checkpoint: async (origin) => heldNote(queryOf(db), (await key()).name, origin),
    get cosigned() {
      return counts.cosigned
    },
    get refused() {
      return counts.refused
    },
  }
}

function isChange(reported_at: Map<string, number>, origin: string, clock: Clock): boolean {
  const now_ms = clock.monotonic_ms()
  if (now_ms - (reported_at.get(origin) ?? -told_every_ms) < told_every_ms) return false
  if (reported_at.size >= told_max) reported_at.clear()
  reported_at.set(origin, now_ms)
  return true
}

async function tellOperator({ db, clock, log, own }: Parts, origin: string, kind: string, held_size: number) {
  const why = 'a log that is witnessed here has sent a checkpoint that does not continue what was cosigned'
  log.error({ origin, kind, held_size }, `${why}; ask its operator, and keep the stored note`)
  await leaveInOutbox(db, {
    id: clock.uuid(),
    event_type: 'SecurityViolation',
    correlation_id: clock.uuid(),
    timestamp: new Date(clock.now_ms()).toISOString(),
    tenant_id: own.tenant_id,
    caller_did: own.did,
    outcome: 'refused',
    latency_ms: 0,
    meta: { reason: why, origin, kind, held_size },
  })
}

/** In the operator's audit log, as a key that is trusted by hand. */
async function recordFollowed({ clock, own }: Parts, transaction: Database, followed: FollowedKey) {
  const { new_public_key: public_key, ...change } = followed
  await leaveInOutbox(transaction, {
    id: clock.uuid(),
    event_type: 'AuthorizationCheck',
    correlation_id: clock.uuid(),
    timestamp: new Date(clock.now_ms()).toISOString(),
    tenant_id: own.tenant_id,
    caller_did: own.did,
    outcome: 'success',
    latency_ms: 0,
    meta: { gate: 'witness', command: 'witness follow', public_key, ...change },
  })
}

const plain = 'text/plain; charset=utf-8'
const rotation_form =
  'Send: the record of the change and its path as JSON in one line, then as for add-checkpoint.\n'

function replyTo(witnessed: Witnessed): WitnessReply {
  switch (witnessed.kind) {
    case 'cosigned':
      return { status: 200, type: plain, body: witnessed.line }
    case 'stale':
    case 'contradiction':
      return { status: 409, type: 'text/x.tlog.size', body: `${witnessed.held_size}\n` }
    case 'unproved':
      return {
        status: 422,
        type: plain,
        body: 'The proof does not continue from the checkpoint held here.\n',
      }
    case 'unknown log':
      return { status: 404, type: plain, body: 'This log is not witnessed here.\n' }
    case 'not signed':
      return { status: 403, type: plain, body: 'It is not signed by a key trusted for this log.\n' }
    case 'not followed':
      return { status: 403, type: plain, body: `The change of keys is not proved: ${witnessed.why}.\n` }
    case 'malformed':
      return { status: 400, type: plain, body: 'Send: old <size>, the proof, an empty line, the note.\n' }
  }
}
