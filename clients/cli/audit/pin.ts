// Pins of verified audit logs: the signing key and the newest checkpoint, per engine and tenant.
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { Settings } from '@svc/sdk/settings'
import type { Flags, Terminal } from '../command.ts'
import { UsageError } from '../exit.ts'
import { settingsOf } from '../settings.ts'
import { readNoteFile, writeOwnFile } from './file.ts'

/** Two engines may have a tenant of the same name, so both identify a log. */
export type LogPlace = Pick<Settings, 'api_url' | 'tenant_id'>

export interface Pin extends LogPlace {
  /** The key that signed the newest checkpoint, base64url. */
  readonly public_key: string
  readonly checkpoint: string
}

const tenant_form = /^[a-z0-9][a-z0-9-]{0,62}$/
const key_form = /^[A-Za-z0-9_-]{43}$/

/** Otherwise a truncated key would only be reported as not having signed. */
export function requireKeys(keys: readonly string[]): void {
  const odd = keys.find((key) => !key_form.test(key))
  if (odd !== undefined)
    throw new UsageError(
      `--key is ${odd.slice(0, 80)}, which is not a public key: expected 43 base64url characters.`,
      'svc-engine admin audit key <tenant> prints the key of a log.',
    )
}

export function pinPath(home: string, { api_url, tenant_id }: LogPlace): string {
  if (!tenant_form.test(tenant_id)) throw new UsageError(`${tenant_id} is not the id of a tenant.`)
  const engine = createHash('sha256').update(api_url).digest('hex').slice(0, 32)
  return join(home, '.svc', 'pins', engine, `${tenant_id}.json`)
}

/** Undefined if there is none; a file that is not a pin of this log is an error. */
export async function readPin(home: string, place: LogPlace): Promise<Pin | undefined> {
  const path = pinPath(home, place)
  const text = await readNoteFile(path)
  if (text === undefined) return undefined
  const { api_url, tenant_id, public_key, checkpoint } = fieldsOf(text)
  const is_whole =
    typeof public_key === 'string' && key_form.test(public_key) && typeof checkpoint === 'string'
  if (!is_whole || api_url !== place.api_url || tenant_id !== place.tenant_id)
    throw new UsageError(
      `${path} is not the pinned key of ${place.tenant_id} at ${place.api_url}.`,
      'Check who changed it; delete it to pin the key the engine shows next.',
    )
  return { api_url, tenant_id, public_key, checkpoint }
}

export async function writePin(home: string, pin: Pin): Promise<void> {
  await writeOwnFile(pinPath(home, pin), [`${JSON.stringify(pin, null, 2)}\n`], true)
}

/** The pin for an export file: that of the profile's engine, if the tenant matches. */
export async function pinOfProfile(
  tenant_id: string | undefined,
  flags: Flags,
  terminal: Terminal,
): Promise<Pin | undefined> {
  const place = profilePlace(flags, terminal)
  return place && place.tenant_id === tenant_id ? await readPin(terminal.home, place) : undefined
}

/** A file can be verified without settings. */
function profilePlace(flags: Flags, terminal: Terminal): LogPlace | undefined {
  try {
    return settingsOf(flags, terminal)
  } catch {
    return undefined
  }
}

function fieldsOf(text: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(text))
  } catch {
    return {}
  }
}
