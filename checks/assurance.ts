// `npm run assurance`: runs the long form of every fault, tampering and security check in turn, and prints
// one table of results.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { machine } from './bench/targets.ts'

const root = join(import.meta.dirname, '..')
const check_ms_max = 45 * 60_000
/** Clients with more work in the long form: other Nodes, Bun, Deno, the Inspector. */
const long_clients = [
  'checks/clients/{packed,packed-engine,sdk-runtimes,surfaces}.test.ts',
  'checks/conformance/gateway/mcp-suite.test.ts',
]
/** Economy: the matcher against its reference, trading on two engines, statements from the chain alone. */
const long_economy = [
  'protocols/economic/market/order-book.test.ts',
  'checks/conformance/{market-race,meal}.test.ts',
]
/**
 * Governance: treaties in any order of acts, dissolutions that crash at every step, two organizations' lives.
 */
const long_law = [
  'protocols/governance/mausoleum/dissolution-sweep.test.ts',
  'checks/conformance/{moat,examples}.test.ts',
]
/** Plugins and Rust: real builds of the kits, and both sides of the vectors. */
const long_plugins = ['checks/plugins/*.test.ts', 'checks/clients/*rust*.test.ts', 'checks/vectors/*.test.ts']
/** Revocations: noticed within a second, not only when a cache expires. */
const long_revocations = [
  'checks/conformance/{admin,capabilities,gateway-mode,gateway-tokens,identity-node,login}.test.ts',
]
/** Deployment: helm, promtool and others on its files, and all of compose as processes. */
const long_deploy = ['checks/deploy/{composed,deploy-tools}.test.ts']
/** Console: an audit log of a million records. */
const long_console = ['checks/console/audit-log-million.test.ts']
const output_chars_max = 4 * 1024 * 1024
const columns = ['check', 'N', 'seed', 'result', 'seconds'] as const

export type Row = Readonly<Record<(typeof columns)[number], string>>

/** Runs one file in its long form; its output goes to `print` as it arrives. */
export async function runCheck(file: string, folder: string, print: (text: string) => void): Promise<Row> {
  const started_ms = performance.now()
  const child = spawn(process.execPath, ['--test', '--test-reporter=spec', file], {
    cwd: folder,
    env: { ...process.env, SVC_ASSURANCE: '1', NODE_TEST_CONTEXT: undefined },
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: check_ms_max,
  })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output = (output + text).slice(-output_chars_max)
    print(text)
  })
  const [code] = await once(child, 'close')
  const seconds = ((performance.now() - started_ms) / 1000).toFixed(1)
  return { check: file, ...figuresOf(output), result: resultOf(output, code), seconds }
}

/** A check prints `N=<number>` or starts a line with its number, and `seed <number>` if it has one. */
export function figuresOf(output: string): Pick<Row, 'N' | 'seed'> {
  const all = (pattern: RegExp) => {
    const matches = [...output.matchAll(pattern)].map((match) => match.slice(1).find(Boolean))
    return [...new Set(matches)].join(' ') || '-'
  }
  return { N: all(/\bN=(\d+)|^\s*ℹ (\d+) /gm), seed: all(/\bseed[= ](\d+)/gi) }
}

function resultOf(output: string, code: number | null): string {
  const count = (name: string) => Number(new RegExp(`^\\S+ ${name} (\\d+)$`, 'm').exec(output)?.[1] ?? 0)
  if (code !== 0) return 'FAILED'
  // A file in which no test ran proves nothing, so it does not count as passed.
  if (count('pass') === 0) return 'FAILED: nothing ran'
  return count('skipped') > 0 ? `ok, ${count('skipped')} skipped` : 'ok'
}

export function tableOf(rows: readonly Row[]): string {
  const lines = [Object.fromEntries(columns.map((name) => [name, name])) as Row, ...rows]
  const widths = columns.map((name) => Math.max(...lines.map((row) => row[name].length)))
  return lines
    .map((row) =>
      columns
        .map((name, i) => row[name].padEnd(widths[i]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

async function main(): Promise<number> {
  const names = process.argv.slice(2)
  const long = [
    'checks/{faults,tamper,security}/**/*.test.ts',
    ...long_clients,
    ...long_economy,
    ...long_law,
    ...long_plugins,
    ...long_revocations,
    ...long_console,
    ...long_deploy,
  ]
  const all = globSync(long, { cwd: root }).sort()
  const rows: Row[] = []
  for (const file of names.length ? names : all) {
    console.log(`\n${file}`)
    rows.push(await runCheck(file, root, (text) => process.stdout.write(text)))
  }
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim()
  const changed = git('status', '--porcelain') ? ' with changes that are not committed' : ''
  console.log(`\ncommit ${git('rev-parse', 'HEAD')}${changed}\nmachine ${JSON.stringify(machine())}\n`)
  console.log(tableOf(rows))
  return rows.every(({ result }) => result.startsWith('ok')) && rows.length > 0 ? 0 : 1
}

if (import.meta.main) process.exitCode = await main()
