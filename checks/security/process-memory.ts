// Reads the memory of another process, as root or the same user may.
import { closeSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs'

const region_bytes_max = 64 * 1024 * 1024
const total_bytes_max = 1024 * 1024 * 1024

/** Descendants of this process, at any depth. */
export function childrenOf(pid: number): number[] {
  const parents = new Map<number, number[]>()
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue
    const parent = parentOf(Number(name))
    if (parent !== undefined) parents.set(parent, [...(parents.get(parent) ?? []), Number(name)])
  }
  const addresses: number[] = []
  for (const queue = [...(parents.get(pid) ?? [])]; queue.length; ) {
    const next = queue.shift()!
    addresses.push(next)
    queue.push(...(parents.get(next) ?? []))
  }
  return addresses
}

function parentOf(pid: number): number | undefined {
  try {
    return Number(/^PPid:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])
  } catch {
    return undefined
  }
}

/** Empty if there is no such process, or it is a zombie. */
export function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}

export function rssOf(pid: number): number {
  return Number(/^VmRSS:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) * 1024
}

/** Every readable byte of its anonymous regions, region by region. */
export function* memoryOf(pid: number): Generator<Buffer> {
  const mem = openSync(`/proc/${pid}/mem`, 'r')
  let left = total_bytes_max
  try {
    for (const line of readFileSync(`/proc/${pid}/maps`, 'utf8').split('\n')) {
      const [, from, to, mode, inode] = /^(\w+)-(\w+) (\S+) \S+ \S+ (\d+)/.exec(line) ?? []
      if (!from || !mode?.startsWith('r') || inode !== '0' || line.includes('[v')) continue
      const start = BigInt(`0x${from}`)
      const bytes = regionOf(mem, start, Math.min(Number(BigInt(`0x${to}`) - start), region_bytes_max, left))
      left -= bytes.length
      yield bytes
      if (left <= 0) return
    }
  } finally {
    closeSync(mem)
  }
}

function regionOf(mem: number, start: bigint, length: number): Buffer {
  const bytes = Buffer.alloc(length)
  try {
    return bytes.subarray(0, readSync(mem, bytes, 0, length, start))
  } catch {
    // Mapped, but without content.
    return bytes.subarray(0, 0)
  }
}
