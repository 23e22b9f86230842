// Who is alive in a process group, as the operating system tells it.
import { readdir, readFile } from 'node:fs/promises'

const processes_max = 100_000

/** Pids of members that still run; of zombies only the names are left. Undefined where the system has no /proc to ask. */
export async function groupMembers(pgid: number): Promise<number[] | undefined> {
  const entries = await readdir('/proc').catch(() => undefined)
  if (!entries) return undefined
  const members: number[] = []
  for (const entry of entries.slice(0, processes_max)) {
    if (!/^\d+$/.test(entry)) continue
    const stat = await readFile(`/proc/${entry}/stat`, 'utf8').catch(() => '')
    // The command's own name may hold spaces and brackets, so fields are counted from behind it.
    const [state, , group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    if (Number(group) === pgid && state !== 'Z' && state !== 'X') members.push(Number(entry))
  }
  return members
}
