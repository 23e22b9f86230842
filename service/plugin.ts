// svc-engine plugin: commands for authors and operators of plugins.
import { runProgram } from './admin/program.ts'
import { processTerminal, type Terminal } from './admin/terminal.ts'
import { building } from './plugin/build.ts'
import { installing } from './plugin/install.ts'
import { making } from './plugin/new.ts'
import { disabling, enabling, inspecting, listing } from './plugin/records.ts'
import { signing } from './plugin/sign.ts'
import { testing } from './plugin/test.ts'
import type { Environment } from './settings/reader.ts'

const nouns = {
  new: { '': making },
  build: { '': building },
  test: { '': testing },
  sign: { '': signing },
  install: { '': installing },
  list: { '': listing },
  inspect: { '': inspecting },
  enable: { '': enabling },
  disable: { '': disabling },
}

const introduction = `svc-engine plugin: your own protocols as WebAssembly components (docs/plugins.md)
`
const ending = `
  --json     JSON lines instead of tables      --data-dir D     the folder of svc-engine up (.svc)
  --help     also after a command: svc-engine plugin install --help
`

export async function plugin(
  args: string[],
  env: Environment,
  terminal: Terminal = processTerminal(),
): Promise<number> {
  return runProgram({ name: 'svc-engine plugin', nouns, introduction, ending }, args, env, terminal)
}
