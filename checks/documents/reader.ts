// A newcomer at a shell: an engine started as by npm start, in a folder with only what blocks write, and the
// variables that it printed.
import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import type { Writable } from 'node:stream'
import { freePorts } from '../engines/running-engine.ts'
import { root } from './documents.ts'

/** Only to detect hangs. The first plugin build compiles a JavaScript engine: minutes on a busy machine. */
const start_ms_max = 600_000
const block_ms_max = 900_000
/** After the output of a block; no program prints it. */
const end_mark = '\u0001end\u0001'

interface Finished {
  readonly exit: number | null
  /** Standard output and standard error, as a terminal shows them. */
  readonly output: string
}

export interface Reader {
  /** The complete output of `npm start`. */
  readonly greeting: string
  /** The printed call to paste. */
  readonly curl: string
  readonly env: NodeJS.ProcessEnv
  /** A shell with the printed variables, or with these. */
  openShell(env?: NodeJS.ProcessEnv): Shell
  leave(): Promise<void>
}

export interface Shell {
  run(script: string): Promise<Finished>
  close(): Promise<void>
}

export async function startReader(): Promise<Reader> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-documents-'))
  const shims = join(folder, 'bin')
  mkdirSync(shims)
  for (const name of ['examples', 'checks', 'deploy']) symlinkSync(join(root, name), join(folder, name))
  // npx looks into the current folder; the reader's is the checkout.
  writeFileSync(join(shims, 'npx'), '#!/bin/sh\nexec "$@"\n')
  chmodSync(join(shims, 'npx'), 0o755)
  const PATH = [shims, join(root, 'node_modules/.bin'), process.env.PATH].join(delimiter)
  const NODE_COMPILE_CACHE = join(root, 'node_modules/.cache/svc-compiled')
  const { engine, greeting } = await startAsNpmDoes(folder, { ...process.env, PATH, NODE_COMPILE_CACHE })
  const lines = greeting.split('\n')
  const exports = lines.filter((line) => line.startsWith('export '))
  const show = `${exports.join('\n')}\nprintf '%s\\n' "$SVC_API_URL" "$SVC_API_KEY" "$SVC_AGENT_DID" "$SVC_TENANT_ID"`
  const shell = openShell(folder, { PATH })
  const { output } = await shell.run(show)
  await shell.close()
  const [SVC_API_URL, SVC_API_KEY, SVC_AGENT_DID, SVC_TENANT_ID] = output.split('\n')
  const variables = { SVC_API_URL, SVC_API_KEY, SVC_AGENT_DID, SVC_TENANT_ID }
  const env = { PATH, NODE_COMPILE_CACHE, ...variables }
  return {
    greeting,
    curl: lines.find((line) => line.startsWith('curl ')) ?? 'no curl line was printed',
    env,
    openShell: (other = env) => openShell(folder, other),
    async leave() {
      const exited = new Promise((resolve) => engine.once('exit', resolve))
      if (engine.kill('SIGTERM')) await exited
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

interface Started {
  readonly engine: ChildProcess
  readonly greeting: string
}

async function startAsNpmDoes(folder: string, env: NodeJS.ProcessEnv): Promise<Started> {
  const port = String(await freePorts())
  const args = [join(root, 'service/main.ts'), 'up', '--port', port, '--data-dir', join(folder, '.svc')]
  const engine = spawn(process.execPath, args, { cwd: folder, env, stdio: 'pipe' })
  let greeting = ''
  return await new Promise((resolve, reject) => {
    const fail = (why: string) => reject(new Error(`svc-engine up ${why}: ${greeting}`))
    const timer = setTimeout(() => fail('did not greet in time'), start_ms_max)
    engine.stderr.on('data', (chunk) => {
      greeting += chunk
    })
    engine.stdout.on('data', (chunk) => {
      greeting += chunk
      if (!/^curl .*\n/m.test(greeting)) return
      clearTimeout(timer)
      resolve({ engine, greeting })
    })
    engine.once('exit', (code) => fail(`ended with ${code}`))
  })
}

/** Blocks of one page share a shell, as if pasted one after another, and a home without traces of other pages.
 * A command that fails ends it. */
function openShell(folder: string, env: NodeJS.ProcessEnv): Shell {
  const scripts = mkdtempSync(join(tmpdir(), 'svc-blocks-'))
  const loop = `while read -r file <&3; do . "$file" < /dev/null; printf '${end_mark}'; done 2>&1`
  const child = spawn('sh', ['-eu', '-c', loop], {
    cwd: folder,
    env: { ...env, HOME: mkdtempSync(join(folder, 'home-')) },
    stdio: ['ignore', 'pipe', 'inherit', 'pipe'],
  })
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  const next_file = child.stdio[3] as Writable
  // A shell that ended is reported by its exit code.
  next_file.on('error', () => undefined)
  const stdout = child.stdout!.setEncoding('utf8')
  let count = 0
  return {
    async run(script) {
      const path = join(scripts, String(++count))
      writeFileSync(path, `${script}\n`)
      let output = ''
      const read = (chunk: string) => {
        output += chunk
        if (output.endsWith(end_mark)) done.resolve(0)
      }
      const done = Promise.withResolvers<number | null>()
      const timer = setTimeout(() => child.kill('SIGKILL'), block_ms_max)
      stdout.on('data', read)
      next_file.write(`${path}\n`)
      const exit = await Promise.race([done.promise, ended])
      clearTimeout(timer)
      stdout.off('data', read)
      return { exit, output: output.replace(end_mark, '') }
    },
    async close() {
      next_file.end()
      await ended
      rmSync(scripts, { recursive: true, force: true })
    },
  }
}
