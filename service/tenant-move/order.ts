// What a move is asked for, and what its parts share.
import type { MasterKeySetting } from '@svc/adapters/root-keys/master-key'
import type { PageStore } from '@svc/audit/archive/page-store'
import type { Client } from 'pg'
import { type Operator, recordChange } from '../admin/record.ts'
import { type Connections, databaseOn } from './connections.ts'
import type { Table } from './tables.ts'

/** What a move goes through, in order: for people, and for tests that interrupt it. */
export const steps = [
  'begun',
  'pages',
  'moving',
  'confirmed',
  'fenced',
  'frozen',
  'copied',
  'verified',
  'switched',
  'ended',
] as const
export type Step = (typeof steps)[number]

export interface MoveOrder {
  readonly connections: Connections
  readonly tenant_ids: readonly string[]
  /** The databases, for people. */
  readonly source_place: string
  readonly target_place: string
  readonly master_key: MasterKeySetting
  readonly archive: PageStore | undefined
  readonly operator: Operator
  /** How long engines have to confirm; after that the tenant is served again where it was. */
  readonly confirm_ms_max: number
  progress(text: string): void
  reached?(step: Step): Promise<void> | void
}

export interface Move extends MoveOrder {
  readonly move_id: string
  readonly tables: readonly Table[]
  readonly operators: { readonly source: string; readonly target: string }
}

export interface Moved {
  readonly move_id: string
  readonly rows: number
  readonly records: number
  /** How long no call was taken. Undefined where an earlier command had stopped them. */
  readonly readonly_ms: number | undefined
}

/** In the tenant's own audit log, wherever it is written at that moment. */
export async function noteStep(
  move: Pick<Move, 'tenant_ids' | 'operator' | 'move_id' | 'source_place' | 'target_place'>,
  client: Client,
  step: string,
): Promise<void> {
  const { operator, move_id, source_place: from, target_place: to } = move
  for (const tenant_id of move.tenant_ids)
    await recordChange(databaseOn(client), operator, {
      tenant_id,
      command: 'tenant move',
      meta: { step, move_id, from, to },
    })
}

/** Engines forget what they knew of these tenants, or that they knew nothing. */
export async function tellEngines(client: Client, tenant_ids: readonly string[]): Promise<void> {
  const kinds = tenant_ids.flatMap((id) =>
    ['tier', 'identity', 'books', 'treaty', 'home'].map((kind) => `${kind}:${id}`),
  )
  await client.query("SELECT pg_notify('svc_changed', change) FROM unnest($1::text[]) AS change", [kinds])
}
