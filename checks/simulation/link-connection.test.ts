import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SimulationDatabase } from './database.ts'
import { LinkConnection } from './link-connection.ts'
import { World } from './world.ts'

const greeting = Buffer.from('\0\0\0\x12\0\x03\0\0user\0svc\0\0')

/** Names of the users whose sessions were started, in order. */
function open() {
  const started: (string | undefined)[] = []
  const world = new World(1, {} as SimulationDatabase)
  const server = {
    link: () => ({ is_partitioned: false }),
    startUp: async (_: LinkConnection, parameters: ReadonlyMap<string, string>) =>
      void started.push(parameters.get('user')),
    execute: async () => {},
    leave() {},
  }
  return { world, started, connection: new LinkConnection(server, world.start('engine'), 1) }
}

test('a client that left before its session started gets none', async () => {
  const { world, started, connection } = open()
  connection.write(greeting)
  connection.destroy()
  await world.run(10)
  assert.deepEqual(started, [])
})

test('a client that still waits gets its session', async () => {
  const { world, started, connection } = open()
  connection.write(greeting)
  await world.run(10)
  assert.deepEqual(started, ['svc'])
})
