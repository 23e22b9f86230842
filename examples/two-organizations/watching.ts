// An external witness: sees sizes and hashes of both audit logs, never records; so they cannot be rewritten.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Engine, Installation } from './engines.ts'
import { soon } from './telling.ts'

/** Returns the witness's public key line. */
export async function watch(
  { admin }: Installation,
  engine: Engine,
  watcher: Engine,
  tenant_ids: readonly string[],
): Promise<string> {
  const [{ key } = {}] = await admin(watcher, 'witness', 'key')
  for (const tenant_id of tenant_ids) {
    const [log] = await admin(engine, 'witness', 'origin', tenant_id)
    await admin(watcher, 'witness', 'trust', log!.origin!, log!.public_key!)
  }
  const tenants = tenant_ids.flatMap((tenant_id) => ['--tenant', tenant_id])
  await admin(engine, 'witness', 'ask', `${watcher.api_url}/v1/witness`, key!, ...tenants)
  return key!
}

/** Offline: only the export, the log's key, the witness's key and its note; no engine. */
export async function checkOffline(
  installation: Installation,
  engine: Engine,
  watcher: Engine,
  tenant_id: string,
  witness_key: string,
): Promise<string> {
  const audit_log = join(installation.folder, `${tenant_id}.jsonl`)
  const note = join(installation.folder, `${tenant_id}.note`)
  const exported = await installation.export(engine, tenant_id)
  const { to_seq } = JSON.parse(exported.slice(0, exported.indexOf('\n')))
  writeFileSync(audit_log, exported)
  const [log] = await installation.admin(engine, 'audit', 'key', tenant_id)
  writeFileSync(note, await soon('the witness', () => heldNote(watcher, tenant_id, to_seq)))
  const { code, said } = await installation.verify(
    ...[audit_log, '--key', log!.public_key!, '--checkpoint', note],
    ...['--witness-key', witness_key, '--witnesses-needed', '1'],
  )
  if (code !== 0) throw new Error(`the audit log of ${tenant_id} does not verify: ${said}`)
  return said.trim()
}

/** Undefined until the witness has cosigned all of it. */
async function heldNote(watcher: Engine, tenant_id: string, size: number): Promise<string | undefined> {
  const answer = await fetch(`${watcher.api_url}/v1/witness/checkpoint?origin=svc/${tenant_id}`)
  const text = await answer.text()
  return Number(text.split('\n')[1]) >= size ? text : undefined
}
