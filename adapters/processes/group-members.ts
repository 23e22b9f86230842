// The living members of a process group, according to the operating system.
import { readdir, readFile } from 'node:fs/promises'

const processes_max = 100_000

/** Pids of members that still run, without zombies. Undefined if the system has no /proc. */
export async function groupMembers(pgid: number): Promise<number[] | undefined> {
  const entries = await readdir('/proc').catch(() => undefined)
  if (!entries) return undefined
  const members: number[] = []
  for (const entry of entries.slice(0, processes_max)) {
    if (!/^\d+$/.test(entry)) continue
    const stat = await readFile(`/proc/${entry}/stat`, 'utf8').catch(() => '')
    // The command's name may contain spaces and brackets, so fields are counted after it.
    const [state, , group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    if (Number(group) === pgid && state !== 'Z' && state !== 'X') members.push(Number(entry))
  }
  return members
}
