// What the operating system knows about a process that this one did not start, or no longer remembers.
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { system_clock } from '../clock/system.ts'

const poll_ms = 20
const ps_timeout_ms = 5_000

export interface ProcessFacts {
  readonly arguments: readonly string[]
  /** Distinguishes a process from a later one with the same pid. */
  readonly started: string
}

/** Undefined if there is no such process, or only its zombie. */
export async function inspectProcess(pid: number): Promise<ProcessFacts | undefined> {
  if (!Number.isInteger(pid) || pid <= 0) return undefined
  return process.platform === 'linux' ? await inspectProc(pid) : await inspectByPs(pid)
}

async function inspectProc(pid: number): Promise<ProcessFacts | undefined> {
  try {
    const [stat, cmdline] = await Promise.all([
      readFile(`/proc/${pid}/stat`, 'utf8'),
      readFile(`/proc/${pid}/cmdline`, 'utf8'),
    ])
    // The command's name may contain spaces and brackets, so fields are counted after it.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    if (fields[0] === 'Z' || fields[0] === 'X') return undefined
    return { arguments: cmdline.split('\0').filter(Boolean), started: fields[19] ?? '' }
  } catch {
    return undefined
  }
}

async function inspectByPs(pid: number): Promise<ProcessFacts | undefined> {
  const ask = ['-o', 'stat=,lstart=,command=', '-p', String(pid)]
  const { stdout } = await promisify(execFile)('ps', ask, { timeout: ps_timeout_ms }).catch(() => ({
    stdout: '',
  }))
  const [state = '', ...rest] = stdout.trim().split(/\s+/)
  if (state === '' || state.startsWith('Z')) return undefined
  return { arguments: rest.slice(5), started: rest.slice(0, 5).join(' ') }
}

/** Waits until a process is gone; false if it is still there when the time is up. */
export async function waitForExit(pid: number, wait_ms_max: number): Promise<boolean> {
  return await waitUntil(async () => (await inspectProcess(pid)) === undefined, wait_ms_max)
}

async function waitUntil(holds: () => Promise<boolean>, wait_ms_max: number): Promise<boolean> {
  const deadline = system_clock.monotonic_ms() + wait_ms_max
  while (!(await holds())) {
    if (system_clock.monotonic_ms() >= deadline) return false
    await sleep(poll_ms)
  }
  return true
}
