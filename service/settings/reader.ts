// Reads settings from the environment, by their rows in the table.
import { readFileSync } from 'node:fs'
import { ConfigError } from './config-error.ts'
import { defaultOf, type Program, type Setting } from './setting.ts'
import { mayBeShown, oneOf, type SettingType } from './setting-types.ts'
import { type SettingName, settings, type ValueOf } from './table.ts'

export type Environment = Readonly<Record<string, string | undefined>>

export interface Reader {
  readonly program: Program
  /** The value, or the default of the table. */
  <Name extends SettingName>(name: Name): ValueOf<Name>
  /** Undefined if not set, whatever the default. */
  given<Name extends SettingName>(name: Name): ValueOf<Name> | undefined
}

export function reader(env: Environment, program: Program): Reader {
  const look = (name: SettingName, otherwise: (row: Setting) => string | undefined) => {
    const row: Setting = settings[name]
    if (!row.programs.includes(program))
      throw new Error(`The table does not say that ${program} reads ${name}.`)
    const text = textOf(env, name) ?? otherwise(row)
    return text === undefined ? undefined : parseAs(name, row.type, text)
  }
  const read = (name: SettingName) => look(name, (row) => defaultOf(row, program))
  const plainText = (name: SettingName) => look(name, () => undefined)
  return Object.assign(read, { program, given: plainText }) as Reader
}

/** `SVC_X_FILE` names a file with the value of `SVC_X`, which keeps secrets out of the environment. */
function textOf(env: Environment, name: string): string | undefined {
  const file = env[`${name}_FILE`]
  if (env[name] !== undefined || file === undefined) return env[name] || undefined
  try {
    return readFileSync(file, 'utf8').trim() || undefined
  } catch {
    throw new ConfigError(
      `${name}_FILE names ${file}, which cannot be read; check the path and its permissions.`,
    )
  }
}

function parseAs<Value>(name: string, { form, parse, is_hidden }: SettingType<Value>, text: string): Value {
  const value = parse(text, name)
  if (value !== undefined) return value
  const subject = !is_hidden && mayBeShown(text) ? `${name} is ${text}; it` : name
  throw new ConfigError(`${subject} must be ${form}.`)
}

/** Parses the value of a command-line option. */
export function choose<const Word extends string>(name: string, word: string, words: readonly Word[]): Word {
  return parseAs(name, oneOf(...words), word)
}

/** Names all missing settings in one sentence: those the table requires for the program, and `more`; not those that others replace. */
export function requireSettings(
  read: Reader,
  more: readonly SettingName[] = [],
  replaced: readonly SettingName[] = [],
): void {
  const { program } = read
  const names = (Object.keys(settings) as SettingName[]).filter(
    (name) => (settings[name] as Setting).required?.includes(program) && !replaced.includes(name),
  )
  const missing = [...names, ...more].filter((name) => read.given(name) === undefined)
  if (missing.length === 0) return
  throw new ConfigError(
    `svc-engine ${program} needs ${missing.join(', ')}; set ${missing.length > 1 ? 'them' : 'it'} and start again.`,
  )
}
