// The second wall: should a stranger's words ever become JavaScript here, it finds the language, WebAssembly and nothing of Node.
import { registerHooks } from 'node:module'
import process from 'node:process'
import { runInNewContext } from 'node:vm'

/** Of Node's own names only what the translator's glue uses. */
const allowed_globals = ['TextDecoder', 'TextEncoder', 'queueMicrotask', 'setTimeout', 'clearTimeout']

/** Functions of the process that reach beyond it, or hand out a module; the rest of it is Node's own and cannot be taken away. */
const reaching = [
  '_debugProcess',
  '_debugEnd',
  '_kill',
  '_linkedBinding',
  'binding',
  'dlopen',
  'execve',
  'getBuiltinModule',
  'kill',
  'loadEnvFile',
  'mainModule',
  'report',
]

const nobody = 65_534
const { exit, getuid, setgroups, setgid, setuid } = process

/** From here on nothing can be imported but `glue`, and the process is nobody's. */
export function disarm(glue: string): void {
  registerHooks({
    resolve(specifier, context, next) {
      if (specifier === glue) return next(specifier, context)
      throw new Error('a plugin imports nothing')
    },
  })
  const language: string[] = runInNewContext('Object.getOwnPropertyNames(globalThis)')
  const allowed = new Set([...language, ...allowed_globals])
  for (const name of Object.getOwnPropertyNames(globalThis)) if (!allowed.has(name)) wipe(globalThis, name)
  for (const name of reaching) wipe(process, name)
  becomeNobody()
}

/** The one thing of the process that is still needed. */
export function leave(): never {
  return exit(0)
}

function wipe(owner: object, name: string): void {
  Reflect.deleteProperty(owner, name)
}

/** Only root can, and only where the user namespace has such a user; any other engine's sandboxes stay its own user's. */
function becomeNobody(): void {
  if (getuid?.() !== 0) return
  try {
    setgroups!([])
    setgid!(nobody)
    setuid!(nobody)
  } catch {
    // The other walls stand.
  }
}
