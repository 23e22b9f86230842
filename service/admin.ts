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
import { protocol } from './admin/protocols.ts'
import { tenant } from './admin/tenants.ts'
import { processTerminal, type Terminal } from './admin/terminal.ts'
import { user } from './admin/users.ts'
import { witness } from './admin/witness.ts'
import type { Environment } from './config.ts'

/** It looks at what may be broken, so it opens nothing before it looks. */
const doctor: Command = {
  usage: 'doctor [--port N]',
  summary: 'looks at database, cache, keys, clock, disk and ports, and says what to do',
  takes: ['port'],
  runAlone: ({ target, values }) => diagnose(target, values.port, system_clock),
}

const nouns: Readonly<Record<string, Noun>> = {
  tenant,
  member,
  user,
  key,
  credit,
  identity,
  protocol,
  audit,
  witness,
  export: exporting,
  doctor: { '': doctor },
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
  return runProgram({ name: 'svc-engine admin', nouns, introduction, ending }, args, env, terminal)
}
