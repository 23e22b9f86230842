#!/usr/bin/env -S node --max-semi-space-size=32
// svc-engine: parses the command line and imports the file of the command.
import nodeModule from 'node:module'
import { isIP } from 'node:net'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { closest } from '@svc/contract/closest'
import { readArguments } from './arguments.ts'
import { command_help, main_help, pageOf } from './command-help.ts'
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

async function helpOf(name: string): Promise<string> {
  if (!command_help[name]!.has_settings) return pageOf(name)
  const { settingsHelp } = await import('./settings/help.ts')
  return `${pageOf(name)}\n${settingsHelp(name as Program)}\n`
}

const commands: Readonly<Record<string, (args: string[]) => Promise<number | undefined>>> = {
  async up(args) {
    const { values } = readArguments({
      args,
      options: {
        json: { type: 'boolean' },
        port: { type: 'string' },
        host: { type: 'string' },
        'data-dir': { type: 'string' },
        config: { type: 'string' },
        demo: { type: 'boolean' },
      },
    })
    const { json = false, config, host, demo = false } = values
    if (host !== undefined && isIP(host) === 0)
      throw new ConfigError(`--host is ${host}; it must be an IP address, such as 0.0.0.0 in a container.`)
    const { up } = await import('./up.ts')
    const data_dir = values['data-dir'] ?? (demo ? '.svc-demo' : '.svc')
    await up({ data_dir, port: portNumber(values.port), host, json, config, demo }, process.env)
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
  async apply(args) {
    const { values, positionals } = readArguments({
      args,
      allowPositionals: true,
      options: {
        'dry-run': { type: 'boolean' },
        yes: { type: 'boolean' },
        prune: { type: 'boolean' },
        json: { type: 'boolean' },
        secrets: { type: 'string' },
        'data-dir': { type: 'string' },
      },
    })
    const [file, ...more] = positionals
    if (file === undefined || more.length > 0)
      throw new ConfigError('Name one configuration file: svc-engine apply config.yaml')
    const { apply } = await import('./apply.ts')
    const { yes = false, prune = false, json = false, secrets } = values
    const dry_run = values['dry-run'] ?? false
    return apply({ file, yes, dry_run, prune, json, secrets, data_dir: values['data-dir'] }, process.env)
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

function isHelp(word: string): boolean {
  return word === '--help' || word === '-h'
}

/** `svc-engine doctor` is meant as `svc-engine admin doctor`. */
async function programOf(name: string): Promise<string | undefined> {
  const { nounsFor } = await import('./admin.ts')
  return Object.hasOwn(await nounsFor([name]), name) ? `admin ${name}` : undefined
}

const has_help_of_its_own: readonly string[] = ['admin', 'plugin']

async function main([name, ...args]: string[]): Promise<number | undefined> {
  if (name === 'help' && args.length > 0) return main([...args, '--help'])
  if (name === undefined || isHelp(name) || name === 'help') {
    console.log(main_help)
    return name === undefined ? 1 : 0
  }
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (command && args.some(isHelp) && !has_help_of_its_own.includes(name)) {
    console.log(await helpOf(name))
    return 0
  }
  if (command) {
    if (command_help[name]!.has_settings) {
      const { requireKnownNames } = await import('./settings/known-names.ts')
      requireKnownNames(process.env)
    }
    return command(args)
  }
  const hint = closest(name, Object.keys(commands)) ?? (await programOf(name))
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
