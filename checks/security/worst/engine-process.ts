// The engine whose requests are measured, in a process of its own: what its main thread used, and the most memory it held.
import { readFileSync, writeFileSync } from 'node:fs'
import { startInProcess } from '../../engines/in-process.ts'

/** Asked before and after a request: `rest` gives back what can be given back first. */
export type Question = 'rest' | 'look'

export interface Usage {
  /** Of the main thread alone: threads that compute block nobody. */
  readonly cpu_ms: number
  readonly rss_bytes: number
  /** The most since the last `rest`. */
  readonly peak_bytes: number
  /** Of a known piece of work, measured with `rest`. */
  readonly yardstick_ms: number
}

function bytesOf(field: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync('/proc/self/status', 'utf8')
  return Number(new RegExp(`^${field}:\\s*(\\d+)`, 'm').exec(status)![1]) * 1024
}

function mainThreadMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

/** The same work every time: what it takes tells how slow this machine is just now, for neighbours slow down also what a thread is charged. */
const yardstick = JSON.stringify(
  Array.from({ length: 12_000 }, (_, i) => ({ name: `n${i}`, list: [i, i + 1], i })),
)
const yardstick_runs = 5

function yardstickMs(): number {
  const times = Array.from({ length: yardstick_runs }, () => {
    const begun_ms = mainThreadMs()
    const text = JSON.stringify(JSON.parse(yardstick))
    let sum = 0
    for (let i = 0; i < text.length; i++) sum = (sum * 31 + text.charCodeAt(i)) | 0
    return mainThreadMs() - begun_ms + (sum === 0 ? 1 : 0)
  })
  return times.sort((a, b) => a - b)[yardstick_runs >> 1]!
}

function usage(yardstick_ms = 0): Usage {
  return {
    cpu_ms: mainThreadMs(),
    rss_bytes: bytesOf('VmRSS'),
    peak_bytes: bytesOf('VmHWM'),
    yardstick_ms,
  }
}

process.on('message', (question: Question) => {
  const yardstick_ms = question === 'rest' ? yardstickMs() : 0
  if (question === 'rest') {
    globalThis.gc?.()
    // Forgets the highest resident size so far.
    writeFileSync('/proc/self/clear_refs', '5')
  }
  process.send!(usage(yardstick_ms))
})

const service = await startInProcess({ with_nodes: true, check_outputs: false })
process.on('disconnect', async () => {
  await service.stop()
  process.exit()
})
const { api_url, metrics_url, tenant_id, agent_did, api_key } = service
process.send!({ api_url, metrics_url, tenant_id, agent_did, api_key })
