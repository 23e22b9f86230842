// What was typed, read. A key may begin with a dash; Node's reader would take it for a flag.
import { type ParseArgsConfig, type ParseArgsOptionsConfig, parseArgs } from 'node:util'

export function readArguments<Config extends ParseArgsConfig & { args: string[] }>(
  config: Config,
): ReturnType<typeof parseArgs<Config>> {
  return parseArgs({ ...config, args: joinValues(config.args, config.options ?? {}) })
}

/** `--key -abc` as `--key=-abc`, unless what follows is a flag itself. */
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
