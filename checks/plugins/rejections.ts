// The PluginRejected events of a running engine, as its operator reads them.
import assert from 'node:assert/strict'
import { admin } from '@svc/service/admin'

export interface Rejection {
  readonly plugin: string
  readonly version: string
  readonly reason: string
}

export async function rejectionsOf(data_dir: string): Promise<Rejection[]> {
  let text = ''
  const write = async (part: string) => {
    text += part
  }
  const terminal = { input: (async function* () {})(), write }
  assert.equal(await admin(['export', 'operator', '--data-dir', data_dir], {}, terminal), 0, text)
  const lines = text.split('\n').filter((line) => line.includes('"PluginRejected"'))
  return lines.map((line) => metaIn(JSON.parse(line)))
}

/** Wherever the export puts the record. */
function metaIn(line: Record<string, unknown>): Rejection {
  const record = (line.record ?? line) as { meta?: Rejection }
  assert.ok(record.meta, JSON.stringify(line))
  return record.meta
}
