// svc-engine admin: what an operator does by hand. Works on the database directly, so it runs while the engine does.
import { parseArgs } from 'node:util'
import { system_clock } from '@svc/adapters/clock/system'
import { openStore, type PostgresStore } from '@svc/adapters/store/postgres'
import { closest } from '@svc/contract/closest'
import { Refusal } from '@svc/contract/refusal'
import { audit, exporting } from './admin/audit.ts'
import { type Command, type Noun, namesWanted, options, type Values } from './admin/command.ts'
import { credit } from './admin/credit.ts'
import { diagnose } from './admin/doctor.ts'
import { identity } from './admin/identities.ts'
import { key } from './admin/keys.ts'
import { member } from './admin/members.ts'
import { protocol } from './admin/protocols.ts'
import { currentOperator } from './admin/record.ts'
import { jsonLines, readable, type Said } from './admin/say.ts'
import { chooseTarget, openDatabase, type Target } from './admin/target.ts'
import { tenant } from './admin/tenants.ts'
import { processTerminal, type Terminal } from './admin/terminal.ts'
import { user } from './admin/users.ts'
import { witness } from './admin/witness.ts'
import type { Environment } from './config.ts'
import { ConfigError } from './config-error.ts'
import { openLog } from './log.ts'

/** It looks at what may be broken, so it opens nothing before it looks. */
const doctor: Command = {
  usage: 'doctor [--port N]',
  summary: 'looks at database, cache, keys, clock, disk and ports, and says what to do',
  takes: ['port'],
  run: () => Promise.reject(new Error('the doctor opens no store')),
}

const nouns: Readonly<Record<string, Noun>> = {
  tenant,
  member,
  user,
  key,
  credit,
  identity,
  protocol,
  audit,
  witness,
  export: exporting,
  doctor: { '': doctor },
}

const introduction = `svc-engine admin: works on SVC_DB_URL, or on the embedded database of --data-dir (.svc)
`
const ending = `
  --json     JSON lines instead of tables      --help     also after a noun: svc-engine admin key --help
`

export async function admin(
  args: string[],
  env: Environment,
  terminal: Terminal = processTerminal(),
): Promise<number> {
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
  const [first] = positionals
  const noun = first === undefined ? undefined : nouns[nameAmong(first, Object.keys(nouns), '')]
  const command = noun && chooseCommand(noun, first!, positionals[1])
  if (values.help || !noun || !command) {
    await terminal.write(helpOf(noun))
    return values.help ? 0 : 1
  }
  const names = positionals.slice(noun[''] ? 1 : 2)
  refuseWrongUse(command, names, values)
  const target = chooseTarget(values['data-dir'], env)
  const said =
    command === doctor
      ? await diagnose(target, values.port, system_clock)
      : await withStore(target, (store) =>
          command.run({ store, target, operator: currentOperator(system_clock), terminal, values, names }),
        )
  await terminal.write(values.json ? jsonLines(said) : readable(said))
  if (said.hangs) process.exit(said.exit)
  return said.exit ?? 0
}

/** Undefined where only the noun was typed: its help says what can follow. */
function chooseCommand(noun: Noun, name: string, verb: string | undefined): Command | undefined {
  if (noun['']) return noun['']
  return verb === undefined ? undefined : noun[nameAmong(verb, Object.keys(noun), `${name} `)]
}

function nameAmong(typed: string, known: readonly string[], before: string): string {
  if (known.includes(typed)) return typed
  const hint = closest(typed, known)
  throw new ConfigError(
    `svc-engine admin has no command ${before}${typed}. ${
      hint ? `Did you mean ${before}${hint}?` : `It has ${known.map((name) => before + name).join(', ')}.`
    }`,
  )
}

/** An option that a command does not take would be believed in, so it is refused rather than passed over. */
function refuseWrongUse(command: Command, names: readonly string[], values: Values): void {
  const allowed: readonly string[] = ['data-dir', 'json', 'help', ...command.takes]
  const foreign = Object.keys(values).find((name) => !allowed.includes(name))
  const what = foreign === undefined ? '' : `--${foreign} is not for this command. `
  if (foreign === undefined && names.length === namesWanted(command.usage)) return
  throw new ConfigError(`${what}Use: svc-engine admin ${command.usage}`)
}

function helpOf(noun: Noun | undefined): string {
  const shown = noun ? [noun] : Object.values(nouns)
  const lines = shown.flatMap((each) =>
    Object.values(each).map(({ usage, summary }) => `  ${usage}\n      ${summary}\n`),
  )
  return `${introduction}\n${lines.join('')}${ending}`
}

async function withStore(target: Target, work: (store: PostgresStore) => Promise<Said>): Promise<Said> {
  const database = await openDatabase(target)
  try {
    const store = await openStore({ url: database.url, log: openLog('error') }).catch((error: Error) => {
      throw new ConfigError(error.message)
    })
    try {
      return await work(store)
    } finally {
      await store.close()
    }
  } catch (error) {
    throw inOneSentence(error as Error & { code?: string })
  } finally {
    await database.release()
  }
}

const undefined_table = '42P01'
const undefined_column = '42703'
const no_answer = ['ECONNREFUSED', 'ECONNRESET', 'ETIMEDOUT', '57P01', '57P03']

/** What an operator can do something about is said in a sentence; anything else is a bug and keeps its stack. */
function inOneSentence(error: Error & { code?: string }): Error {
  if (error instanceof Refusal) return new ConfigError(error.message)
  if (error.code === undefined_table || error.code === undefined_column) {
    return new ConfigError(
      'The database has not the tables of this version; start the engine once, which brings it up to date.',
    )
  }
  if (no_answer.includes(error.code ?? ''))
    return new ConfigError(`The database does not answer (${error.code}); svc-engine admin doctor looks why.`)
  return error
}
