// A real PostgreSQL with TLS: whom the engine trusts, the certificate it shows, and what it says when one of them is wrong.
import assert from 'node:assert/strict'
import { chownSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { TLSSocket } from 'node:tls'
import { migrateStore } from '@svc/service/assembly/migrate-store'
import { databaseUrl } from '@svc/service/settings/database-url'
import { reader } from '@svc/service/settings/reader'
import { Client } from 'pg'
import { makeCertificate } from '../../checks/neighbours/test-certificate.ts'
import { testTls } from '../../checks/neighbours/test-tls.ts'
import { until } from '../../checks/suite/eventually.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from './embedded-postgres.ts'
import { openStore, type PostgresStore } from './postgres.ts'

const quiet = { debug() {}, info() {}, warn() {}, error() {} }
const tls = testTls()
const stranger = makeCertificate({ name: 'Another authority' })
const { cert_file, key_file } = tls.issue('engine')
let folder: string
let server: EmbeddedPostgres
let owner: Client

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-postgres-tls-'))
  server = await startEmbeddedPostgres({ data_dir: join(folder, 'postgres'), log: quiet, durable: false })
  owner = new Client({ connectionString: server.url })
  await owner.connect()
  await migrateStore(server.url)
})
after(async () => {
  await owner?.end()
  await server?.stop()
  rmSync(folder, { recursive: true, force: true })
  tls.close()
})

/** As settings of an engine say it. */
const addressOf = (more: string, SVC_TLS_CA: string | undefined = tls.ca_file) =>
  databaseUrl(reader({ SVC_DB_URL: `${server.url}?${more}`, SVC_TLS_CA }, 'serve'))!
const verified = 'sslmode=verify-full'
const withCertificate = () => `${verified}&sslcert=${cert_file}&sslkey=${key_file}`

/** The server reads files of its own user only. */
async function serveWith({ cert, key }: { cert: string; key: string }, demands = false): Promise<void> {
  const { rows } = await owner.query<{ dir: string; hba: string }>(
    "SELECT current_setting('data_directory') AS dir, current_setting('hba_file') AS hba",
  )
  const { dir, hba } = rows[0]!
  const { uid, gid } = statSync(dir)
  for (const [name, text] of [
    ['own.crt', cert],
    ['own.key', key],
    ['clients.crt', tls.authority.cert],
  ] as const) {
    writeFileSync(join(dir, name), text, { mode: 0o600 })
    chownSync(join(dir, name), uid, gid)
  }
  const lines = readFileSync(hba, 'utf8')
    .split('\n')
    .filter((line) => !line.startsWith('hostssl'))
  const rule = 'hostssl all all 127.0.0.1/32 scram-sha-256 clientcert=verify-ca'
  writeFileSync(hba, [...(demands ? [rule] : []), ...lines].join('\n'))
  for (const [name, value] of Object.entries({
    ssl_cert_file: 'own.crt',
    ssl_key_file: 'own.key',
    ssl_ca_file: 'clients.crt',
    ssl: 'on',
  }))
    await owner.query(`ALTER SYSTEM SET ${name} = '${value}'`)
  await owner.query('SELECT pg_reload_conf()')
}

async function isEncrypted(url: string): Promise<boolean> {
  const store = await openStore({ url, log: quiet })
  try {
    return (await issuerOf(store)) !== undefined
  } finally {
    await store.close()
  }
}

/** Of the server's certificate on a new connection; undefined without TLS. */
async function issuerOf({ engine_pool }: PostgresStore): Promise<string | undefined> {
  const fresh = await engine_pool.connect()
  const { stream } = (fresh as unknown as { connection: { stream: Socket } }).connection
  const issuer = stream instanceof TLSSocket ? String(stream.getPeerCertificate().issuer.CN) : undefined
  fresh.release(true)
  return issuer
}

test('a server without TLS is refused where TLS is demanded', async () => {
  await assert.rejects(migrateStore(addressOf(verified)), { message: /^PostgreSQL does not offer TLS/ })
  assert.equal(await isEncrypted(server.url), false)
})

test('the certificate must be of the authority in SVC_TLS_CA, and for the host of the address', async () => {
  await serveWith(tls.issue('postgres'))
  await until('it serves with TLS', () => isEncrypted(addressOf(verified)).catch(() => false))
  const [untrusted, misnamed] = [
    /is not from an authority that is trusted/,
    /is for another name than the host/,
  ]
  await assert.rejects(migrateStore(addressOf(verified, '')), { name: 'ConfigError', message: untrusted })
  const other = addressOf(`${verified}&sslrootcert=${tls.write('other.crt', stranger.cert)}`)
  await assert.rejects(migrateStore(other), { message: untrusted })
  await serveWith(makeCertificate({ name: 'db', issuer: tls.authority, hosts: ['db.example'] }))
  await until('the wrong name is noticed', () =>
    migrateStore(addressOf(verified)).then(
      () => false,
      ({ message }: Error) => misnamed.test(message),
    ),
  )
})

test('authorities and certificates are read anew for each connection, and open ones are kept', async () => {
  await serveWith(tls.issue('postgres'), true)
  await until('a certificate is demanded', () =>
    migrateStore(addressOf(verified)).then(
      () => false,
      ({ message }: Error) => /client certificate/.test(message),
    ),
  )
  const url = addressOf(withCertificate())
  const store = await openStore({ url, log: quiet, engine_pool_max: 2 })
  try {
    const open = await store.engine_pool.connect()
    // The server gets a certificate of another authority, and the file of trusted ones holds both.
    tls.write('ca.crt', tls.authority.cert + stranger.cert)
    await serveWith(makeCertificate({ name: 'next', issuer: stranger, hosts: ['127.0.0.1'] }), true)
    await until(
      'new connections see the new certificate',
      async () => (await issuerOf(store)) === 'Another authority',
    )
    // The engine's own certificate is replaced by one that the server does not accept.
    tls.issue('engine', stranger)
    await assert.rejects(store.engine_pool.connect())
    assert.equal((await open.query('SELECT 1 AS one')).rows[0].one, 1)
    open.release()
    tls.issue('engine')
    assert.equal((await store.engine_pool.query('SELECT 1 AS one')).rows[0].one, 1)
  } finally {
    await store.close()
  }
})
