// The fields of the operation that a command line names, as flags and as a help page.
import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'
import { loadCompletions } from '../calls/completions-data.ts'
import { type Named, nameOperation } from '../calls/operation-names.ts'
import { common_flags, type Flags, type Terminal } from '../command.ts'
import { UsageError } from '../exit.ts'
import { textFlag } from '../settings.ts'
import { describeOperation, openDirectory } from './engine-directory.ts'
import { type FieldFlag, fieldFlags, optionsOf } from './field-flags.ts'
import type { SchemaNode } from './schema-node.ts'

export interface InputDescription {
  readonly summary: string
  readonly version: string
  readonly schema: SchemaNode
  readonly example: unknown
}

/** The built-in schema of this operation; undefined if it has none. */
export async function builtInSchema(named: Named): Promise<SchemaNode | undefined> {
  return (await builtInTool(named))?.inputSchema as SchemaNode | undefined
}

/** Whether the operation only reads and requires no field: nothing can go wrong if it is called with nothing. */
export async function needsNoInput(named: Named, version: string): Promise<boolean> {
  const tool = isBuiltIn(named, version) ? await builtInTool(named) : undefined
  const { required } = (tool?.inputSchema ?? { required: ['?'] }) as { required?: string[] }
  return tool?.annotations.readOnlyHint === true && (required ?? []).length === 0
}

async function builtInTool({ protocol, operation }: Named) {
  const { default: tools } = await import('../../../generated/mcp-tools.json', { with: { type: 'json' } })
  const name = `svc.${protocol.toLowerCase()}.${operation}`
  return tools.find((tool) => tool.name === name)
}

/** Whether the catalogue's version is the requested one, or the best of the requested major. */
export function isBuiltIn(named: Named, version: string): boolean {
  return named.version === version || named.version?.startsWith(`${version}.`) === true
}

/** From the catalogue if it has this version, else from the engine. */
export async function describeInput(
  named: Named,
  version: string,
  flags: Flags,
  terminal: Terminal,
): Promise<InputDescription> {
  const { protocol, operation } = named
  const schema = isBuiltIn(named, version) ? await builtInSchema(named) : undefined
  if (schema) {
    const { summary, example } = (await loadCompletions()).protocols[protocol]!.operations[operation]!
    return { summary, version: named.version!, schema, example }
  }
  // An operation that is not built in may have any version; the engine's default is described.
  const wish = { protocol, operation, version: named.version ? version : textFlag(flags, 'version') }
  const described = await describeOperation(openDirectory(flags, terminal), wish)
  if (!described)
    throw new UsageError(
      `${protocol} has no operation ${operation}.`,
      `svc operations ${protocol} lists its operations.`,
    )
  return { ...described, schema: described.input_schema }
}

/** Flags of svc itself, which no field may take. */
function namesOf(own: ParseArgsOptionsConfig): ReadonlySet<string> {
  return new Set([...Object.keys(common_flags), ...Object.keys(own), 'input'])
}

/** `own` are the flags of the command: a field of such a name gets another. */
export function flagsOfInput({ schema }: InputDescription, own: ParseArgsOptionsConfig): FieldFlag[] {
  return fieldFlags(schema, namesOf(own))
}

/** True if the command line has flags that are neither common nor the command's own: fields. */
export function hasFieldFlags(flags: Flags, own: ParseArgsOptionsConfig): boolean {
  const taken = namesOf(own)
  return Object.keys(flags).some((name) => !taken.has(name))
}

export interface CommandLine {
  readonly words: readonly string[]
  readonly own: ParseArgsOptionsConfig
  /** A subcommand before the names. */
  readonly behind?: string
  readonly version_default: string
}

/** The fields as flags, if there is a flag that svc does not have; the names come before it. */
export async function fieldOptions(
  { words, own, behind, version_default }: CommandLine,
  terminal: Terminal,
): Promise<ParseArgsOptionsConfig> {
  const options: ParseArgsOptionsConfig = { ...common_flags, ...own }
  const { names, has_other_flags } = leadingNames(words, options)
  if (!has_other_flags || (behind !== undefined && names.shift() !== behind)) return {}
  const named = await nameIfAny(names)
  if (!named) return {}
  const flags: Flags = parseArgs({ args: [...words], options, strict: false }).values
  const version = textFlag(flags, 'version') ?? version_default
  return optionsOf(flagsOfInput(await describeInput(named, version, flags, terminal), own))
}

async function nameIfAny(names: readonly string[]): Promise<Named | undefined> {
  try {
    return nameOperation(names, await loadCompletions())
  } catch (thrown) {
    // The command itself reports it.
    if (thrown instanceof UsageError) return undefined
    throw thrown
  }
}

function leadingNames(words: readonly string[], options: ParseArgsOptionsConfig) {
  const names: string[] = []
  for (let i = 0; i < words.length; i++) {
    const word = words[i]!
    if (!word.startsWith('-') || word === '-') {
      names.push(word)
      continue
    }
    const [flag = ''] = word.split('=')
    const option = Object.entries(options).find(
      ([name, { short }]) => flag === `--${name}` || (short !== undefined && flag === `-${short}`),
    )?.[1]
    if (!option) return { names, has_other_flags: true }
    if (option.type === 'string' && !word.includes('=')) i++
  }
  return { names, has_other_flags: false }
}
