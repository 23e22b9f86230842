import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { embeddedUrl, startEmbeddedPostgres } from '@svc/adapters/store/embedded-postgres'
import { migrate } from '@svc/adapters/store/migrate'
import { lockDirectory } from '@svc/audit/journal/journal-directory'
import { admin } from '../admin.ts'
import { migrations } from '../assembly/migrations.ts'

const quiet = { debug() {}, info() {}, warn() {}, error() {} }

async function run(...args: string[]): Promise<string> {
  let out = ''
  const write = async (text: string) => {
    out += text
  }
  assert.equal(await admin(args, {}, { input: Readable.from([]), write }), 0)
  return out
}

test('while the engine is stopped its own PostgreSQL is started for one command, and stopped again', async (t) => {
  const data_dir = await mkdtemp(join(tmpdir(), 'svc-target-'))
  t.after(() => rm(data_dir, { recursive: true, force: true }))
  const postgres_dir = join(data_dir, 'postgres')
  const postgres = await startEmbeddedPostgres({ data_dir: postgres_dir, durable: false, log: quiet })
  await migrate(postgres.url, migrations)
  await postgres.stop()
  const where = ['--data-dir', data_dir, '--json']
  assert.equal(await run('tenant', 'create', 'acme', ...where), '{"tenant_id":"acme","tier":"sandbox"}\n')
  assert.equal(await embeddedUrl(postgres_dir), undefined, 'the server was left running')
  assert.equal(JSON.parse(await run('tenant', 'show', 'acme', ...where)).tenant_id, 'acme')
  // As an engine that is just starting would lock it.
  const unlock = await lockDirectory(data_dir)
  await assert.rejects(run('tenant', 'list', ...where), {
    name: 'ConfigError',
    message: /starting or stopping/,
  })
  unlock()
})
