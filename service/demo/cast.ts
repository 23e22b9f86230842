// People and agents of the demo: people accept their invitations, the rest is made by the commands of `svc-engine admin`, so that each is
// in the audit log.
import { Readable } from 'node:stream'
import { acceptInvitation } from '@svc/adapters/accounts/accepting'
import type { PostgresStore } from '@svc/adapters/store/postgres'
import type { Clock } from '@svc/engine/ports'
import { readCapabilities } from '../admin/capability-names.ts'
import { homeOf } from '../admin/identities.ts'
import { runWithin } from '../admin/program.ts'
import { currentOperator, type Operator } from '../admin/record.ts'
import type { Target } from '../admin/target.ts'
import { nounsFor } from '../admin.ts'
import { makeIdentity } from '../assembly/identities.ts'
import { callerAt, type DemoCaller } from './caller.ts'
import type { DemoAgent, DemoOrganization, DemoPerson } from './organizations.ts'

export interface Cast {
  readonly organization: DemoOrganization
  /** By login. */
  readonly people: ReadonlyMap<string, DemoCaller>
  /** By name. */
  readonly agents: ReadonlyMap<string, DemoCaller>
  /** Those who decide, in the order of the organization's list. */
  readonly members: readonly DemoCaller[]
}

/** The tokens of the invitations, by login. */
export type Invitations = ReadonlyMap<string, string>

export interface Stage {
  readonly store: PostgresStore
  readonly target: Target
  readonly clock: Clock
  readonly api_url: string
  /** For all people of the demo. */
  readonly password: string
}

type Command = (args: readonly string[]) => Promise<Record<string, unknown>>

export async function castOf(
  stage: Stage,
  organization: DemoOrganization,
  invitations: Invitations,
): Promise<Cast> {
  const { tenant_id } = organization
  const run = commandsOf(stage)
  await run(['credit', 'grant', tenant_id, '500'])
  const enrolled: [DemoPerson, DemoCaller][] = []
  for (const person of organization.people) {
    const did = await join(stage, person, invitations.get(person.login)!)
    enrolled.push([person, await enrolPerson(stage, run, tenant_id, { ...person, did })])
  }
  const people = new Map(enrolled.map(([{ login }, caller]) => [login, caller]))
  const members = enrolled.flatMap(([{ is_member }, caller]) => (is_member ? [caller] : []))
  const agents = new Map<string, DemoCaller>()
  for (const agent of organization.agents) {
    const parent = people.get(agent.parent) ?? agents.get(agent.parent)
    agents.set(agent.name, await enrolAgent(stage, run, tenant_id, agent, parent!))
  }
  return { organization, people, agents, members }
}

/** `svc-engine admin` on this installation. Returns the first row of its output. */
export function commandsOf({ store, target, clock }: Stage): Command {
  const operator = demoOperator(clock)
  const terminal = { input: Readable.from([]), write: async () => {} }
  return async (args) => {
    const program = { name: 'svc-engine admin', nouns: await nounsFor(args) }
    const { rows } = await runWithin(program, [...args], { store, target, operator, terminal })
    return (rows[0] ?? {}) as Record<string, unknown>
  }
}

export function demoOperator(clock: Clock): Operator {
  return { ...currentOperator(clock), os_user: 'demo' }
}

/** As the page of the invitation does it, and with the rights of a member. Returns the DID. */
async function join(
  { store, target, clock, password }: Stage,
  { login, is_member = false }: DemoPerson,
  token: string,
): Promise<string> {
  const db = store.engine
  const capabilities = await readCapabilities(db, is_member ? ['svc.*.*'] : [])
  const person = { entity_kind: 'HumanRoot', custody: 'engine', capabilities } as const
  const user = await acceptInvitation(
    {
      db,
      clock,
      newPerson: async (trx, tenant_id, name, keep) => {
        const home = await homeOf({ target, operator: demoOperator(clock) }, trx)
        return makeIdentity(home, { ...person, tenant_id, name }, keep)
      },
    },
    token,
    { login, password },
  )
  return user!.did
}

async function enrolPerson(
  { api_url }: Stage,
  run: Command,
  tenant_id: string,
  { did, name, is_member = false }: DemoPerson & { readonly did: string },
): Promise<DemoCaller> {
  if (is_member) {
    await run(['identity', 'attest', did])
    await run(['member', 'add', tenant_id, did])
  }
  const may = is_member ? [] : ['--capability', 'svc.macs.request_access']
  const api_key = await keyOf(run, tenant_id, did, `${name} (demo)`, may)
  return callerAt(api_url, { name, did, tenant_id, api_key })
}

async function enrolAgent(
  { api_url }: Stage,
  run: Command,
  tenant_id: string,
  definition: DemoAgent,
  parent: DemoCaller,
): Promise<DemoCaller> {
  const { name, capabilities } = definition
  const may = capabilities.flatMap((capability) => ['--capability', capability])
  const descent = ['--kind', 'agent', '--parent', parent.did, '--name', name]
  const did = String((await run(['identity', 'create', tenant_id, ...descent, ...may])).did)
  await run(['identity', 'attest', did])
  const api_key = await keyOf(run, tenant_id, did, `${name} (demo)`)
  const agent = callerAt(api_url, { name, did, tenant_id, api_key })
  await agent.call('MARS.register_agent', entryOf(definition))
  return agent
}

/** Of the registry, for a month. */
export function entryOf({ name, summary, capabilities, department }: DemoAgent) {
  return {
    name,
    summary: `${summary} Demo data.`,
    entity_kind: 'Agent',
    // Arbiters are found by what they are registered for.
    capabilities: capabilities.filter((capability) => capability.startsWith('svc.moot.')),
    service_endpoints: [],
    tags: ['demo', department],
    visibility: 'public',
    ttl_seconds: 30 * 86_400,
  }
}

async function keyOf(
  run: Command,
  tenant_id: string,
  did: string,
  label: string,
  may: readonly string[] = [],
): Promise<string> {
  const { api_key } = await run(['key', 'issue', tenant_id, '--did', did, '--label', label, ...may])
  return String(api_key)
}
