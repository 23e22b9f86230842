// A command of svc-engine admin on a watched installation, as its operator types it.
import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { admin } from '@svc/service/admin'
import type { Installation } from './watched-installation.ts'

interface Operated extends Pick<Installation, 'production'> {
  readonly database: Pick<Installation['database'], 'url'>
}

export async function operate(
  { database, production }: Operated,
  ...args: readonly string[]
  // biome-ignore lint/suspicious/noExplicitAny: each command answers in its own shape
): Promise<any> {
  let out = ''
  const write = async (text: string) => {
    out += text
  }
  const env = { SVC_DB_URL: database.url, SVC_MASTER_KEY: production.master_key.toString('hex') }
  const status = await admin([...args, '--json'], env, { input: Readable.from(['']), write })
  assert.equal(status, 0, `${args.join(' ')}: ${out}`)
  return out === '' ? undefined : JSON.parse(out)
}
