// svc-engine apply and admin on a database of their own, in this process.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { nameOperator } from '@svc/adapters/access/operator-tenant'
import { ensureTenant } from '@svc/adapters/access/tenants'
import { system_clock } from '@svc/adapters/clock/system'
import { asOwner } from '@svc/audit/test-audit-log'
import type { Database } from '@svc/contract/database'
import { admin } from '@svc/service/admin'
import { type ApplyOptions, apply } from '@svc/service/apply'
import { stringify } from 'yaml'
import { openTestStore } from '../rehearsal/test-store.ts'

const quick = { yes: true, dry_run: false, prune: false, json: false }
const tables = [
  'tenants',
  'users',
  'invitations',
  'roles',
  'person_roles',
  'api_keys',
  'audit_outbox',
  'workloads',
]

export interface ApplyScene {
  readonly db: Database
  readonly url: string
  readonly folder: string
  /** With `typed`, there is a terminal on which this is answered. */
  run(config: object, more?: Partial<ApplyOptions>, typed?: string): Promise<{ exit: number; text: string }>
  /** Ends as a process that is killed after this many steps. */
  runUntil(config: object, steps: number): Promise<void>
  /** The rows of a command of `svc-engine admin` that must succeed. */
  admin(...args: string[]): Promise<Record<string, unknown>[]>
  /** What commands have left to be recorded, oldest first. */
  records(tenant_id: string): Promise<{ meta: Record<string, unknown>; event_type: string }[]>
  /** All rows that a run could change, as one text. */
  everything(): Promise<string>
  close(): Promise<void>
}

export async function openApplyScene(): Promise<ApplyScene> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-apply-'))
  const { store, database, close } = await openTestStore()
  const { url } = database
  await ensureTenant(store.engine, 'operator', 'The operator', 'sovereign')
  await nameOperator(store.engine, 'operator')
  const env = { SVC_DB_URL: url, SVC_MASTER_KEY: '11'.repeat(32), SVC_ALLOWED_NETWORKS: '127.0.0.0/8' }
  const write = (config: object) => {
    const file = join(folder, `${system_clock.uuid()}.yaml`)
    writeFileSync(file, stringify(config, { aliasDuplicateObjects: false }))
    return file
  }
  return {
    db: store.engine,
    url,
    folder,
    async run(config, more, typed) {
      const terminal = collecting([typed ?? ''], typed !== undefined)
      const exit = await apply({ ...quick, file: write(config), ...more }, env, terminal)
      return { exit, text: terminal.texts.join('') }
    },
    async runUntil(config, steps) {
      let done = 0
      const count = async (text: string) => {
        if (text.includes(': done') && ++done >= steps) throw new Error('the terminal is gone')
      }
      await apply({ ...quick, file: write(config) }, env, { input: Readable.from([]), write: count })
    },
    async admin(...args) {
      const terminal = collecting(['a long and good password\n'], false)
      assert.equal(await admin([...args, '--json'], env, terminal), 0)
      const lines = terminal.texts.join('').split('\n')
      return lines.filter(Boolean).map((line) => JSON.parse(line))
    },
    records: (tenant_id) =>
      asOwner(url, async (client) => {
        const statement = 'SELECT entry::jsonb AS entry FROM audit_outbox WHERE tenant_id = $1 ORDER BY id'
        return (await client.query(statement, [tenant_id])).rows.map(({ entry }) => entry)
      }),
    everything: () =>
      asOwner(url, async (client) => {
        const rows = []
        for (const table of tables)
          rows.push((await client.query(`SELECT * FROM ${table} ORDER BY 1, 2`)).rows)
        return JSON.stringify(rows)
      }),
    async close() {
      await close()
      rmSync(folder, { recursive: true })
    },
  }
}

function collecting(input: string[], isTTY: boolean) {
  const texts: string[] = []
  const write = async (text: string) => void texts.push(text)
  return { input: Object.assign(Readable.from(input), { isTTY }), write, texts }
}
