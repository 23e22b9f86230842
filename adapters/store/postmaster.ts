// The server process of a database folder, according to its pid file and the operating system.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { inspectProcess, waitForExit } from './os-process.ts'

const fast_shutdown_ms_max = 20_000
const immediate_shutdown_ms_max = 10_000

export interface Noted {
  readonly pid: number
  /** 0 until the server has noted it. */
  readonly port: number
}

export function pidFileOf(pgdata: string): string {
  return join(pgdata, 'postmaster.pid')
}

/** What the last server of this folder noted, running or not. */
export async function readPidFile(pgdata: string): Promise<Noted | undefined> {
  const lines = (await readFile(pidFileOf(pgdata), 'utf8').catch(() => undefined))?.split('\n')
  return lines && { pid: Number(lines[0]), port: Number(lines[3] ?? 0) }
}

/** False for a dead process, a zombie, and another process with the same pid. */
export async function isPostmasterOf(pgdata: string, pid: number): Promise<boolean> {
  const process_facts = await inspectProcess(pid)
  return (
    process_facts !== undefined &&
    process_facts.arguments[1] === '-D' &&
    process_facts.arguments[2] === pgdata
  )
}

/** Fast shutdown, then an immediate one for a server that hangs: its next start recovers from the log. */
export async function stopPostmaster(pgdata: string, pid: number): Promise<void> {
  for (const [signal, wait_ms_max] of [
    ['SIGINT', fast_shutdown_ms_max],
    ['SIGQUIT', immediate_shutdown_ms_max],
  ] as const) {
    // Checked again before each signal: the pid may belong to another process by now.
    if (!(await isPostmasterOf(pgdata, pid))) return
    process.kill(pid, signal)
    if (await waitForExit(pid, wait_ms_max)) return
  }
  throw new Error(`PostgreSQL process ${pid} on ${pgdata} did not stop when told to; end it by hand.`)
}
