// Builds the Go programs of a module of ours, where Go and its modules are available.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)
const output_chars_shown = 8_000

/** Whether Go and every needed module are available. Prints why not. */
export async function goIsHere(module_dir: string): Promise<boolean> {
  const version = await run('go', ['version']).catch(() => undefined)
  if (!version) return say('go is not here')
  try {
    await go(module_dir, ['mod', 'download'])
    return true
  } catch (error) {
    const [why] = (error as Error).message.split('\n').filter((line) => line.startsWith('go: '))
    return say(`the modules cannot be had here (${why ?? 'go mod download failed'})`)
  }
}

/** Each command of the module as a program in this folder. */
export async function buildGo(module_dir: string, programs_dir: string): Promise<void> {
  await go(module_dir, ['build', '-mod=readonly', '-o', `${programs_dir}/`, './...'])
}

async function go(module_dir: string, args: readonly string[]): Promise<void> {
  try {
    await run('nice', ['go', ...args], { cwd: module_dir })
  } catch (error) {
    const { stderr = '', message } = error as Error & { stderr?: string }
    throw new Error(`go ${args.join(' ')} failed:\n${(stderr.trim() || message).slice(-output_chars_shown)}`)
  }
}

function say(why: string): false {
  console.log(`Go is not checked: ${why}.`)
  return false
}
