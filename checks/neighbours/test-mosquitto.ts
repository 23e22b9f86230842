// A real broker for the test: on a free port, its files in a temporary folder.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { freePorts } from '../engines/running-engine.ts'
import { until } from '../suite/eventually.ts'
import { findOrInstall } from '../suite/install.ts'

const program = {
  name: 'mosquitto',
  places: ['/usr/sbin/mosquitto', '/usr/local/sbin/mosquitto', '/opt/homebrew/sbin/mosquitto'],
  package: 'mosquitto',
  variable: 'SVC_TEST_MOSQUITTO',
}

export interface TestMosquitto {
  readonly url: string
  /** Kills it: `start` brings it back on the same port. */
  kill(): Promise<void>
  start(): Promise<void>
  close(): Promise<void>
}

export async function startMosquitto(more: readonly string[] = []): Promise<TestMosquitto> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-mosquitto-'))
  const port = await freePorts()
  const settings = join(folder, 'mosquitto.conf')
  // Without `user` it would switch from root to a user that cannot read this folder.
  const lines = [`listener ${port} 127.0.0.1`, 'allow_anonymous true', `user ${userInfo().username}`, ...more]
  writeFileSync(settings, `${lines.join('\n')}\n`)
  let child = await launch(settings, port)
  const kill = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  return {
    url: `mqtt://127.0.0.1:${port}`,
    kill,
    async start() {
      child = await launch(settings, port)
    },
    async close() {
      await kill()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function launch(settings: string, port: number): Promise<ChildProcess> {
  const child = spawn(findOrInstall(program), ['-c', settings], { stdio: 'ignore' })
  await until('mosquitto listens', async () => child.exitCode !== null || (await isListening(port)))
  if (child.exitCode !== null) throw new Error(`mosquitto ended with ${child.exitCode}`)
  return child
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}
