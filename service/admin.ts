// svc-engine admin: what an operator does by hand. Works on the database directly, so it runs while the engine does.
import { system_clock } from '@svc/adapters/clock/system'
import { audit, exporting } from './admin/audit.ts'
import type { Command, Noun } from './admin/command.ts'
import { credit } from './admin/credit.ts'
import { identity } from './admin/identities.ts'
import { key } from './admin/keys.ts'
import { publishing } from './admin/log.ts'
import { log_archive } from './admin/log-archive.ts'
import { member } from './admin/members.ts'
import { runProgram } from './admin/program.ts'
import { role } from './admin/roles.ts'
import { master_key, root_key } from './admin/root-keys.ts'
import { tenant } from './admin/tenants.ts'
import { processTerminal, type Terminal } from './admin/terminal.ts'
import { token_key } from './admin/token-keys.ts'
import { tool } from './admin/tools.ts'
import { user } from './admin/users.ts'
import { witness } from './admin/witness.ts'
import { workload } from './admin/workloads.ts'
import type { Environment } from './settings/reader.ts'

/** Opens no database before its checks: that may be what is broken. */
const doctor: Command = {
  usage: 'doctor [--port N]',
  summary: 'checks database, cache, keys, clock, disk and ports, and says what to do',
  takes: ['port'],
  async runAlone({ target, values }) {
    // It loads every migration, which is slow, so it is imported only when needed.
    const { diagnose } = await import('./admin/doctor.ts')
    return await diagnose(target, values.port, system_clock)
  },
}

const before: Readonly<Record<string, Noun>> = { tenant, member, user, role, key, credit, identity, tool }
const behind: Readonly<Record<string, Noun>> = {
  audit,
  log: { ...log_archive, ...publishing },
  witness,
  workload,
  'master-key': master_key,
  'root-key': root_key,
  'token-key': token_key,
  export: exporting,
  doctor: { '': doctor },
}

/** `protocol` loads the whole catalogue, which is slow, so it is imported only when needed. */
export async function nounsFor([first = '']: readonly string[]): Promise<Readonly<Record<string, Noun>>> {
  if (Object.hasOwn(before, first) || Object.hasOwn(behind, first)) return { ...before, ...behind }
  const { protocol } = await import('./admin/protocols.ts')
  return { ...before, protocol, ...behind }
}

const introduction = `svc-engine admin: works on SVC_DB_URL, or on the embedded database of --data-dir (.svc)
`
const ending = `
  --json     JSON lines instead of tables      --data-dir D     the folder of svc-engine up (.svc)
  --help     also after a noun or a command: svc-engine admin key create --help
`

export async function admin(
  args: string[],
  env: Environment,
  terminal: Terminal = processTerminal(),
): Promise<number> {
  const nouns = await nounsFor(args)
  return runProgram({ name: 'svc-engine admin', nouns, introduction, ending }, args, env, terminal)
}
