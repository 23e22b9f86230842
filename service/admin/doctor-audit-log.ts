// Doctor checks of the audit log: whether its keys can be decrypted, and how much waits to be committed.
import { masterKeyOf } from '@svc/adapters/root-keys/master-key'
import {
  MasterKeyFault,
  type RootKeyRow,
  ringOf,
  root_key_rows,
} from '@svc/adapters/root-keys/root-key-store'
import type { Inspection } from '@svc/adapters/store/inspect'
import { probeKeys } from '@svc/audit/chain/keys'
import { idIn, listSegments } from '@svc/audit/journal/journal-directory'
import { RootKeys } from '@svc/audit/sealing/root-keys'
import { ConfigError } from '../settings/config-error.ts'
import { broken, doubtful, type Finding, well } from './finding.ts'
import type { Premises } from './premises.ts'
import { readMasterKey } from './target.ts'

const mib = 1024 * 1024
const backlog_bytes_doubtful = 64 * mib
const outbox_rows_doubtful = 10_000
const named_max = 3

export async function lookAtKeys(database: Inspection, { target }: Premises): Promise<Finding> {
  const check = 'keys'
  const rows = await database.query<RootKeyRow>(root_key_rows)
  let root_keys: RootKeys
  try {
    const master_key = masterKeyOf(readMasterKey(target))
    if (rows.length === 0) return well(check, 'no root keys yet; the first engine makes them')
    root_keys = new RootKeys(await ringOf(rows, master_key))
  } catch (error) {
    if (!(error instanceof ConfigError || error instanceof MasterKeyFault)) throw error
    return broken(check, 'the root keys cannot be unwrapped', error.message)
  }
  const { keys, salts, unopened } = await probeKeys(database.query, root_keys)
  if (unopened.length > 0) {
    const which = unopened.slice(0, named_max).join(', ')
    const observation = `the root keys do not open ${unopened.length} of ${keys + salts}: ${which}`
    return broken(check, observation, 'these rows were altered, or come from another database: restore them')
  }
  return well(check, `the root keys open ${keys} audit keys and ${salts} salts`)
}

export async function lookAtBacklog(database: Inspection, premises: Premises): Promise<Finding[]> {
  return [await lookAtJournal(database, premises), await lookAtOutbox(database)]
}

async function lookAtJournal(
  database: Inspection,
  { audit_dir, audit_bytes_max }: Premises,
): Promise<Finding> {
  const check = 'journal'
  const journal = readJournal(audit_dir)
  if (!journal) return well(check, `${audit_dir} holds no journal yet`)
  const rows = await database.query<{ segment: string; byte_offset: string }>(
    'SELECT segment, byte_offset FROM journal_positions WHERE journal_id = $1',
    [journal.id],
  )
  const at = { segment: Number(rows[0]?.segment ?? 0), offset: Number(rows[0]?.byte_offset ?? 0) }
  let waiting_bytes = 0
  for (const [segment, bytes] of journal.segments) {
    if (segment === at.segment) waiting_bytes += Math.max(0, bytes - at.offset)
    else if (segment > at.segment) waiting_bytes += bytes
  }
  const observation = `${(waiting_bytes / mib).toFixed(1)} MiB of records wait to be committed`
  const advice = 'start the engine, or find out why its writer fails: see /ready and its log'
  if (waiting_bytes >= audit_bytes_max) return broken(check, `${observation}: changes are refused`, advice)
  return waiting_bytes > backlog_bytes_doubtful
    ? doubtful(check, observation, advice)
    : well(check, observation)
}

/** Read-only, unlike the engine's start, which creates the journal. */
function readJournal(dir: string): { id: string; segments: Map<number, number> } | undefined {
  try {
    return { id: idIn(dir), segments: listSegments(dir) }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

async function lookAtOutbox(database: Inspection): Promise<Finding> {
  const rows = await database.query<{ waiting: number }>(
    `SELECT count(*)::int AS waiting FROM (SELECT FROM audit_outbox LIMIT ${outbox_rows_doubtful + 1}) few`,
  )
  const waiting = rows[0]?.waiting ?? 0
  const observation = `${waiting > outbox_rows_doubtful ? 'more than ' : ''}${Math.min(waiting, outbox_rows_doubtful)} events wait`
  return waiting > outbox_rows_doubtful
    ? doubtful('outbox', observation, 'start the engine: its writer processes them')
    : well('outbox', observation)
}
