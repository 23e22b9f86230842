// Parses the command line. A key may begin with a dash, which Node's parser would read as an option.
import { type ParseArgsConfig, type ParseArgsOptionsConfig, parseArgs } from 'node:util'

export function readArguments<Config extends ParseArgsConfig & { args: string[] }>(
  config: Config,
): ReturnType<typeof parseArgs<Config>> {
  return parseArgs({ ...config, args: joinValues(config.args, config.options ?? {}) })
}

/** Turns `--key -abc` into `--key=-abc`, unless the next argument is an option. */
function joinValues(args: readonly string[], options: ParseArgsOptionsConfig): string[] {
  const end = args.indexOf('--')
  const joined: string[] = []
  for (const arg of end < 0 ? args : args.slice(0, end)) {
    const flag = joined.at(-1)
    const waits = flag?.startsWith('--') && options[flag.slice(2)]?.type === 'string'
    if (waits && arg.length > 1 && arg.startsWith('-') && !isFlag(arg, options))
      joined[joined.length - 1] += `=${arg}`
    else joined.push(arg)
  }
  return end < 0 ? joined : [...joined, ...args.slice(end)]
}

function isFlag(arg: string, options: ParseArgsOptionsConfig): boolean {
  const [name] = arg.split('=')
  return Object.entries(options).some(([long, { short }]) => name === `--${long}` || name === `-${short}`)
}
