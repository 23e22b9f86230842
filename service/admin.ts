// svc-engine admin: what an operator does by hand. Works on the database directly, so it runs while the engine does.
import { system_clock } from '@svc/adapters/clock/system'
import { audit, exporting } from './admin/audit.ts'
import type { Command, Noun } from './admin/command.ts'
import { credit } from './admin/credit.ts'
import { diagnose } from './admin/doctor.ts'
import { identity } from './admin/identities.ts'
import { key } from './admin/keys.ts'
import { member } from './admin/members.ts'
import { runProgram } from './admin/program.ts'
import { tenant } from './admin/tenants.ts'
import { processTerminal, type Terminal } from './admin/terminal.ts'
import { user } from './admin/users.ts'
import { witness } from './admin/witness.ts'
import type { Environment } from './settings/reader.ts'

/** It looks at what may be broken, so it opens nothing before it looks. */
const doctor: Command = {
  usage: 'doctor [--port N]',
  summary: 'looks at database, cache, keys, clock, disk and ports, and says what to do',
  takes: ['port'],
  runAlone: ({ target, values }) => diagnose(target, values.port, system_clock),
}

const before: Readonly<Record<string, Noun>> = { tenant, member, user, key, credit, identity }
const behind: Readonly<Record<string, Noun>> = {
  audit,
  witness,
  export: exporting,
  doctor: { '': doctor },
}

/** `protocol` knows the whole catalogue, which takes as long to load as all else: so only where it may be asked for. */
async function nounsFor([first = '']: readonly string[]): Promise<Readonly<Record<string, Noun>>> {
  if (Object.hasOwn(before, first) || Object.hasOwn(behind, first)) return { ...before, ...behind }
  const { protocol } = await import('./admin/protocols.ts')
  return { ...before, protocol, ...behind }
}

const introduction = `svc-engine admin: works on SVC_DB_URL, or on the embedded database of --data-dir (.svc)
`
const ending = `
  --json     JSON lines instead of tables      --help     also after a noun: svc-engine admin key --help
`

export async function admin(
  args: string[],
  env: Environment,
  terminal: Terminal = processTerminal(),
): Promise<number> {
  const nouns = await nounsFor(args)
  return runProgram({ name: 'svc-engine admin', nouns, introduction, ending }, args, env, terminal)
}
