// Changes by other replicas, notified by the database on commit. While we cannot listen, no cache is trusted.
import { requirePrimary } from '@svc/database/server-check'
import type { Log } from '@svc/engine/ports'
import { Client } from 'pg'
import { changes_channel } from './api-keys.ts'

const reconnect_ms = 500
/** A server or a network that fell silent closes nothing: without asking, caches would be trusted for hours. */
const beat_ms_default = 5_000
const connect_ms_max = 3_000
export const change_connections_max = 1

export interface ChangeListener {
  close(): Promise<void>
}

/** `onChange` gets `<kind>:<id>`; `onGap` says that changes may have been missed. */
export async function listenForChanges(
  url: string,
  onChange: (kind: string, id: string) => void,
  onGap: () => void,
  log: Log,
  beat_ms = beat_ms_default,
): Promise<ChangeListener> {
  let closed = false
  let client: Client | undefined
  let timer: NodeJS.Timeout | undefined
  const connect = async () => {
    const fresh = await listen(url, onChange, log)
    client = fresh
    fresh.on('end', () => {
      if (client === fresh) again()
    })
    onGap()
    // It was closed while connecting: nobody else would end this connection.
    if (closed) await fresh.end()
  }
  const beating = setInterval(() => {
    const current = client
    if (!current) return
    requirePrimary(current).catch((error) => {
      if (closed || client !== current) return
      log.warn({ err: error }, 'the change feed does not answer; reconnecting')
      again()
      drop(current)
    })
  }, beat_ms).unref()
  const again = () => {
    if (closed || timer) return
    client = undefined
    onGap()
    timer = setTimeout(() => {
      timer = undefined
      connect().catch(() => again())
    }, reconnect_ms)
  }
  await connect().catch((error) => {
    closed = true
    clearInterval(beating)
    clearTimeout(timer)
    throw error
  })
  return {
    async close() {
      closed = true
      clearTimeout(timer)
      clearInterval(beating)
      await client?.end().catch(() => undefined)
    },
  }
}

async function listen(url: string, onChange: (kind: string, id: string) => void, log: Log): Promise<Client> {
  const client = new Client({
    connectionString: url,
    application_name: 'svc changes',
    keepAlive: true,
    connectionTimeoutMillis: connect_ms_max,
    query_timeout: connect_ms_max,
  })
  client.on('notification', ({ payload = '' }) => {
    const colon = payload.indexOf(':')
    onChange(payload.slice(0, colon), payload.slice(colon + 1))
  })
  client.on('error', (error) => log.warn({ err: error }, 'lost the change feed; reconnecting'))
  try {
    await client.connect()
    await requirePrimary(client)
    await client.query(`LISTEN ${changes_channel}`)
    return client
  } catch (error) {
    drop(client)
    throw error
  }
}

/** Without a word to the server, which may not be there to take it. */
function drop(client: Client): void {
  client.connection.stream.destroy()
}
