// A process that runs the given test files, one after another, each with its own hooks.
import { readFileSync } from 'node:fs'
import { flushCompileCache } from 'node:module'
import { spec } from 'node:test/reporters'
import fc from 'fast-check'

// Always the same draws, so that a change is judged by its own effect; `npm run assurance` draws new ones.
fc.configureGlobal({ seed: 1 })

// The runner follows every promise to name the test of an error that nobody caught, which takes a tenth of the CPU time.
// Without that, such an error still fails its file. It takes the function when it is loaded.
const hooks = process.getBuiltinModule('node:async_hooks')
const { createHook } = hooks
hooks.createHook = (callbacks) => createHook({ ...callbacks, trackPromises: false })
const { run } = await import('node:test')

/** What the file has printed so far. */
let output = ''
let files_run = 0

process.on('message', async ({ file }: { file?: string }) => {
  // It seems to hang: what was printed tells where.
  if (file === undefined) return process.send?.({ output })
  const counts = { passed: 0, failed: 0, skipped: 0 }
  const used_before_s = cpuSeconds()
  // A file is done when nothing keeps the process alive; then it waits for the next.
  process.channel?.unref()
  const events = run({ files: [file], isolation: 'none' })
  output = ''
  const onUncaught = (error: Error) => {
    output += `${error.stack}\n`
  }
  process.on('uncaughtExceptionMonitor', onUncaught)
  events.on('test:pass', ({ details, skip }) => {
    if (details.type === 'suite') return
    if (skip === undefined) counts.passed++
    else counts.skipped++
  })
  events.on('test:fail', () => counts.failed++)
  for await (const text of events.compose(withoutTotals).compose(new spec())) output += text
  process.off('uncaughtExceptionMonitor', onUncaught)
  // A failure after the end of its test shows only in the exit code.
  if (process.exitCode && counts.failed === 0) counts.failed++
  process.exitCode = 0
  // It will be killed, so what it compiled is kept for other processes meanwhile: less often as less of it is new.
  if (isPowerOfTwo(++files_run)) flushCompileCache()
  process.channel?.ref()
  return process.send?.({ counts: { ...counts, cpu_seconds: cpuSeconds() - used_before_s }, output })
})

function isPowerOfTwo(count: number): boolean {
  return (count & (count - 1)) === 0
}

/** Ticks of children that ended are only in /proc; elsewhere only this process counts. */
function cpuSeconds(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000_000 + childrenSeconds()
}

function childrenSeconds(): number {
  if (process.platform !== 'linux') return 0
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]!.split(' ')
  const ticks_per_second = 100
  return (Number(fields[13]) + Number(fields[14])) / ticks_per_second
}

interface TestEvent {
  readonly type: string
  readonly data: { readonly nesting?: number; readonly message?: string }
}

/** The totals of a single file are noise. */
async function* withoutTotals(events: AsyncIterable<TestEvent>): AsyncGenerator<TestEvent> {
  for await (const event of events) {
    const is_total =
      event.type === 'test:diagnostic' &&
      event.data.nesting === 0 &&
      /^(tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) [\d.]+$/.test(event.data.message ?? '')
    if (!is_total) yield event
  }
}
