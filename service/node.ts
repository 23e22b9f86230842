// svc-engine node: runs one bundled node as a separate program, for engines that are configured with its address.
import type { RequestListener, ServerOptions } from 'node:http'
import { join, resolve } from 'node:path'
import { system_clock } from '@svc/adapters/clock/system'
import { embeddedUrl } from '@svc/adapters/store/embedded-postgres'
import { openStore } from '@svc/adapters/store/postgres'
import { closest } from '@svc/contract/closest'
import { createListener } from '@svc/gateway/listener'
import { serveNode } from '@svc/nodes/node-server'
import type { Closing } from './assembly/host.ts'
import { openLog } from './assembly/log.ts'
import { migrateStore } from './assembly/migrate-store.ts'
import { bundled_nodes } from './assembly/nodes.ts'
import { portTaken, readLogLevel } from './settings/config.ts'
import { ConfigError } from './settings/config-error.ts'
import { databaseUrl } from './settings/database-url.ts'
import { OwnTls } from './settings/own-tls.ts'
import { type Environment, reader } from './settings/reader.ts'
import { stopOnSignals } from './workers/signals.ts'

export interface NodeOptions {
  readonly name: string | undefined
  readonly port?: number
  readonly data_dir: string
}

export async function runNode({ name, port, data_dir }: NodeOptions, env: Environment): Promise<void> {
  const open = chooseNode(name)
  const read = reader(env, 'node')
  const engines = new Set(read('SVC_TRUSTED_ENGINES'))
  if (engines.size === 0)
    throw new ConfigError('svc-engine node needs SVC_TRUSTED_ENGINES: the DIDs of the engines it answers.')
  const [host, bound_port] = read('APP_BIND_ADDR')
  const url = databaseUrl(read) ?? (await embeddedUrl(join(resolve(data_dir), 'postgres')))
  if (!url)
    throw new ConfigError('No database: set SVC_DB_URL, or start svc-engine up and pass its --data-dir.')
  const tls = OwnTls.of(read)
  const log = openLog(readLogLevel(read))
  const closing: Closing = []
  tls.follow(log, closing)
  const { listener } = tls
  await migrateStore(url)
  const store = await openStore({ url, log })
  const options = {
    host,
    port: port ?? bound_port,
    now_ms: system_clock.now_ms,
    isTrusted: (did: string) => engines.has(did),
    ...(listener && {
      listener: (limits: ServerOptions, handle: RequestListener) => createListener(limits, handle, listener),
    }),
  }
  const definition = open(store.engine, system_clock)
  const node = await serveNode(definition, options).catch(async (error) => {
    await store.close()
    throw portTaken(error, options.port)
  })
  process.on('SIGHUP', () => tls.renew())
  stopOnSignals(async () => {
    await node.close()
    for (const close of closing) await close()
    await store.close()
  })
  console.log(JSON.stringify({ protocol: definition.protocol, listening: node.url }))
}

function chooseNode(name: string | undefined) {
  const names = Object.keys(bundled_nodes)
  if (name !== undefined && Object.hasOwn(bundled_nodes, name)) return bundled_nodes[name]!
  if (name === undefined) throw new ConfigError(`Name the node to run: svc-engine node ${names.join('|')}`)
  const hint = closest(name, names)
  throw new ConfigError(
    `There is no node ${name}. ${hint ? `Did you mean ${hint}?` : `There are ${names.join(', ')}.`}`,
  )
}
