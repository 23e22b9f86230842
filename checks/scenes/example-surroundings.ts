// What operators set up for the few examples that need more than calls: `example_needs` says so to readers.
import assert from 'node:assert/strict'
import { issueKey } from '@svc/adapters/access/api-keys'
import { newIdentity } from '@svc/adapters/access/tenants'
import { giveRoles } from '@svc/adapters/accounts/role-store'
import { createUser } from '@svc/adapters/accounts/users'
import { system_clock } from '@svc/adapters/clock/system'
import { keepRegistration } from '@svc/adapters/external/registrations'
import type { Database } from '@svc/contract/database'
import { sql } from '@svc/database/sql'
import { openArsenalNode } from '@svc/nodes/arsenal-node'
import { thermostat_needed } from '@svc/protocols/execution/mote/scenes'
import { keepNotice } from '@svc/protocols/governance/mausoleum/api'
import { approval_needed } from '@svc/protocols/governance/maxim/scenes'
import { colleague_login, people_needed, request_needed } from '@svc/protocols/identity/macs/scenes'
import type { InProcessService } from '../engines/in-process.ts'
import { type Addresses, dispatch } from '../engines/running-engine.ts'
import {
  commandKeys,
  describeDevice,
  deviceLogin,
  newDevice,
  registerDevice,
  type SimulatedDevice,
  startDevice,
} from '../neighbours/test-device.ts'
import { startTestService } from '../neighbours/test-service.ts'
import { toolOf } from '../neighbours/test-tool.ts'

const day_s = 86_400

type Pause = () => Promise<void>

/** The service outside runs on this machine. */
export const allowed_networks = ['127.0.0.0/8']

export interface ExampleSurroundings {
  /** What an example needs before its scene; an example that needs nothing gets none of it. */
  arrange(needs: string | undefined, you: Addresses, pause: Pause): Promise<void>
  close(): Promise<void>
}

export async function openSurroundings(
  { service, config, api_url }: InProcessService,
  mqtt_port: number,
): Promise<ExampleSurroundings> {
  const devices: SimulatedDevice[] = []
  const { engine } = service.store
  // An engine trusts the tools that it published itself.
  const tool = toolOf(config.agent_key!)
  await openArsenalNode(engine).operations.publish!.handle(tool as never, {} as never)
  const outside = await startTestService({ pages: 3, text: 'Invoice 118: 40 hours, 100 USD.' })
  const registration = {
    name: 'OCR',
    version: 'v1.0.0',
    endpoint: outside.url,
    timeout_ms: 10_000,
    operations: ['read_pages'],
    answers: 'unsigned',
    weight: 1,
  } as const
  return {
    async arrange(needs, you, pause) {
      // The notice of a dissolution takes days.
      await keepNotice(engine, needs === undefined ? config.dissolution_notice_days * day_s : 0)
      if (needs === undefined) return
      if (needs === thermostat_needed) devices.push(await connectThermostat(you, mqtt_port, pause))
      if (needs === approval_needed) await askForApproval(engine, you)
      if (needs === people_needed) await addPeople(engine, you)
      if (needs === request_needed) await askForAccess(engine, you, await addPeople(engine, you))
      // The caller is the service of OCR.
      await keepRegistration(engine, { ...registration, did: you.agent_did })
      while (!(await fetch(`${api_url}/v1/protocols/OCR`)).ok) await pause()
    },
    async close() {
      await Promise.all(devices.map((device) => device.close()))
      await outside.close()
    },
  }
}

/** Somebody else of your organization, whose calls need your consent, makes one. */
async function askForApproval(engine: Database, you: Addresses): Promise<void> {
  const { tenant_id, agent_did } = you
  const { did } = newIdentity(tenant_id, 'agent')
  const capabilities = [{ name: 'svc.maxim.list', caveats: [`approval:${agent_did}`] }]
  const { api_key } = await issueKey(engine, { tenant_id, did, mode: 'test', capabilities })
  const colleague = { ...you, agent_did: did, api_key }
  const { body } = await dispatch(colleague, { protocol: 'MAXIM', operation: 'list', input: {} })
  assert.equal(body.error?.code, 'approval_required', JSON.stringify(body))
}

/** You administer your organization, and have a colleague. Logins are unique on an engine: earlier ones make room. */
async function addPeople(engine: Database, { tenant_id, agent_did }: Addresses): Promise<string> {
  const colleague = newIdentity(tenant_id, 'person').did
  await sql`UPDATE users SET login = login || '.' || tenant_id WHERE login IN ('you', ${colleague_login})`.execute(
    engine,
  )
  await createUser(engine, system_clock, { tenant_id, login: colleague_login, did: colleague })
  const { user_id } = await createUser(engine, system_clock, { tenant_id, login: 'you', did: agent_did })
  const at = new Date(system_clock.now_ms())
  await giveRoles(engine, { tenant_id, user_id }, ['administrator'], 'hand', at)
  return colleague
}

async function askForAccess(engine: Database, you: Addresses, did: string): Promise<void> {
  const { tenant_id } = you
  const capabilities = [{ name: 'svc.macs.request_access', caveats: [] }]
  const { api_key } = await issueKey(engine, { tenant_id, did, mode: 'test', capabilities })
  const request = { protocol: 'MACS', operation: 'request_access', input: { role: 'finance' } }
  const { status, body } = await dispatch({ ...you, agent_did: did, api_key }, request)
  assert.equal(status, 200, JSON.stringify(body))
}

/** Registered, described, and with a stored reading. */
async function connectThermostat(owner: Addresses, port: number, pause: Pause): Promise<SimulatedDevice> {
  const key = newDevice(owner.tenant_id)
  await registerDevice(owner, key)
  const device = await startDevice(`mqtt://127.0.0.1:${port}`, owner.tenant_id, key, deviceLogin(key))
  device.keys = await commandKeys(owner)
  await device.say('descriptor', describeDevice(key), { retain: true })
  await device.read(19.5)
  const read = { protocol: 'MOTE', operation: 'sensor_read', input: { sensor_id: `${key.did}/temperature` } }
  while ((await dispatch(owner, read)).status !== 200) await pause()
  return device
}
