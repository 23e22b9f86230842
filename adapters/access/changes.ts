// Changes by other replicas, notified by the database on commit. While we cannot listen, no cache is trusted.
import type { Log } from '@svc/engine/ports'
import { Client } from 'pg'
import { changes_channel } from './api-keys.ts'

const reconnect_ms = 500

export interface ChangeListener {
  close(): Promise<void>
}

/** `onChange` gets `<kind>:<id>`; `onGap` says that changes may have been missed. */
export async function listenForChanges(
  url: string,
  onChange: (kind: string, id: string) => void,
  onGap: () => void,
  log: Log,
): Promise<ChangeListener> {
  let closed = false
  let client: Client | undefined
  let timer: NodeJS.Timeout | undefined
  const connect = async () => {
    const fresh = new Client({
      connectionString: url,
      application_name: 'svc changes',
      keepAlive: true,
      connectionTimeoutMillis: 3000,
    })
    fresh.on('notification', ({ payload = '' }) => {
      const colon = payload.indexOf(':')
      onChange(payload.slice(0, colon), payload.slice(colon + 1))
    })
    fresh.on('error', (error) => log.warn({ err: error }, 'lost the change feed; reconnecting'))
    fresh.on('end', () => again())
    await fresh.connect()
    client = fresh
    await fresh.query(`LISTEN ${changes_channel}`)
    onGap()
    // It was closed while connecting: nobody else would end this connection.
    if (closed) await fresh.end()
  }
  const again = () => {
    if (closed || timer) return
    onGap()
    timer = setTimeout(() => {
      timer = undefined
      connect().catch(() => again())
    }, reconnect_ms)
  }
  await connect()
  return {
    async close() {
      closed = true
      clearTimeout(timer)
      await client?.end().catch(() => undefined)
    },
  }
}
