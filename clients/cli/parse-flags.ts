// Parses arguments into flags and positionals, with our own messages and suggestions for unknown flags.
import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'
import { nearest } from '@svc/sdk/nearest'
import { common_flags, type Flags } from './command.ts'
import { UsageError } from './exit.ts'

/** Flags that may have a value, only as `--json=seq,outcome`. */
const optional_values: ReadonlySet<string> = new Set(['json'])

interface Parsed {
  readonly args: readonly string[]
  readonly flags: Flags
}

export function parseFlags(argv: readonly string[], own: ParseArgsOptionsConfig, command: string): Parsed {
  const options: ParseArgsOptionsConfig = { ...common_flags, ...own }
  // Not strict, so that errors are found in the tokens and the messages are ours.
  const { tokens, values, positionals } = parseArgs({
    args: [...argv],
    options,
    strict: false,
    tokens: true,
    allowPositionals: true,
  })
  const flags_so_far = new Set<string>()
  for (const token of tokens) {
    if (token.kind !== 'option') continue
    const { name, rawName } = token
    const option = Object.hasOwn(options, name) ? options[name] : undefined
    if (!option) throw unknownFlag(rawName, options, command)
    if (option.type === 'boolean' && token.value !== undefined && !optional_values.has(name))
      throw new UsageError(`${rawName} takes no value; remove =${token.value}.`)
    if (option.type === 'string') checkValue(rawName, token, options)
    if (!option.multiple && flags_so_far.has(name))
      throw new UsageError(`${rawName} is given twice; give it once.`)
    flags_so_far.add(name)
  }
  return { args: positionals, flags: values }
}

interface Given {
  readonly value?: string | undefined
  readonly inlineValue?: boolean | undefined
}

/** A value may begin with a dash, as keys do, but may not be another flag. */
function checkValue(flag: string, { value, inlineValue }: Given, options: ParseArgsOptionsConfig): void {
  if (value === undefined) throw new UsageError(`${flag} needs a value.`)
  if (!inlineValue && isFlag(value, options)) {
    const written = flag.startsWith('--') ? `${flag}=${value}` : `${flag}${value}`
    throw new UsageError(`${flag} needs a value; if ${value} is the value, write ${written}.`)
  }
}

function isFlag(value: string, options: ParseArgsOptionsConfig): boolean {
  const [name] = value.split('=')
  return Object.entries(options).some(([long, { short }]) => name === `--${long}` || name === `-${short}`)
}

const fields_hint = '--json=seq,meta.code selects fields; for more, pipe --json into jq.'
/** What other programs call something that svc has. */
const other_names: Readonly<Record<string, string>> = {
  '--jq': fields_hint,
  '--fields': fields_hint,
  '--query': fields_hint,
  '--format': '-o json, -o yaml or -o human sets the format.',
}

function unknownFlag(flag: string, options: ParseArgsOptionsConfig, command: string): UsageError {
  const meant_here = Object.hasOwn(other_names, flag) ? other_names[flag] : undefined
  if (meant_here !== undefined)
    return new UsageError(`${`svc ${command}`.trim()} has no flag ${flag}.`, meant_here)
  const near = nearest(
    flag,
    Object.keys(options).map((name) => `--${name}`),
  )
  const meant = near === undefined ? '' : ` Did you mean ${near}?`
  const name = `svc ${command}`.trim()
  return new UsageError(`${name} has no flag ${flag}.${meant}`, `${name} --help lists its flags.`)
}

/** Common flags may also precede the command: `svc --profile work whoami`. */
export function splitCommand(argv: readonly string[]): {
  leading: string[]
  name: string | undefined
  rest: string[]
} {
  let at = 0
  while (at < argv.length && argv[at]!.startsWith('-') && argv[at] !== '-') {
    const is_whole = argv[at]!.includes('=') || !takesValue(argv[at]!)
    at += is_whole ? 1 : 2
  }
  const [name, ...rest] = argv.slice(at)
  return { leading: argv.slice(0, at), name, rest }
}

function takesValue(flag: string): boolean {
  const flag_entry = Object.entries(common_flags).find(
    ([name, option]) => flag === `--${name}` || ('short' in option && flag === `-${option.short}`),
  )
  return flag_entry?.[1].type === 'string'
}
