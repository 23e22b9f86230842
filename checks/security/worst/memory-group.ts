// A memory cgroup of the chart's size: whatever needs more is killed, as it would be in a cluster.
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '../../suite/eventually.ts'

const root = join(import.meta.dirname, '../../..')
const first_version = '/sys/fs/cgroup/memory'
const second_version = '/sys/fs/cgroup'

export interface MemoryGroup {
  readonly bytes_max: number
  add(pid: number): void
  close(): Promise<void>
}

/** The chart's memory limit for an engine. */
export function chartMemory(): number {
  const values = readFileSync(join(root, 'deploy/helm/svc/values.yaml'), 'utf8')
  const gib = /limits: \{ memory: (\d+)Gi/.exec(values)?.[1]
  if (gib === undefined) throw new Error('deploy/helm/svc/values.yaml names no memory limit in Gi')
  return Number(gib) * 1024 ** 3
}

/** Or why none can be created here. */
export function openMemoryGroup(name: string, bytes_max: number): MemoryGroup | string {
  const is_first = existsSync(join(first_version, 'memory.limit_in_bytes'))
  const folder = join(is_first ? first_version : second_version, name)
  try {
    mkdirSync(folder)
    writeFileSync(join(folder, is_first ? 'memory.limit_in_bytes' : 'memory.max'), String(bytes_max))
  } catch (error) {
    return `no memory cgroup can be made here: ${(error as Error).message}`
  }
  return {
    bytes_max,
    add: (pid) => writeFileSync(join(folder, 'cgroup.procs'), String(pid)),
    // The last of its processes may have ended only just now.
    close: () => eventually(() => rmdirSync(folder)),
  }
}
