// What the steps of a run answered, for those who look at it.
import type { Database } from '@svc/contract/database'
import type { OperationContext } from '@svc/contract/operation-context'
import { Closed, ListOf } from '@svc/contract/schema'
import { sql } from '@svc/database/sql'
import { type Static, Type } from 'typebox'
import { openJson } from '../../cognition/content/api.ts'
import type { ListedRun } from './run-listing.ts'

const answers_max = 64
/** Together at most a mebibyte, as read. */
const answer_bytes_max = 16_384

export const StepAnswers = ListOf(
  Closed({
    path: Type.String({ description: 'Path of the step in the graph.' }),
    data: Type.Unknown({ description: 'What it answered.' }),
  }),
  0,
  answers_max,
)
type StepAnswers = Static<typeof StepAnswers>

/** The identity as which the steps call, and charter members: an answer may hold what its reader may not ask for. */
export async function mayReadAnswers(
  { caller, charter, db, tenant_id }: OperationContext<'charter'>,
  { run_id, owner_did }: Pick<ListedRun, 'run_id' | 'owner_did'>,
): Promise<boolean> {
  if (caller.did === owner_did && !(await hasForeign(db, tenant_id, run_id, owner_did))) return true
  return charter.has(caller.did)
}

/** Undefined for those who may not read them. */
export async function answersOf(
  context: OperationContext<'charter' | 'vault'>,
  run: ListedRun,
): Promise<StepAnswers | undefined> {
  const { db, tenant_id, vault } = context
  const { run_id } = run
  if (!(await mayReadAnswers(context, run))) return undefined
  const rows = await sql<{ readonly path: string; readonly result: Buffer | null }>`
    SELECT path, result FROM moon_step
    WHERE tenant_id = ${tenant_id} AND run_id = ${run_id} AND result IS NOT NULL
      AND octet_length(result) <= ${answer_bytes_max}
    ORDER BY seq LIMIT ${answers_max}`.all(db)
  return rows.flatMap(({ path, result }) => {
    const { data } = openJson<{ readonly data?: unknown }>(vault, `step ${run_id} ${path}`, result!)
    return data === undefined ? [] : [{ path, data }]
  })
}

/** A run that is tried again keeps what the runs before it were answered, also those of others. */
function hasForeign(db: Database, tenant_id: string, run_id: string, owner_did: string): Promise<boolean> {
  return sql`
    WITH RECURSIVE line (run_id, retry_of, owner_did) AS (
      SELECT run_id, retry_of, owner_did FROM moon_run WHERE tenant_id = ${tenant_id} AND run_id = ${run_id}
      UNION
      SELECT r.run_id, r.retry_of, r.owner_did FROM moon_run r JOIN line ON r.run_id = line.retry_of
      WHERE r.tenant_id = ${tenant_id}
    )
    SELECT 1 AS found FROM line WHERE owner_did <> ${owner_did}`.exists(db)
}
