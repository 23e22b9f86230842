// How long `svc` takes to start, compared with an empty Node program, in turns on the same cores.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pack } from '../../clients/packing/pack.ts'

const rounds = 25
/** The allowed cost of the packed command line: 1.5 times Node itself, plus this. */
const allowance_ms = 60
const allowed_times = 1.5

export interface ColdStart {
  readonly node_ms: number
  readonly svc_ms: number
  readonly help_ms: number
  readonly allowed_ms: number
}

export async function measureColdStart(): Promise<ColdStart> {
  const dist = mkdtempSync(join(tmpdir(), 'svc-cold-'))
  const [cli] = await pack(dist, ['@svc/cli'])
  const svc = join(cli!.folder, 'svc.js')
  const ways = { node: ['-e', '0'], svc: [svc, '--version'], help: [svc, 'invoke', '--help'] }
  const taken = Object.fromEntries(Object.keys(ways).map((name) => [name, [] as number[]]))
  for (let round = 0; round < rounds; round++) {
    for (const [name, args] of Object.entries(ways)) taken[name]!.push(timeOf(args))
  }
  rmSync(dist, { recursive: true })
  const [node_ms, svc_ms, help_ms] = ['node', 'svc', 'help'].map((name) => median(taken[name]!))
  const figures = { node_ms: node_ms!, svc_ms: svc_ms!, help_ms: help_ms! }
  return { ...figures, allowed_ms: figures.node_ms * allowed_times + allowance_ms }
}

export function printColdStart({ node_ms, svc_ms, help_ms, allowed_ms }: ColdStart): void {
  const row = (name: string, ms: number) =>
    `${name.padEnd(20)} ${ms.toFixed(1).padStart(7)} ms  x ${(ms / node_ms).toFixed(2)}`
  console.log(`\ncold start, median of ${rounds} in turns`)
  for (const [name, ms] of [
    ['node -e 0', node_ms],
    ['svc --version', svc_ms],
    ['svc invoke --help', help_ms],
  ] as const)
    console.log(row(name, ms))
  const verdict = Math.max(svc_ms, help_ms) <= allowed_ms ? 'within' : 'OVER'
  console.log(`${verdict} ${allowed_times} x node + ${allowance_ms} ms = ${allowed_ms.toFixed(1)} ms`)
}

function timeOf(args: readonly string[]): number {
  const started = performance.now()
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`node ${args.join(' ')} ended with ${status}: ${stderr}`)
  return performance.now() - started
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!
}
