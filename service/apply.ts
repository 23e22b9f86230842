// svc-engine apply: brings an installation to the state of a configuration file, by the commands of svc-engine admin.
import { closeSync, openSync, writeSync } from 'node:fs'
import { system_clock } from '@svc/adapters/clock/system'
import type { Database } from '@svc/contract/database'
import { sql } from '@svc/database/sql'
import type { Work } from './admin/command.ts'
import { inOneSentence, runWithin, withStore } from './admin/program.ts'
import { currentOperator } from './admin/record.ts'
import { jsonLines, type Said } from './admin/say.ts'
import { chooseTarget } from './admin/target.ts'
import { processTerminal, type Terminal } from './admin/terminal.ts'
import { nounsFor } from './admin.ts'
import type { Plan, Step } from './apply/plan.ts'
import { planConfig } from './apply/plan-config.ts'
import { type ReadConfig, readConfig } from './apply/read-config.ts'
import { planRows, planText, resultText, secretsOf, stepsOf } from './apply/show.ts'
import { ConfigError } from './settings/config-error.ts'
import type { Environment } from './settings/reader.ts'

export interface ApplyOptions {
  readonly file: string
  readonly yes: boolean
  readonly dry_run: boolean
  readonly prune: boolean
  readonly json: boolean
  /** Links and keys go to this new file instead of the output. */
  readonly secrets?: string | undefined
  readonly data_dir?: string | undefined
}

/** As `terraform plan -detailed-exitcode`: 2 says that there are changes. */
const exits = { done: 0, would_change: 2, needs_others: 3 } as const

export type Applying = Omit<Work, 'names' | 'values'> & {
  readonly read: ReadConfig
  readonly options: ApplyOptions
}

export async function apply(
  options: ApplyOptions,
  env: Environment,
  terminal: Terminal = processTerminal(),
): Promise<number> {
  const read = readConfig(options.file)
  refuseUnasked(options, terminal)
  const operator = { ...currentOperator(system_clock), config_sha256: read.sha256 }
  const target = chooseTarget(options.data_dir, env)
  return await inOneSentence(() =>
    withStore(target, (store) => applyTo({ store, target, operator, terminal, read, options })),
  )
}

function refuseUnasked({ yes, dry_run, json }: ApplyOptions, { input }: Terminal): void {
  if (yes || dry_run || (input.isTTY && !json)) return
  throw new ConfigError(
    json
      ? 'With --json nothing is asked: write --yes to apply the plan, or --dry-run to see it.'
      : 'There is no terminal to ask on: write --yes to apply the plan, or --dry-run to see it.',
  )
}

/** On an open store; returns the exit code. */
export async function applyTo(work: Applying): Promise<number> {
  const { options, terminal } = work
  const plan = await planNow(work)
  const end = plan.remaining.length > 0 ? exits.needs_others : exits.done
  const is_empty = stepsOf(plan).length === 0
  await terminal.write(options.json ? jsonLines({ rows: planRows(plan) }) : planText(plan))
  if (is_empty) return end
  if (options.dry_run) return exits.would_change
  if (!options.yes && !(await agrees(terminal))) {
    await terminal.write('Nothing was changed.\n')
    return 1
  }
  await withLock(work.store.engine, async (requireLock) => {
    if (planText(await planNow(work)) !== planText(plan))
      throw new ConfigError('Something changed since the plan was made; nothing was applied. Run it again.')
    await runSteps(work, stepsOf(plan), requireLock)
  })
  return end
}

function planNow({ store, operator, options, read }: Applying): Promise<Plan> {
  const at = new Date(operator.clock.now_ms())
  return planConfig({ db: store.engine, at, prune: options.prune, pathOf: read.pathOf }, read.config)
}

/** Each step is a transaction with its record, so a failure leaves what was done, and another run goes on. */
async function runSteps(
  work: Applying,
  steps: readonly Step[],
  requireLock: () => Promise<void>,
): Promise<void> {
  const secrets = openSecrets(work.options.secrets)
  try {
    for (const [i, step] of steps.entries()) {
      try {
        await requireLock()
        const nouns = await nounsFor(step.args)
        const output = await runWithin({ name: 'svc-engine admin', nouns }, [...step.args], work)
        await report(work, step, secrets.take(output))
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error
        throw new ConfigError(
          `${step.what}: ${error.message} ${i} of ${steps.length} steps were done; run it again to continue.`,
        )
      }
    }
  } finally {
    secrets.close()
  }
}

async function report({ options, terminal }: Applying, step: Step, output: Said): Promise<void> {
  const { action, what } = step
  const rows = output.rows.map((row) => ({ action, what, result: row }))
  await terminal.write(options.json ? jsonLines({ rows }) : resultText(step, output))
}

/** Written at once after each step: a secret exists nowhere else. */
function openSecrets(path: string | undefined) {
  if (path === undefined) return { take: (output: Said) => output, close: () => {} }
  const file = openSync(path, 'wx', 0o600)
  return {
    take(output: Said): Said {
      const rows = output.rows.map((row) => {
        const names = secretsOf(row)
        if (names.length === 0) return row
        writeSync(file, `${JSON.stringify(row)}\n`)
        return Object.fromEntries(Object.entries(row).filter(([name]) => !names.includes(name)))
      })
      return { ...output, rows }
    },
    close: () => closeSync(file),
  }
}

const answer_chars_max = 100

async function agrees(terminal: Terminal): Promise<boolean> {
  await terminal.write('Apply this plan? (yes/no) ')
  let answer = ''
  for await (const part of terminal.input) {
    answer += part.toString()
    if (answer.includes('\n') || answer.length > answer_chars_max) break
  }
  return /^y(es)?$/i.test(answer.trim())
}

/** One run at a time on a database. It ends with its connection, also where the process is killed. */
async function withLock(
  db: Database,
  work: (requireLock: () => Promise<void>) => Promise<void>,
): Promise<void> {
  await db.connection(async (session) => {
    const row = await sql<{ locked: boolean }>`
      SELECT pg_try_advisory_lock(hashtextextended('svc-engine apply', 0)) AS locked`.first(session)
    if (!row?.locked)
      throw new ConfigError('Another svc-engine apply is running on this database; wait until it has ended.')
    try {
      await work(async () => {
        await sql`SELECT 1 AS alive`.execute(session)
      })
    } finally {
      await sql`SELECT pg_advisory_unlock(hashtextextended('svc-engine apply', 0))`.execute(session)
    }
  })
}
