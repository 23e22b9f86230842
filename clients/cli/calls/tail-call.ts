// --audit-tail: shows and verifies the audit records of a call, without changing the call's own outcome.
import type { Client } from '@svc/sdk/client'
import { SvcError } from '@svc/sdk/errors'
import type { Flags, Terminal } from '../command.ts'
import { coloursOf } from '../output/colours.ts'
import { harmless } from '../output/harmless-text.ts'
import type { Format } from '../output/output.ts'
import { settingsOf } from '../settings.ts'

export interface CallInAuditLog {
  readonly correlation_id: string
  /** The final record of the call, if the answer named it. */
  readonly record_id?: string
}

/** False if a record is invalid. Prints to stderr, so that stdout holds only the answer. */
export async function tailCall(
  client: Client,
  { correlation_id, record_id }: CallInAuditLog,
  format: Format,
  flags: Flags,
  terminal: Terminal,
): Promise<boolean> {
  const { waitForRecords, showRecords } = await import('../audit/records.ts')
  const { readPin } = await import('../audit/pin.ts')
  // Calls are recorded in the caller's audit log, whichever tenant was called.
  const { agent_did, api_url } = settingsOf(flags, terminal)
  const tenant_id = agent_did.split(':')[2]!
  const pin = await readPin(terminal.home, { api_url, tenant_id })
  const waiting = {
    tenant_id,
    signal: terminal.signal,
    ...(record_id === undefined ? {} : { record_id }),
    ...(pin ? { pinned_key: pin.public_key } : {}),
  }
  try {
    const records = await waitForRecords(client, correlation_id, waiting)
    if (format === 'human') terminal.out('\n')
    showRecords(records, terminal, format === 'human' ? 'stdout' : 'stderr')
    return records.records.every(({ mark }) => mark !== 'INVALID')
  } catch (thrown) {
    if (!(thrown instanceof SvcError)) throw thrown
    const { yellow } = coloursOf(terminal, 'stderr')
    terminal.err(`${yellow('The records cannot be shown')}: ${thrown.code}: ${harmless(thrown.message)}\n`)
    return true
  }
}
