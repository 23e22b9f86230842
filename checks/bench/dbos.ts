// DBOS beside our workflows: installed only when this bench runs, and given a database on the same server.
import { execFileSync, fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { emptyTestDatabase } from '../rehearsal/test-database.ts'
import type { Order } from './dbos-workflows.ts'

const version = '5.3.0'
const folder = join(import.meta.dirname, `../../node_modules/.cache/svc-bench-dbos-${version}`)
const quietly = ['--no-save', '--no-audit', '--no-fund', '--loglevel=error']
const install_ms_max = 300_000

export interface DbosEngine {
  readonly pid: number
  readonly db_url: string
  /** How long they took, in ms. */
  run(order: Order): Promise<number>
  stop(): Promise<void>
}

/** Undefined, with the reason printed, where the npm registry does not give it. */
export async function startDbos(): Promise<DbosEngine | undefined> {
  try {
    install()
  } catch (error) {
    console.log(`DBOS could not be installed, so it is not compared: ${(error as Error).message}`)
    return undefined
  }
  const database = await emptyTestDatabase()
  const child = fork(join(import.meta.dirname, 'dbos-workflows.ts'), [folder, database.url])
  const answer = async () => {
    const [message] = await Promise.race([
      once(child, 'message'),
      once(child, 'exit').then(([code]) => Promise.reject(new Error(`DBOS ended with ${code}`))),
    ])
    return (message as { ms: number }).ms
  }
  await answer()
  return {
    pid: child.pid!,
    db_url: database.url,
    run(order) {
      const done = answer()
      child.send(order)
      return done
    },
    async stop() {
      child.disconnect()
      await once(child, 'exit')
      await database.close()
    },
  }
}

function install(): void {
  if (existsSync(join(folder, 'node_modules/@dbos-inc/dbos-sdk/package.json'))) return
  mkdirSync(folder, { recursive: true })
  const args = ['install', '--prefix', folder, ...quietly, `@dbos-inc/dbos-sdk@${version}`]
  execFileSync('npm', args, { timeout: install_ms_max, stdio: ['ignore', 'ignore', 'pipe'] })
}
