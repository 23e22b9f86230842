// A bundled node in its own process, as an operator would run it.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { arrives } from '../suite/eventually.ts'

const root = join(import.meta.dirname, '../..')

export interface NodeProcess {
  readonly url: string
  stop(signal?: NodeJS.Signals): Promise<number | null>
}

export interface NodeProcessOptions {
  readonly port: number
  readonly db_url: string
  readonly engine_did: string
}

export async function startNodeProcess(name: string, options: NodeProcessOptions): Promise<NodeProcess> {
  const { port, db_url, engine_did } = options
  const args = [join(root, 'service/main.ts'), 'node', name, '--port', String(port)]
  const env = { ...process.env, SVC_DB_URL: db_url, SVC_TRUSTED_ENGINES: engine_did }
  const child = spawn(process.execPath, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let stderr = ''
  child.stderr.on('data', (chunk) => {
    stderr = (stderr + chunk).slice(-20_000)
  })
  const exited = new Promise<number | null>((resolve) => child.on('exit', (code) => resolve(code)))
  const first_line = new Promise<string>((resolve, reject) => {
    exited.then((code) => reject(new Error(`svc-engine node ended with ${code}: ${stderr}`)))
    createInterface({ input: child.stdout }).once('line', resolve)
  })
  const line = await arrives('the first line of svc-engine node', first_line).catch((error) => {
    child.kill('SIGKILL')
    throw error
  })
  const { listening } = JSON.parse(line)
  return {
    url: listening,
    stop(signal = 'SIGTERM') {
      child.kill(signal)
      return exited
    },
  }
}
