#!/usr/bin/env -S node --max-semi-space-size=32
// svc-engine: parses the command line and imports the file of the command.
import nodeModule from 'node:module'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { closest } from '@svc/contract/closest'
import { readArguments } from './arguments.ts'
import { ConfigError } from './settings/config-error.ts'
import type { Program } from './settings/setting.ts'

// npm only warns, and an older Node would fail with obscure errors.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < 24 || (major === 24 && minor < 12)) {
  console.error(`svc-engine needs Node 24.12 or newer; this is ${process.version}. Install a newer Node.`)
  process.exit(1)
}

// Caches compiled code for the next start and for worker threads, which read this variable. The folder is
// writable only by the user who installed this.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, '../node_modules/.cache/svc-compiled')
nodeModule.enableCompileCache(process.env.NODE_COMPILE_CACHE)

// By default the heap may grow to several times its live size before a collection. Twice is enough; below that,
// collecting took a quarter of the CPU of a busy engine.
setFlagsFromString('--heap-growing-percent=100')

/** Arguments and summary of each command. */
const usages: Readonly<Record<string, readonly [args: string, summary: string]>> = {
  up: ['[--json] [--port N] [--data-dir D]', 'everything in one process, for development'],
  serve: ['[--workers N|auto]', 'production; settings come from the environment'],
  gateway: ['[--new-key F]', 'TLS in front of an engine; --new-key creates its signing key'],
  console: ['', 'the web console in front of an engine or a gateway (SVC_API_URL)'],
  node: ['<oas|arsenal|aegis> [--port N] [--data-dir D]', 'one bundled node as a separate program'],
  verify: [
    '<export> [--key K] [--checkpoint F] [--witness-key K] [--witnesses-needed N] [--json]',
    'check an audit log offline: 0 verified, 8 consistent only, 1 invalid',
  ],
  admin: ['<command>', 'tenants, people, identities, keys, doctor (svc-engine admin --help)'],
  plugin: ['<command>', 'write, build, sign and install plugins (svc-engine plugin --help)'],
}

const help = `svc-engine: a gateway for calls between companies' AI agents.

${Object.keys(usages).map(usageOf).join('')}
svc-engine <command> --help lists the settings of a command; docs/settings.md lists all.
`

function usageOf(name: string): string {
  const [args, summary] = usages[name]!
  const line = `  svc-engine ${name} ${args}`
  return line.length < 52 ? `${line.padEnd(52)} ${summary}\n` : `${line}\n${' '.repeat(53)}${summary}\n`
}

async function helpOf(name: string): Promise<string> {
  if (name === 'verify') return usageOf(name)
  const { settingsHelp } = await import('./settings/help.ts')
  return `${usageOf(name)}\n${settingsHelp(name as Program)}\n`
}

const commands: Readonly<Record<string, (args: string[]) => Promise<number | undefined>>> = {
  async up(args) {
    const { values } = readArguments({
      args,
      options: { json: { type: 'boolean' }, port: { type: 'string' }, 'data-dir': { type: 'string' } },
    })
    const { up } = await import('./up.ts')
    await up(
      { data_dir: values['data-dir'] ?? '.svc', port: portNumber(values.port), json: values.json ?? false },
      process.env,
    )
    return undefined
  },
  async serve(args) {
    const { values } = readArguments({ args, options: { workers: { type: 'string' } } })
    const { serve } = await import('./serve.ts')
    await serve(process.env, values.workers)
    return undefined
  },
  async gateway(args) {
    const { values } = readArguments({ args, options: { 'new-key': { type: 'string' } } })
    if (values['new-key'] !== undefined) {
      const { makeGatewayKey } = await import('./settings/gateway-settings.ts')
      console.log(makeGatewayKey(values['new-key'], process.env))
      return 0
    }
    const { gateway } = await import('./gateway.ts')
    await gateway(process.env)
    return undefined
  },
  async console(args) {
    readArguments({ args, options: {} })
    const { runConsole } = await import('./console.ts')
    await runConsole(process.env)
    return undefined
  },
  async node(args) {
    const { values, positionals } = readArguments({
      args,
      allowPositionals: true,
      options: { port: { type: 'string' }, 'data-dir': { type: 'string' } },
    })
    const { runNode } = await import('./node.ts')
    const port = portNumber(values.port)
    await runNode({ name: positionals[0], port, data_dir: values['data-dir'] ?? '.svc' }, process.env)
    return undefined
  },
  async verify(args) {
    const { values, positionals } = readArguments({
      args,
      allowPositionals: true,
      options: {
        json: { type: 'boolean' },
        key: { type: 'string', multiple: true },
        checkpoint: { type: 'string', multiple: true },
        'witness-key': { type: 'string', multiple: true },
        'witnesses-needed': { type: 'string' },
      },
    })
    const [file] = positionals
    if (!file) throw new ConfigError('Name the export to verify: svc-engine verify audit-log.jsonl')
    const { verify } = await import('./verify.ts')
    return verify({
      file,
      keys: values.key ?? [],
      checkpoints: values.checkpoint ?? [],
      witness_keys: values['witness-key'] ?? [],
      witnesses_needed: values['witnesses-needed'] ?? '0',
      json: values.json ?? false,
    })
  },
  async admin(args) {
    const { admin } = await import('./admin.ts')
    return admin(args, process.env)
  },
  async plugin(args) {
    const { plugin } = await import('./plugin.ts')
    return plugin(args, process.env)
  },
}

function portNumber(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const port = Number(text)
  // The next three ports are used too; 0 would let the system choose.
  if (Number.isInteger(port) && port > 0 && port <= 65_532) return port
  throw new ConfigError(
    `--port is ${text}; it must be a number from 1 to 65532 (the next three ports are used too).`,
  )
}

const has_help_of_its_own: readonly string[] = ['admin', 'plugin']

async function main([name, ...args]: string[]): Promise<number | undefined> {
  if (name === undefined || name === '--help' || name === 'help') {
    console.log(help)
    return name === undefined ? 1 : 0
  }
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (command && args.includes('--help') && !has_help_of_its_own.includes(name)) {
    console.log(await helpOf(name))
    return 0
  }
  if (command) return command(args)
  const hint = closest(name, Object.keys(commands))
  throw new ConfigError(
    `svc-engine has no command ${name}. ${hint ? `Did you mean ${hint}?` : 'svc-engine --help lists them.'}`,
  )
}

main(process.argv.slice(2)).then(
  (code) => {
    if (code !== undefined) process.exitCode = code
  },
  (error: Error & { code?: string }) => {
    const expected = error instanceof ConfigError || error.code?.startsWith('ERR_PARSE_ARGS')
    console.error(expected ? error.message : error)
    process.exit(1)
  },
)
