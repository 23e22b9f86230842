// `npm run check`: every static check of the code. One line per step; output only of failed steps.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { stopwatch } from './suite/real-time.ts'

export interface Step {
  readonly name: string
  /** A script for this Node, with its arguments. */
  readonly script: readonly string[]
  readonly advice: string
  /** Figures from its output, for the line of a passed step. */
  readonly figures?: (output: string) => string
}

const root = join(import.meta.dirname, '..')
const step_ms_max = 1_800_000
const output_bytes_max = 16 * 1024 * 1024

/** Incremental: unchanged files are not checked again. Checkers beside the first make many types anew. */
function typeCheck(project: string, name: string): readonly string[] {
  const build_info = join(root, `node_modules/.cache/svc-types/${name}.tsbuildinfo`)
  const options = [
    '--incremental',
    '--tsBuildInfoFile',
    build_info,
    '--extendedDiagnostics',
    '--checkers',
    '1',
  ]
  return ['node_modules/typescript/bin/tsc', '-p', project, ...options]
}

/** From `tsc --extendedDiagnostics`: without changes nothing is checked, and no type is created. */
export function typeFigures(output: string): string {
  const figure = (name: string) => new RegExp(`^${name}:\\s+(\\S+)`, 'm').exec(output)?.[1] ?? '?'
  return `${figure('Types')} types, checked in ${figure('Check time')}`
}

const steps: readonly Step[] = [
  {
    name: 'types',
    script: typeCheck('.', 'all'),
    advice: 'Fix the types named above.',
    figures: typeFigures,
  },
  {
    name: 'console',
    script: typeCheck('clients/console', 'console'),
    advice: 'Fix the types named above.',
    figures: typeFigures,
  },
  {
    name: 'style',
    script: ['node_modules/@biomejs/biome/bin/biome', 'ci', '--colors=off', '--max-diagnostics=50'],
    advice: 'Run `npx biome check --write` for what it can fix by itself.',
  },
  {
    name: 'sql',
    script: ['checks/sql/check.ts'],
    advice:
      'Make statement and declared types agree; a column that is never null in these rows is NotNull<…>.',
  },
  {
    name: 'generated',
    script: ['catalogue/generate.ts', '--check'],
    advice: 'Run `npm run generate` and commit the result.',
  },
  {
    name: 'settings',
    script: ['checks/suite/settings-page.ts', '--check'],
    advice: 'Run `npm run generate` and commit the result.',
  },
  {
    name: 'dead code',
    script: ['node_modules/knip/bin/knip.js', '--no-config-hints', '--no-progress'],
    advice: 'Remove what nobody uses, and list in package.json what is used.',
  },
]

/** Runs every step, also after a failure, so that one run shows everything. True if all passed. */
export function runSteps(todo: readonly Step[], folder: string, print: (line: string) => void): boolean {
  let passed = true
  for (const { name, script, advice, figures } of todo) {
    const elapsed_ms = stopwatch()
    const options = {
      cwd: folder,
      encoding: 'utf8',
      timeout: step_ms_max,
      maxBuffer: output_bytes_max,
    } as const
    const done = spawnSync(process.execPath, script, options)
    const seconds = (elapsed_ms() / 1000).toFixed(1)
    const is_ok = done.status === 0
    const summary = is_ok && figures ? `  (${figures(done.stdout)})` : ''
    print(`${is_ok ? 'ok    ' : 'failed'}  ${name.padEnd(12)} ${seconds} s${summary}`)
    if (is_ok) continue
    passed = false
    print(`${done.stdout}${done.stderr}`.trimEnd() || (done.error?.message ?? 'It said nothing.'))
    print(advice)
  }
  return passed
}

if (import.meta.main && !runSteps(steps, root, console.log)) process.exitCode = 1
