// The participants, each with an identity document, the operator's attestation (L2) and an API key.
import { join } from 'node:path'
import { type Agent, agentAt } from './agent.ts'
import type { Engine, Installation } from './engines.ts'

interface Enrolment {
  readonly kind?: 'human-root' | 'agent'
  readonly parent?: Agent
  readonly is_member?: boolean
}

export async function meet(installation: Installation, north: Engine, south: Engine) {
  const { admin } = installation
  const enrol = async (engine: Engine, tenant_id: string, name: string, options: Enrolment = {}) => {
    const { kind = 'human-root', parent, is_member = false } = options
    const descent = parent ? ['--parent', parent.did] : []
    const [identity] = await admin(
      engine,
      ...['identity', 'create', tenant_id, '--kind', kind, '--name', name, '--capability', 'svc.*.*'],
      ...descent,
    )
    const did = identity!.did!
    await admin(engine, 'identity', 'attest', did)
    if (is_member) await admin(engine, 'member', 'add', tenant_id, did)
    const [key] = await admin(engine, 'key', 'issue', tenant_id, '--did', did, '--label', name)
    return agentAt(engine, { name, did, tenant_id, api_key: key!.api_key! })
  }
  await installation.apply(north, join(import.meta.dirname, 'organizations.yaml'))

  const member = { is_member: true }
  const nora = await enrol(north, 'northwind', 'Nora', member)
  const niels = await enrol(north, 'northwind', 'Niels', member)
  const nina = await enrol(north, 'northwind', 'Nina', member)
  const sami = await enrol(south, 'southgate', 'Sami', member)
  // People trade through their agents.
  const nord = await enrol(north, 'northwind', 'Nord', { kind: 'agent', parent: nora })
  const sud = await enrol(south, 'southgate', 'Sud', { kind: 'agent', parent: sami })
  // The operator's own: one who books external payments, and one who judges.
  const olaf = await enrol(north, 'operator', 'Olaf', member)
  const olga = await enrol(north, 'operator', 'Olga', { kind: 'agent', parent: olaf, is_member: true })
  const ada = await enrol(north, 'operator', 'Ada')
  await ada.call('MARS.register_agent', {
    agent_did: ada.did,
    name: 'Ada, arbiter',
    entity_kind: 'HumanRoot',
    capabilities: ['svc.moot.hear', 'svc.moot.rule'],
    service_endpoints: [],
    visibility: 'public',
    ttl_seconds: 2_592_000,
  })
  return { nora, niels, nina, nord, sami, sud, olga, ada }
}
