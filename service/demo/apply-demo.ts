// The organizations of the demo and their people, by a configuration file that stays in the data folder: `svc-engine apply` takes it as it is.
import { Readable } from 'node:stream'
import { stringify } from 'yaml'
import { readConfig } from '../apply/read-config.ts'
import { applyTo } from '../apply.ts'
import { writeWhole } from '../assembly/developer.ts'
import { demoOperator, type Invitations, type Stage } from './cast.ts'
import type { DemoOrganization } from './organizations.ts'

export async function applyDemo(
  { store, target, clock }: Stage,
  organizations: readonly DemoOrganization[],
  file: string,
): Promise<Invitations> {
  writeWhole(file, configOf(organizations))
  const read = readConfig(file)
  const lines: string[] = []
  const terminal = { input: Readable.from([]), write: async (text: string) => void lines.push(text) }
  const options = { file, yes: true, dry_run: false, prune: false, json: true }
  const operator = { ...demoOperator(clock), config_sha256: read.sha256 }
  await applyTo({ store, target, operator, terminal, read, options })
  return new Map(lines.flatMap(invitationIn).map(({ login, link }) => [login, tokenOf(link)] as const))
}

function configOf(organizations: readonly DemoOrganization[]): string {
  const tenants = organizations.map(({ tenant_id, name, people }) => ({
    id: tenant_id,
    name,
    tier: 'sovereign',
    people: people.map((person) => ({ login: person.login, name: person.name, roles: [person.role] })),
  }))
  const head = '# The organizations of the demo, as svc-engine apply brought them here.\n'
  return head + stringify({ version: 1, tenants }, { aliasDuplicateObjects: false })
}

interface Invitation {
  readonly login: string
  readonly link: string
}

/** Output of a step that invites somebody. */
function invitationIn(lines: string): Invitation[] {
  const steps = lines
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { result?: Partial<Invitation> })
  return steps.flatMap(({ result }) =>
    result?.login !== undefined && result.link !== undefined ? [result as Invitation] : [],
  )
}

function tokenOf(link: string): string {
  return new URLSearchParams(link.slice(link.indexOf('?'))).get('token')!
}
