import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { chmod, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { sha256Hex } from '@svc/contract/signing/canonical-json'
import type { Log } from '@svc/engine/ports'
import { Client } from 'pg'
import { eventually } from '../../checks/suite/eventually.ts'
import { type EmbeddedPostgres, embeddedUrl, startEmbeddedPostgres } from './embedded-postgres.ts'
import { inspectProcess } from './os-process.ts'

const quiet: Log = { debug() {}, info() {}, warn() {}, error() {} }
const is_root = process.getuid?.() === 0

async function connect(url: string): Promise<Client> {
  const client = new Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  return client
}

async function ask<T>(url: string, text: string): Promise<T | undefined> {
  const client = await connect(url)
  try {
    return (await client.query<{ answer: T }>(text)).rows[0]?.answer
  } finally {
    await client.end()
  }
}

// One folder for all tests, in the order of a server's life: creating the files takes most of the time.
describe('the embedded PostgreSQL', () => {
  let data_dir = ''
  let server: EmbeddedPostgres
  const start = (wait_ms_max?: number) =>
    startEmbeddedPostgres({ data_dir, log: quiet, ...(wait_ms_max ? { wait_ms_max } : {}) })
  const countRows = () => ask<number>(server.url, 'SELECT count(*)::int AS answer FROM kept')
  const keep = () => ask(server.url, 'INSERT INTO kept DEFAULT VALUES')

  before(async () => {
    data_dir = await mkdtemp(join(tmpdir(), 'svc-embedded-'))
    // As root the folder must be accessible to the PostgreSQL user; mkdtemp makes it private.
    await chmod(data_dir, 0o755)
  })
  after(async () => {
    await server?.stop()
    await rm(data_dir, { recursive: true, force: true })
  })

  test('starts on an empty folder with a private password and on 127.0.0.1 only', async () => {
    server = await start()
    assert.equal(server.takeover, false)
    assert.equal((await stat(join(data_dir, 'postgres-password'))).mode & 0o777, 0o600)
    assert.equal(await ask(server.url, "SELECT current_setting('listen_addresses') AS answer"), '127.0.0.1')
    assert.equal(await ask(server.url, "SELECT current_setting('unix_socket_directories') AS answer"), '')
    assert.equal(await ask(server.url, "SELECT current_setting('fsync') AS answer"), 'on')
    assert.equal(await ask(server.url, "SELECT current_setting('synchronous_commit') AS answer"), 'on')
    assert.equal(await ask(server.url, 'SELECT current_database() AS answer'), 'svc')
    await assert.rejects(
      connect(server.url.replace(/:[0-9a-f]+@/, ':wrong@')),
      /password authentication failed/,
    )
    await ask(server.url, 'CREATE TABLE kept (at timestamptz DEFAULT now())')
    await keep()
  })

  test('is taken over by a second starter while it runs', async () => {
    const again = await start()
    assert.deepEqual([again.takeover, again.pid, again.url], [true, server.pid, server.url])
    assert.equal(await embeddedUrl(data_dir), server.url)
  })

  test('restarts after a stop, on the same port, with its data', async () => {
    await server.stop()
    assert.equal(await inspectProcess(server.pid), undefined)
    assert.equal(await embeddedUrl(data_dir), undefined)
    assert.equal(await embeddedUrl(join(data_dir, 'missing')), undefined)
    const { port } = server
    server = await start()
    assert.deepEqual([server.takeover, server.port, await countRows()], [false, port, 1])
  })

  test('uses another port when its last one is in use', async () => {
    await server.stop()
    const other = await listen(server.port)
    try {
      const { port } = server
      server = await start()
      assert.notEqual(server.port, port)
      assert.equal(await countRows(), 1)
    } finally {
      other.close()
    }
  })

  test('survives kill -9 of the process that started it, and is taken over', async () => {
    await server.stop()
    const starter = await startInAnotherProcess(data_dir)
    starter.kill('SIGKILL')
    await eventually(async () => assert.equal(await inspectProcess(starter.pid), undefined))
    server = await start()
    assert.deepEqual([server.takeover, server.pid, await countRows()], [true, starter.server_pid, 1])
  })

  test('recovers after kill -9 of the server', async () => {
    await keep()
    process.kill(server.pid, 'SIGKILL')
    const dead = server.pid
    server = await start()
    assert.equal(server.takeover, false)
    assert.notEqual(server.pid, dead)
    assert.equal(await countRows(), 2)
  })

  test('recovers after kill -9 of both the starter and the server', async () => {
    await server.stop()
    const starter = await startInAnotherProcess(data_dir)
    starter.kill('SIGKILL')
    process.kill(starter.server_pid, 'SIGKILL')
    server = await start()
    assert.deepEqual([server.takeover, await countRows()], [false, 2])
  })

  test('waits for the busy backends of a killed server', async () => {
    const client = await connect(server.url)
    // The backend reads from a pipe, so it outlives its server until the pipe is written to.
    const pipe = join(data_dir, 'pipe')
    await promisify(execFile)('mkfifo', ['-m', '666', pipe])
    await client.query('CREATE TEMPORARY TABLE line (text text)')
    const busy = client.query(`COPY line FROM PROGRAM 'cat ${pipe}'`).catch(() => undefined)
    const active =
      "SELECT count(*)::int AS answer FROM pg_stat_activity WHERE query LIKE 'COPY line%' AND state = 'active'"
    await eventually(async () => assert.equal(await ask(server.url, active), 1))
    process.kill(server.pid, 'SIGKILL')
    const logged = () => readFile(join(data_dir, 'postgres.log'), 'utf8')
    const { length } = await logged()
    const starting = start()
    await eventually(async () =>
      assert.match((await logged()).slice(length), /pre-existing shared memory block/),
    )
    await writeFile(pipe, '')
    server = await starting
    assert.equal(await countRows(), 2)
    await busy
    await client.end()
  })

  test('ends the query of a client that went away', async () => {
    const client = await connect(server.url)
    const cut = assert.rejects(client.query('SELECT pg_sleep(600)'))
    const asleep = `SELECT count(*)::int AS answer FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(600)'`
    await eventually(async () => assert.equal(await ask(server.url, asleep), 1))
    await client.end()
    await cut
    await eventually(async () => assert.equal(await ask(server.url, asleep), 0))
  })

  test('ignores a pid file that names another process', async () => {
    const pid_file = await ask<string>(
      server.url,
      "SELECT current_setting('data_directory') || '/postmaster.pid' AS answer",
    )
    const noted = await readFile(pid_file ?? '', 'utf8')
    await server.stop()
    // This test's own process is alive, and is not that server.
    await writeFile(pid_file ?? '', noted.replace(/^\d+/, String(process.pid)))
    server = await start()
    assert.deepEqual([server.takeover, await countRows()], [false, 2])
    await server.stop()
    await writeFile(pid_file ?? '', '')
    server = await start()
    assert.deepEqual([server.takeover, await countRows()], [false, 2])
  })

  test('reports a server that runs but does not answer', async () => {
    process.kill(server.pid, 'SIGSTOP')
    try {
      await assert.rejects(start(300), new RegExp(`process ${server.pid} .* has not answered for 0.3 s`))
    } finally {
      process.kill(server.pid, 'SIGCONT')
    }
    assert.equal((await start()).takeover, true)
  })

  test('is started once by many concurrent starters', async () => {
    await server.stop()
    const all = await Promise.all(Array.from({ length: 3 }, () => startInAnotherProcess(data_dir)))
    for (const starter of all) starter.kill('SIGKILL')
    assert.equal(new Set(all.map((starter) => starter.server_pid)).size, 1)
    assert.equal(all.filter((starter) => !starter.takeover).length, 1)
    server = await start()
    assert.deepEqual([server.takeover, server.pid], [true, all[0]?.server_pid])
  })

  test('refuses a password file of another owner, and a lost one', async () => {
    const file = join(data_dir, 'postgres-password')
    const right = await readFile(file, 'utf8')
    await writeFile(file, 'wrong')
    await assert.rejects(start(), /does not accept the password of .*postgres-password/)
    await rm(file)
    await assert.rejects(start(), /its password file .* is not; put the file back/)
    await writeFile(file, right, { mode: 0o600 })
    assert.equal((await start()).takeover, true)
  })
})

test('as root, a private data folder is stored where PostgreSQL can reach it', {
  skip: !is_root,
}, async () => {
  const data_dir = await mkdtemp(join(tmpdir(), 'svc-embedded-'))
  const elsewhere = join('/var/lib/svc/data', sha256Hex(data_dir).slice(0, 16))
  const options = { data_dir, log: quiet, durable: false }
  let server = await startEmbeddedPostgres(options)
  try {
    const directory = await ask(server.url, "SELECT current_setting('data_directory') AS answer")
    assert.equal(directory, join(elsewhere, 'data'))
    await ask(server.url, 'CREATE TABLE kept ()')
    // Removing the folder starts over, although the files are elsewhere.
    await rm(data_dir, { recursive: true })
    const first = server.pid
    server = await startEmbeddedPostgres(options)
    assert.equal(await inspectProcess(first), undefined)
    assert.equal(await ask(server.url, "SELECT to_regclass('kept')::text AS answer"), null)
    assert.ok(await stat(`${elsewhere}.old`))
  } finally {
    await server.stop()
    for (const path of [data_dir, elsewhere, `${elsewhere}.old`])
      await rm(path, { recursive: true, force: true })
  }
})

test('as root, external files of a removed temporary folder are deleted after an hour, with their server', {
  skip: !is_root,
}, async () => {
  const [gone, next] = await Promise.all([1, 2].map(() => mkdtemp(join(tmpdir(), 'svc-embedded-'))))
  const placeOf = (data_dir: string) => join('/var/lib/svc/data', sha256Hex(data_dir).slice(0, 16))
  const left = await startEmbeddedPostgres({ data_dir: gone!, log: quiet, durable: false })
  await rm(gone!, { recursive: true })
  await utimes(join(placeOf(gone!), 'data-folder'), 0, 0)
  const server = await startEmbeddedPostgres({ data_dir: next!, log: quiet, durable: false })
  try {
    await assert.rejects(stat(placeOf(gone!)), { code: 'ENOENT' })
    assert.equal(await inspectProcess(left.pid), undefined)
    assert.ok(await stat(placeOf(next!)))
  } finally {
    await server.stop()
    for (const path of [next!, placeOf(next!)]) await rm(path, { recursive: true, force: true })
  }
})

test('a starter killed at any step does not block the next one', async () => {
  const data_dir = await mkdtemp(join(tmpdir(), 'svc-embedded-'))
  await chmod(data_dir, 0o755)
  const home = join(data_dir, 'postgres')
  const appears = (name: RegExp, folder: string) => async () =>
    (await readdir(folder).catch(() => [])).some((entry) => name.test(entry))
  const steps = [
    appears(/^data\.partial-/, home),
    appears(/^data$/, home),
    appears(/^postmaster\.pid$/, join(home, 'data')),
  ]
  let server: EmbeddedPostgres | undefined
  try {
    for (const reached of steps) {
      const starter = spawnStarter(data_dir)
      await eventually(async () => assert.ok(await reached()))
      starter.kill('SIGKILL')
    }
    server = await startEmbeddedPostgres({ data_dir, log: quiet })
    assert.equal(await ask(server.url, 'SELECT 1 AS answer'), 1)
  } finally {
    await server?.stop()
    await rm(data_dir, { recursive: true, force: true })
  }
})

async function listen(port: number): Promise<{ close(): void }> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return server
}

interface Starter {
  readonly pid: number
  readonly server_pid: number
  readonly takeover: boolean
  kill(signal: NodeJS.Signals): boolean
}

function spawnStarter(data_dir: string) {
  const script = `
    import { startEmbeddedPostgres } from ${JSON.stringify(new URL('./embedded-postgres.ts', import.meta.url).href)}
    const log = { debug() {}, info() {}, warn() {}, error() {} }
    const server = await startEmbeddedPostgres({ data_dir: ${JSON.stringify(data_dir)}, log })
    console.log(JSON.stringify({ server_pid: server.pid, takeover: server.takeover }))
    setInterval(() => {}, 1000)`
  const options = ['--input-type=module', '--eval', script]
  return spawn(process.execPath, options, { stdio: ['ignore', 'pipe', 'inherit'] })
}

async function startInAnotherProcess(data_dir: string): Promise<Starter> {
  const child = spawnStarter(data_dir)
  for await (const chunk of child.stdout) {
    const facts = JSON.parse(String(chunk)) as { server_pid: number; takeover: boolean }
    return { ...facts, pid: child.pid ?? 0, kill: (signal) => child.kill(signal) }
  }
  throw new Error('the other process ended before it had started the server')
}
