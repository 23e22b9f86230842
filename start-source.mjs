// How `node_modules/.bin/svc` and `svc-engine` of a checkout start, on whatever Node calls them. The sources are TypeScript,
// which only newer versions run; an older one hands over to the Node that package-lock.json names.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { constants } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = dirname(fileURLToPath(import.meta.url))
const own_node = join(root, 'node_modules/.bin/node')

/** `name` is what the user called, `main` its program, seen from here; `flags` are for the Node that runs it. */
export async function startSource(name, main, flags = []) {
  const [major, minor] = process.versions.node.split('.').map(Number)
  if (major > 24 || (major === 24 && minor >= 12)) {
    await import(pathToFileURL(join(root, main)).href)
    return
  }
  if (!existsSync(own_node)) {
    console.error(
      `${name} of a checkout needs Node 24.12 or newer; this is ${process.version}. Run npm start once: it installs one here.`,
    )
    process.exitCode = 1
    return
  }
  const child = spawn(own_node, [...flags, join(root, main), ...process.argv.slice(2)], { stdio: 'inherit' })
  // A terminal sends Ctrl-C to both; what is sent to this process alone is passed on.
  process.on('SIGINT', () => {})
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]))
}
