// A bundled node in its own process, as an operator would run it.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

const root = join(import.meta.dirname, '../..')
const start_ms_max = 180_000

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
    const timer = setTimeout(() => {
      child.kill('SIGKILL')
      reject(new Error(`svc-engine node said nothing within ${start_ms_max} ms: ${stderr}`))
    }, start_ms_max)
    exited.then((code) => reject(new Error(`svc-engine node ended with ${code}: ${stderr}`)))
    createInterface({ input: child.stdout }).once('line', (line) => {
      clearTimeout(timer)
      resolve(line)
    })
  })
  const { listening } = JSON.parse(await first_line)
  return {
    url: listening,
    stop(signal = 'SIGTERM') {
      child.kill(signal)
      return exited
    },
  }
}
