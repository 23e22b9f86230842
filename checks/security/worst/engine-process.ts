// The engine whose requests are measured, in a process of its own: what its main thread used, and the most memory it held.
import { readFileSync, writeFileSync } from 'node:fs'
import { startInProcess } from '../../in-process.ts'

/** Asked before and after a request: `rest` gives back what can be given back first. */
export type Question = 'rest' | 'look'

export interface Usage {
  /** Of the main thread alone: threads that compute block nobody. */
  readonly cpu_ms: number
  readonly rss_bytes: number
  /** The most since the last `rest`. */
  readonly peak_bytes: number
}

function bytesOf(field: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync('/proc/self/status', 'utf8')
  return Number(new RegExp(`^${field}:\\s*(\\d+)`, 'm').exec(status)![1]) * 1024
}

function usage(): Usage {
  const { user, system } = process.threadCpuUsage()
  return { cpu_ms: (user + system) / 1_000, rss_bytes: bytesOf('VmRSS'), peak_bytes: bytesOf('VmHWM') }
}

process.on('message', (question: Question) => {
  if (question === 'rest') {
    globalThis.gc?.()
    // Forgets the highest resident size so far.
    writeFileSync('/proc/self/clear_refs', '5')
  }
  process.send!(usage())
})
process.on('disconnect', () => process.exit())

const service = await startInProcess({ with_nodes: true, check_outputs: false })
const { api_url, metrics_url, tenant_id, agent_did, api_key } = service
process.send!({ api_url, metrics_url, tenant_id, agent_did, api_key })
