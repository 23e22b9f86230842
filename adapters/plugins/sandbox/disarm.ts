// Second line of defence: if foreign text ever runs as JavaScript here, it finds the language, WebAssembly and
// nothing of Node.
import { registerHooks } from 'node:module'
import process from 'node:process'
import { runInNewContext } from 'node:vm'

/** Of Node's globals only what the translator's glue uses. */
const allowed_globals = ['TextDecoder', 'TextEncoder', 'queueMicrotask', 'setTimeout', 'clearTimeout']

/** Functions of `process` that reach beyond it, or return a module; the rest is Node's own and cannot be removed. */
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

/** From here on only `glue` can be imported, and `process` is disarmed. */
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

/** The one member of `process` that is still needed. */
export function leave(): never {
  return exit(0)
}

function wipe(owner: object, name: string): void {
  Reflect.deleteProperty(owner, name)
}

/** Only root can, and only if the user namespace has such a user; otherwise sandboxes run as the engine's user. */
function becomeNobody(): void {
  if (getuid?.() !== 0) return
  try {
    setgroups!([])
    setgid!(nobody)
    setuid!(nobody)
  } catch {
    // The other defences still hold.
  }
}
