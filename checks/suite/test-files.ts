// Runs test files one after another in a few processes, which share loaded and compiled modules.
import { type ChildProcess, fork } from 'node:child_process'
import { join } from 'node:path'
import { stopwatch } from './real-time.ts'

/** A hanging file is ended, so that the rest is still reported. */
const file_ms_max = 1_500_000
/** Time for a hanging file to say what it has printed. */
const last_words_ms = 20_000
/** Leftovers of files add up, so a process is replaced after a while. */
const files_per_process_max = 250

export interface FileResult {
  readonly file: string
  readonly passed: number
  readonly failed: number
  readonly skipped: number
  readonly seconds: number
  /** Of its process and of those it waited for, without PostgreSQL. */
  readonly cpu_seconds: number
  /** The faults, as the reporter prints them. */
  readonly faults: string
}

type Counts = Pick<FileResult, 'passed' | 'failed' | 'skipped' | 'cpu_seconds'>
type Print = (text: string) => void

/** Each process takes the next file as soon as it is free; a file's output is printed when it is done. */
export async function runFiles(
  files: readonly string[],
  places: number,
  root: string,
  print: Print,
): Promise<FileResult[]> {
  const waiting = [...files]
  const results: FileResult[] = []
  const work = async () => {
    let runner = start(root)
    for (let taken = 1; ; taken++) {
      const file = waiting.shift()
      if (file === undefined) break
      const elapsed_ms = stopwatch()
      const { output, is_lost, ...result } = await runIn(runner, file)
      const seconds = elapsed_ms() / 1000
      results.push({ ...result, file, seconds })
      const ending = is_lost ? `✖ ${file}: its process ended or hung` : `── ${file}`
      print(`${output}${ending}, ${seconds.toFixed(1)} s, CPU ${result.cpu_seconds.toFixed(1)} s\n`)
      if (is_lost || taken % files_per_process_max === 0) {
        runner.kill('SIGKILL')
        runner = start(root)
      }
    }
    runner.kill('SIGKILL')
  }
  await Promise.all(Array.from({ length: Math.min(places, files.length) }, work))
  return results
}

function start(root: string): ChildProcess {
  const env = { ...process.env, NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/svc-compiled') }
  // Tests make many short-lived objects: in more room they are collected less often.
  const execArgv = ['--max-semi-space-size=64']
  return fork(join(import.meta.dirname, 'test-process.ts'), { cwd: root, env, execArgv })
}

interface Report extends Omit<FileResult, 'seconds' | 'file'> {
  readonly output: string
  /** Its process ended or hung. */
  readonly is_lost: boolean
}

const lost = (output = ''): Report => ({
  passed: 0,
  failed: 1,
  skipped: 0,
  cpu_seconds: 0,
  faults: `its process ended or hung${output && `, after\n${output}`}`,
  output,
  is_lost: true,
})

async function runIn(runner: ChildProcess, file: string): Promise<Report> {
  const { promise, resolve } = Promise.withResolvers<Report>()
  const onExit = () => resolve(lost())
  let timer = setTimeout(() => {
    runner.send({})
    timer = setTimeout(onExit, last_words_ms)
  }, file_ms_max)
  const onMessage = (report: { output: string; counts?: Counts }) => {
    const { output, counts } = report
    const faults = output.split('✖ failing tests:').at(-1) ?? ''
    resolve(counts ? { ...counts, output, faults, is_lost: false } : lost(output))
  }
  runner.once('exit', onExit).once('message', onMessage)
  runner.send({ file }, (error) => error && onExit())
  const report = await promise
  clearTimeout(timer)
  runner.off('exit', onExit).off('message', onMessage)
  return report
}
