// The measured engine, in its own process: its main thread's CPU time, and its peak memory.
import { readFileSync, writeFileSync } from 'node:fs'
import { startInProcess } from '../../engines/in-process.ts'

/** Asked before and after a request: `rest` first frees what can be freed. */
export type Question = 'rest' | 'look'

export interface Usage {
  /** Of the main thread alone: worker threads block nobody. */
  readonly cpu_ms: number
  readonly rss_bytes: number
  /** The peak since the last `rest`. */
  readonly peak_bytes: number
  /** Time of a fixed piece of work, measured with `rest`. */
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

/** Fixed work that shows how slow this machine is now: neighbours also increase a thread's CPU time. */
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
    // Resets the peak resident size.
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
