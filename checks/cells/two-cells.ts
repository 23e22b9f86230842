// Two databases of one installation with an engine each, and moves between them as the operator's command makes them.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { system_clock } from '@svc/adapters/clock/system'
import { exportChain } from '@svc/audit/query/export'
import { verifyExport } from '@svc/sdk/verify/export'
import { admin } from '@svc/service/admin'
import { openConnections, placeOf } from '@svc/service/tenant-move/connections'
import { moveTenants } from '@svc/service/tenant-move/move-tenants'
import type { MoveOrder, Step } from '@svc/service/tenant-move/order'
import { Client } from 'pg'
import { type InProcessOptions, type InProcessService, startInProcess } from '../engines/in-process.ts'

const confirm_ms_max = 30_000

export interface TwoCells {
  readonly a: InProcessService
  readonly b: InProcessService
  readonly master_key: Buffer
  stop(): Promise<void>
}

export async function openTwoCells(options: InProcessOptions = {}): Promise<TwoCells> {
  const master_key = randomBytes(32)
  const config = { ...options.config, master_key }
  const a = await startInProcess({ ...options, config })
  const b = await startInProcess({
    ...options,
    config,
    beforeStart: async (db_url) => void (await command(a, ['root-key', 'copy', '--to', db_url])),
  }).catch(async (error) => {
    await a.stop()
    throw error
  })
  const stop = async () => {
    await a.stop()
    await b.stop()
  }
  return { a, b, master_key, stop }
}

/** A command of svc-engine admin in this cell: its exit code is 0, or it throws its sentence. */
export async function command(
  { db_url, config }: InProcessService,
  words: readonly string[],
): Promise<string> {
  let text = ''
  const write = async (part: string) => {
    text += part
  }
  const env = { SVC_DB_URL: db_url, SVC_MASTER_KEY: config.master_key.toString('hex') }
  assert.equal(await admin([...words, '--json'], env, { input: Readable.from([]), write }), 0, text)
  return text
}

export interface MoveWish {
  readonly from: InProcessService
  readonly to: InProcessService
  readonly tenant_ids: readonly string[]
  /** The mover dies when it has come so far. */
  readonly dies_at?: Step
}

export const died = 'the mover was killed'

/** What the command does with these databases. */
export async function withOrder<Result>(
  { from, to, tenant_ids, dies_at }: MoveWish,
  work: (order: MoveOrder) => Promise<Result>,
): Promise<Result> {
  const connections = await openConnections(from.db_url, to.db_url)
  const { source, snapshot, target } = connections
  const order: MoveOrder = {
    connections,
    tenant_ids,
    source_place: placeOf(from.db_url),
    target_place: placeOf(to.db_url),
    master_key: from.config.master_key,
    archive: undefined,
    operator: { os_user: 'test', clock: system_clock },
    confirm_ms_max,
    progress: () => {},
    reached(step) {
      if (step !== dies_at) return
      // As the kernel does: no statement more, and no farewell.
      for (const client of [source, snapshot, target]) client.connection.stream.destroy()
      throw new Error(died)
    },
  }
  try {
    return await work(order)
  } finally {
    await connections.close()
  }
}

export const move = (wish: MoveWish) => withOrder(wish, moveTenants)

/** What an auditor does with an export: nothing but its own bytes is needed. */
export async function verifyLog(db_url: string, tenant_id: string) {
  return await withClient(db_url, async (client) => {
    const lines: string[] = []
    for await (const line of exportChain(client, tenant_id)) lines.push(line)
    return await verifyExport(lines)
  })
}

export async function withClient<Result>(
  url: string,
  work: (client: Client) => Promise<Result>,
): Promise<Result> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
