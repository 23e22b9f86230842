// Lets one process at a time start the server of a folder. The lock of a killed process is detected and ignored.
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { system_clock } from '../clock/system.ts'
import { inspectProcess } from './os-process.ts'

const wait_ms_max = 120_000
const poll_ms = 25

/** Runs `work` while no other process does the same under this path. */
export async function withStartLock<T>(path: string, work: () => Promise<T>): Promise<T> {
  const mine = `${path}.${system_clock.uuid()}`
  const started = (await inspectProcess(process.pid))?.started ?? ''
  await writeFile(mine, `${process.pid} ${started}`, { mode: 0o600 })
  try {
    await take(path, mine)
    try {
      return await work()
    } finally {
      await rm(path, { force: true })
    }
  } finally {
    await rm(mine, { force: true })
  }
}

async function take(path: string, mine: string): Promise<void> {
  const deadline = system_clock.monotonic_ms() + wait_ms_max
  for (;;) {
    // A hard link appears with its content or not at all, so nobody reads half a lock.
    const taken = await link(mine, path).then(
      () => true,
      (error: NodeJS.ErrnoException) => {
        if (error.code === 'EEXIST') return false
        throw error
      },
    )
    if (taken) return
    const holder = await readFile(path, 'utf8').catch(() => undefined)
    if (holder !== undefined && !(await isHeld(holder))) await discard(path, mine, holder)
    else if (system_clock.monotonic_ms() >= deadline) {
      throw new Error(
        `Process ${holder?.split(' ')[0]} has been starting the database of ${path} for ${wait_ms_max / 1000} s; ` +
          'end it or wait for it, then try again.',
      )
    } else await sleep(poll_ms)
  }
}

async function isHeld(holder: string): Promise<boolean> {
  const space = holder.indexOf(' ')
  const process_facts = await inspectProcess(Number(holder.slice(0, space)))
  return process_facts !== undefined && process_facts.started === holder.slice(space + 1)
}

/** Two may find the same dead holder; one that moved a living holder's lock by mistake puts it back. */
async function discard(path: string, mine: string, dead: string): Promise<void> {
  const aside = `${mine}.stale`
  try {
    await rename(path, aside)
  } catch {
    return
  }
  if ((await readFile(aside, 'utf8')) !== dead) await link(aside, path).catch(() => {})
  await rm(aside, { force: true })
}
