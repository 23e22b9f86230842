// The only place that runs Python: tools in the cache, and for each process an environment with the wheel of the SDK.
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const root = join(import.meta.dirname, '../..')
const output_bytes_max = 64 * 1024 * 1024
const output_chars_shown = 8_000

/** The package, as it is in the repository. */
export const python_package = join(root, 'clients/sdk-python')
const cache = join(root, 'node_modules/.cache/svc-python')
const oldest_minor = 10

export interface Python {
  /** The interpreter of the environment. */
  readonly path: string
  /** Its stdout. Throws with both outputs on failure. */
  run(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<string>
}

let opened: Promise<Python | string> | undefined

/** The environment, with a wheel built of the working tree; or a sentence that says why there is none here. */
export function openPython(): Promise<Python | string> {
  opened ??= open()
  return opened
}

async function open(): Promise<Python | string> {
  const interpreter = await findInterpreter()
  if (!interpreter) return say(`there is no python3 from 3.${oldest_minor} on`)
  const manifest = readFileSync(join(python_package, 'pyproject.toml'))
  const name = createHash('sha256').update(interpreter.version).update(manifest).digest('hex').slice(0, 16)
  const tools = join(cache, name)
  try {
    if (!existsSync(tools)) await installTools(interpreter.command, tools)
  } catch (error) {
    return say((error as Error).message)
  }
  return await installWheel(pythonIn(tools))
}

/** What the package needs, and the tools of its tests. Made beside its place, and moved there when it is complete. */
async function installTools(command: string, folder: string): Promise<void> {
  mkdirSync(cache, { recursive: true })
  const draft = mkdtempSync(join(cache, 'draft-'))
  const python = pythonIn(draft)
  const reasonOf = (what: string) => (error: Error) => {
    throw new Error(`${what} (${error.message.trim().split('\n').at(-1)})`)
  }
  try {
    await execute(command, ['-m', 'venv', draft]).catch(reasonOf('venv makes no environment'))
    const packages = (await python.run(['-c', read_needs, python_package])).trim().split('\n')
    const installing = python.run(['-m', 'pip', 'install', '--quiet', ...packages])
    await installing.catch(reasonOf('pip cannot install httpx, pydantic and the others'))
    // Another process may have been faster.
    if (!existsSync(folder)) renameSync(draft, folder)
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
}

/**
 * An environment of this process alone, which sees the tools: other tests run at the same time. A broken SDK is our
 * fault, not the machine's, so nothing is skipped here.
 */
async function installWheel(tools: Python): Promise<Python> {
  const folder = mkdtempSync(join(cache, 'run-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  await tools.run(['-m', 'venv', '--without-pip', folder])
  const python = pythonIn(folder)
  const site = "import sysconfig; print(sysconfig.get_path('purelib'))"
  const [own_site = '', tools_site = ''] = await Promise.all(
    [python, tools].map(async (one) => (await one.run(['-c', site])).trim()),
  )
  writeFileSync(join(own_site, 'tools.pth'), `${tools_site}\n`)
  // The build tool is installed already, so nothing is downloaded here.
  const wheel = ['--quiet', '--no-deps', '--no-build-isolation', '--wheel-dir', folder, python_package]
  await python.run(['-m', 'pip', 'wheel', ...wheel])
  const files = readdirSync(folder).filter((file) => file.endsWith('.whl'))
  await python.run([
    '-m',
    'pip',
    'install',
    '--quiet',
    '--no-deps',
    ...files.map((file) => join(folder, file)),
  ])
  return python
}

// With the extras. pip reads only newer forms of the manifest by itself, and tomllib is not in 3.10: the lists are
// plain enough.
const read_needs = `
import re, sys
text = open(sys.argv[1] + "/pyproject.toml", encoding="utf-8").read()
lists = re.findall(r"^(?:requires|dependencies|optional-dependencies\\.[\\w-]+|test) = \\[(.*?)\\]", text, re.MULTILINE | re.DOTALL)
print("\\n".join(one for each in lists for one in re.findall(r'"([^"]+)"', each)))
`

function pythonIn(folder: string): Python {
  const path = join(folder, 'bin/python')
  return { path, run: (args, env = {}) => execute(path, args, env) }
}

async function execute(
  command: string,
  args: readonly string[],
  more: Readonly<Record<string, string>> = {},
): Promise<string> {
  // The tests' own variables and settings of a shell are not those of a program.
  const { PATH = '', HOME = '' } = process.env
  const from_pip = Object.entries(process.env).filter(([name]) => /^(PIP_|SSL_CERT|https?_proxy)/i.test(name))
  const env = { PATH, HOME, PYTHONDONTWRITEBYTECODE: '1', ...Object.fromEntries(from_pip), ...more }
  try {
    const options = { cwd: python_package, env: env as NodeJS.ProcessEnv, maxBuffer: output_bytes_max }
    return (await run('nice', [command, ...args], options)).stdout
  } catch (error) {
    const { stdout = '', stderr = '', message } = error as Error & { stdout?: string; stderr?: string }
    const output = `${stdout}\n${stderr}`.trim() || message
    throw new Error(`python ${args.slice(0, 3).join(' ')} failed:\n${output.slice(-output_chars_shown)}`)
  }
}

async function findInterpreter(): Promise<{ command: string; version: string } | undefined> {
  for (const command of ['python3', 'python3.14', 'python3.13', 'python3.12', 'python3.11', 'python3.10']) {
    const version = await execute(command, ['-c', 'import sys; print(sys.version)']).catch(() => '')
    const [, major, minor] = /^(\d+)\.(\d+)\./.exec(version) ?? []
    if (Number(major) === 3 && Number(minor) >= oldest_minor) return { command, version }
  }
  return undefined
}

function say(why: string): string {
  const sentence = `Python is not checked: ${why}.`
  console.log(sentence)
  return sentence
}
