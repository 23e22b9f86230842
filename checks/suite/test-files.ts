// Runs test files one after another in a few processes, which share loaded and compiled modules.
import { type ChildProcess, fork } from 'node:child_process'
import { join } from 'node:path'
import { stopwatch } from './real-time.ts'

/** A hanging file is ended, so that the rest is still reported. */
const file_ms_max = 900_000
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
      const result = await runIn(runner, file)
      const seconds = elapsed_ms() / 1000
      const lost = { passed: 0, failed: 1, skipped: 0, cpu_seconds: 0, faults: 'its process ended or hung' }
      results.push({ ...(result ?? lost), file, seconds })
      const ending = result ? `${result.said}── ${file}` : `✖ ${file}: its process ended or hung`
      print(`${ending}, ${seconds.toFixed(1)} s, CPU ${(result?.cpu_seconds ?? 0).toFixed(1)} s\n`)
      if (!result || taken % files_per_process_max === 0) {
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
  return fork(join(import.meta.dirname, 'test-process.ts'), { cwd: root, env })
}

interface Report extends Omit<FileResult, 'seconds'> {
  readonly said: string
}

/** The result of the file; undefined if its process ended or hung. */
async function runIn(runner: ChildProcess, file: string): Promise<Report | undefined> {
  const { promise, resolve } = Promise.withResolvers<Report | undefined>()
  const timer = setTimeout(() => resolve(undefined), file_ms_max)
  const onExit = () => resolve(undefined)
  const onMessage = (report: Omit<Report, 'faults'>) =>
    resolve({ ...report, faults: report.said.split('✖ failing tests:').at(-1) ?? '' })
  runner.once('exit', onExit).once('message', onMessage)
  runner.send(file, (error) => error && resolve(undefined))
  const result = await promise
  clearTimeout(timer)
  runner.off('exit', onExit).off('message', onMessage)
  return result
}
