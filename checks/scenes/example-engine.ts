// An engine on which the examples of all operations are played, each by organizations of its own: to every
// operation it is a fresh engine.
import assert from 'node:assert/strict'
import { issueKey } from '@svc/adapters/access/api-keys'
import { addMember } from '@svc/adapters/access/charter'
import { ensureTenant } from '@svc/adapters/access/tenants'
import { system_clock } from '@svc/adapters/clock/system'
import { adminResolver } from '@svc/adapters/identity/local-admin'
import type { OperationFacts } from '@svc/contract/operation-facts'
import type { SceneRole } from '@svc/contract/scene'
import { playScene, type SceneParty, standInsFor } from '@svc/sdk/scene'
import { askBundledNode, makeIdentity } from '@svc/service/assembly/identities'
import { type InProcessOptions, type InProcessService, startInProcess } from '../engines/in-process.ts'
import { type Addresses, dispatch, freePorts } from '../engines/running-engine.ts'
import { hang_ms_max } from '../suite/eventually.ts'
import { pace, stopwatch } from '../suite/real-time.ts'
import { allowed_networks, openSurroundings } from './example-surroundings.ts'

const repeat_ms = 10

export interface ExampleEngine extends InProcessService {
  /** New organizations that have played the scene, and the example filled in for them. */
  prepare(
    facts: Pick<OperationFacts, 'scene' | 'example' | 'example_by' | 'example_needs'>,
  ): Promise<Prepared>
  /** One that has no part in any scene. */
  newOrganization(): Promise<Addresses>
}

export interface Prepared {
  /** Who calls it in the example. */
  readonly you: Addresses
  readonly input: unknown
}

/** Setting up an organization takes long, so a partner is there only for scenes that have one. */
type Roles = Readonly<
  Record<Exclude<SceneRole, 'partner'>, Addresses> & Partial<Record<'partner', Addresses>>
>

export async function startExampleEngine(options: InProcessOptions = {}): Promise<ExampleEngine> {
  const local = new Set<string>()
  const port = await freePorts()
  const service = await startInProcess({
    with_nodes: true,
    // As in `svc-engine up`: who was set up here is an administrator.
    identity: (others) => adminResolver((did) => local.has(did), others),
    ...options,
    config: { allowed_networks, mqtt: { port }, ...options.config },
  })
  const surroundings = await openSurroundings(service, port)
  const enter = (tenant_id: string) => enterAs(service, tenant_id, local)
  let organizations = 0
  // One for all: more charter members of the operator could no longer decide alone.
  const operator = await enter(service.operator.tenant_id)
  return {
    ...service,
    async stop() {
      await service.stop()
      await surroundings.close()
    },
    async prepare({ scene = [], example, example_by = 'you', example_needs }) {
      const number = ++organizations
      const has_partner = /"partner"|globex/.test(JSON.stringify([scene, example, example_by]))
      const roles: Roles = {
        you: await enter(`acme-${number}`),
        ...(has_partner && { partner: await enter(`globex-${number}`) }),
        operator,
      }
      const cast = castOf(roles)
      await surroundings.arrange(example_needs, roles.you, cast.pause)
      const fill = await playScene(scene, cast)
      return { you: inRole(roles, example_by), input: fill(example) }
    },
    newOrganization: () => enter(`initech-${++organizations}`),
  }
}

function castOf(roles: Roles): Parameters<typeof playScene>[1] {
  const elapsed_ms = stopwatch()
  return {
    stand_ins: standInsFor(
      {
        you: partyOf(roles.you),
        operator: partyOf(roles.operator),
        ...(roles.partner && { partner: partyOf(roles.partner) }),
      },
      system_clock.now_ms(),
    ),
    async call(role, protocol, operation, input, tenant_id = inRole(roles, role).tenant_id) {
      const answer = await dispatch(inRole(roles, role), { protocol, operation, input, tenant_id })
      assert.equal(
        answer.status,
        200,
        `${protocol}.${operation} of the scene: ${JSON.stringify(answer.body)}`,
      )
      return answer.body.output
    },
    async pause() {
      assert.ok(elapsed_ms() < hang_ms_max, 'the scene waits for an answer that does not come')
      await pace(repeat_ms)
    },
  }
}

function inRole(roles: Roles, role: SceneRole): Addresses {
  const organization = roles[role]
  assert.ok(organization, `the scene has no ${role}`)
  return organization
}

const partyOf = ({ tenant_id, agent_did }: Addresses): SceneParty => ({ tenant_id, did: agent_did })

/** As `svc-engine up` sets up its developer: an agent below a person, in custody, the sole charter member. */
async function enterAs(service: InProcessService, tenant_id: string, local: Set<string>): Promise<Addresses> {
  const { engine: db } = service.service.store
  const clock = system_clock
  await ensureTenant(db, tenant_id, tenant_id, 'sovereign')
  const home = { db, root_keys: service.service.root_keys, clock, askNode: askBundledNode(db, clock) }
  const ours = { tenant_id, custody: 'engine' } as const
  const root = await makeIdentity(home, { ...ours, entity_kind: 'HumanRoot', name: `Root of ${tenant_id}` })
  const agent = { entity_kind: 'Agent', name: 'Developer', parent_did: root.did, label: clock.uuid() }
  const { did } = await makeIdentity(home, { ...ours, ...agent })
  local.add(did)
  await addMember(db, tenant_id, did, new Date(clock.now_ms()))
  const { api_key } = await issueKey(db, { tenant_id, did, mode: 'test' })
  const { api_url, metrics_url } = service
  return { api_url, metrics_url, tenant_id, agent_did: did, api_key }
}
