// `node checks/mutation/mutate.ts [--only file]`: changes the pure cores one place at a time, and names each change
// that their tests do not notice.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { stopwatch } from '../suite/real-time.ts'
import { applyMutant, type Mutant, mutantsOf } from './mutants.ts'
import type { Job, Message } from './run-mutants.ts'
import listed from './survivors.json' with { type: 'json' }
import { targets } from './targets.ts'

const root = join(import.meta.dirname, '../..')
/** Only for a test that hangs outside the mutated file; its own loops are counted. */
const mutant_ms_min = 60_000
const unmutated_times_max = 50
const complaint_chars_max = 2_000
/** Called by each turn of a loop; defined in run-mutants.ts. */
const tick = 'globalThis.svcMutationTick();'

export interface Target {
  readonly file: string
  readonly tests: readonly string[]
}

export interface Survivor {
  readonly file: string
  readonly line: number
  readonly original: string
  readonly mutated: string
}

/** A survivor that no test can or should notice, and why. */
export interface ListedSurvivor extends Omit<Survivor, 'line'> {
  readonly reason: string
}

export const listed_survivors: readonly ListedSurvivor[] = listed
/** The least share of the mutants of each file that its tests must notice. */
export const score_min = 0.85

export interface Report {
  readonly file: string
  readonly mutants: number
  readonly survivors: readonly Survivor[]
  readonly seconds: number
}

export function scoreOf({ mutants, survivors }: Report): number {
  return 1 - survivors.length / mutants
}

export async function mutateFile(target: Target, folder = root): Promise<Report> {
  const elapsed_ms = stopwatch()
  const source = readFileSync(join(folder, target.file), 'utf8')
  const mutants = mutantsOf(source)
  if (mutants.length === 0) throw new Error(`${target.file} has nothing to mutate`)
  const job = {
    file: join(folder, target.file),
    tests: target.tests.map((path) => join(folder, path)),
    unmutated: applyMutant(source, undefined, tick),
    mutated: mutants.map((mutant) => applyMutant(source, mutant, tick)),
  }
  const survivors: Survivor[] = []
  // A mutant that ends or stops its process is killed; the next process goes on after it.
  for (let from = 0; from < mutants.length; ) {
    const { survived, next } = await runProcess({ ...job, from })
    for (const index of survived) survivors.push(survivorOf(target.file, source, mutants[index]!))
    from = next
  }
  const seconds = elapsed_ms() / 1000
  return { file: target.file, mutants: mutants.length, survivors, seconds }
}

interface Progress {
  readonly survived: number[]
  next: number
}

async function runProcess(job: Job): Promise<Progress> {
  const { file, from } = job
  const child = fork(join(import.meta.dirname, 'run-mutants.ts'), {
    execArgv: ['--disable-warning=ExperimentalWarning'],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    env: { ...process.env, SVC_TEST_ASSURANCE: undefined, NODE_TEST_CONTEXT: undefined },
  })
  child.send(job)
  const progress: Progress = { survived: [], next: from }
  let fault: string | undefined
  let is_running = false
  let is_done = false
  let limit: NodeJS.Timeout | undefined
  let complaints = ''
  child.stderr!.setEncoding('utf8').on('data', (text: string) => {
    complaints = (complaints + text).slice(-complaint_chars_max)
  })
  child.on('message', (message: Message) => {
    clearTimeout(limit)
    is_running = message.kind === 'begun'
    if (message.kind === 'failed') fault = message.reason
    if (message.kind === 'done') is_done = true
    if (message.kind === 'verdict' && message.killed_by === undefined) progress.survived.push(message.index)
    if (message.kind !== 'begun') return
    progress.next = message.index + 1
    const limit_ms = Math.max(mutant_ms_min, unmutated_times_max * message.unmutated_ms)
    limit = setTimeout(() => child.kill('SIGKILL'), limit_ms)
  })
  // Messages may arrive until the channel is closed, which may be after the process has ended.
  await Promise.all([once(child, 'close'), once(child, 'disconnect')])
  clearTimeout(limit)
  // Only a mutant may end the process; if nothing was running, the tests themselves did.
  if (!is_done && !is_running) fault ??= 'its tests ended their process without a mutant'
  if (fault !== undefined) throw new Error(`${file}: ${fault}\n${complaints}`.trim())
  return progress
}

/** The lines it changes, before and after, without the space around them. */
function survivorOf(file: string, source: string, { start, end, text }: Mutant): Survivor {
  const from = source.lastIndexOf('\n', start) + 1
  const line_end = source.indexOf('\n', end)
  const to = line_end === -1 ? source.length : line_end
  const trimmed = (lines: string) => lines.replace(/\s+/g, ' ').trim()
  return {
    file,
    line: source.slice(0, start).split('\n').length,
    original: trimmed(source.slice(from, to)),
    mutated: trimmed(source.slice(from, start) + text + source.slice(end, to)),
  }
}

/** Survivors that are not listed, and listed ones that do not survive. */
export function differences(report: Report, all_listed: readonly ListedSurvivor[]): string[] {
  const nameOf = ({ original, mutated }: Omit<Survivor, 'line'>) => `${original} -> ${mutated}`
  const surviving = new Set(report.survivors.map(nameOf))
  const names = new Set(all_listed.filter(({ file }) => file === report.file).map(nameOf))
  return [
    ...report.survivors
      .filter((survivor) => !names.has(nameOf(survivor)))
      .map((survivor) => `${report.file}:${survivor.line} survives and is not listed: ${nameOf(survivor)}`),
    ...[...names.difference(surviving)].map((name) => `${report.file}: listed, but killed or gone: ${name}`),
  ]
}

function linesOf(report: Report): string[] {
  const { file, mutants, survivors, seconds } = report
  const percent = (100 * scoreOf(report)).toFixed(1).padStart(5)
  return [
    `${percent} %  ${mutants - survivors.length} of ${mutants}  ${seconds.toFixed(1)} s  ${file}`,
    ...survivors.flatMap(({ line, original, mutated }) => [
      `  ${file}:${line}`,
      `  - ${original}`,
      `  + ${mutated}`,
    ]),
  ]
}

async function main(): Promise<number> {
  const { values } = parseArgs({ options: { only: { type: 'string' } } })
  const chosen = targets.filter(({ file }) => values.only === undefined || file.includes(values.only))
  let is_good = chosen.length > 0
  for (const target of chosen) {
    const report = await mutateFile(target)
    const faults = differences(report, listed_survivors)
    console.log([...linesOf(report), ...faults.map((fault) => `! ${fault}`)].join('\n'))
    is_good &&= scoreOf(report) >= score_min && faults.length === 0
  }
  return is_good ? 0 : 1
}

if (import.meta.main) process.exitCode = await main()
