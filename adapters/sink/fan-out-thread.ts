// Entry of the fan-out's thread: writing to a broker takes no time from the calls.
import { parentPort, workerData } from 'node:worker_threads'
import type { Log } from '@svc/engine/ports'
import { system_clock } from '../clock/system.ts'
import { openPageStore } from '../log-archive/open-page-store.ts'
import { CachedArchive } from '../log-archive/page-archive.ts'
import type { FanOutConfig, FromFanOut, ToFanOut } from './fan-out-link.ts'
import { openFanOutPool } from './fan-out-pool.ts'
import { Forwarder } from './forwarder.ts'
import { openKafka } from './kafka.ts'

const port = parentPort
if (!port) throw new Error('fan-out-thread.ts runs as a worker thread')
const { db_url, kafka, archive } = workerData as FanOutConfig
const post = (message: FromFanOut) => port.postMessage(message)

const say = (level: keyof Log) => (details: object, message: string) => {
  // An error of a library may hold what cannot be cloned; its stack can.
  const { err, ...rest } = details as { err?: Error }
  post({ kind: 'log', level, details: { ...rest, ...(err && { cause: err.stack }) }, message })
}
const log: Log = { debug: say('debug'), info: say('info'), warn: say('warn'), error: say('error') }
const db = openFanOutPool(db_url, log)
const onLag = (lag: number) => post({ kind: 'lag', lag })
const outlet = openKafka(kafka)
const page_archive = archive && new CachedArchive({ pages: openPageStore(archive, system_clock), log })
const options = { db, topic: kafka.topic, outlet, page_archive, clock: system_clock, log, onLag }
const forwarder = new Forwarder(options)

port.on('message', async (message: ToFanOut) => {
  if (message.kind === 'wake') return forwarder.wake()
  await forwarder.close()
  await db.end()
  port.close()
})
