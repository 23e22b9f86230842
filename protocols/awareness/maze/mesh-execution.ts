// An organization's tools, devices and workflows, from the execution plane.

import { findServers, findTools } from '../../execution/mat/api.ts'
import { type ListedWorkflow, listWorkflows } from '../../execution/moon/api.ts'
import { deviceState, type ListedDevice, listDevices } from '../../execution/mote/api.ts'
import type { Mesh, MeshEdge } from './mesh.ts'
import { organizationId, protocolId } from './mesh-gathering.ts'
import type { MeshScene } from './mesh-scene.ts'

function hosts(from: string, to: string): MeshEdge {
  return { from, to, kind: 'hosts', weight: 1 }
}

/** Servers and decisions on their tools; decisions have no time, so the past shows none. */
export async function gatherTools({ context, is_past, limit }: MeshScene): Promise<Mesh> {
  if (is_past) return { nodes: [], edges: [] }
  const servers = await findServers(context)
  const tools = await findTools(
    context,
    servers.map(({ id }) => id),
  )
  const serverId = (id: string) => `endpoint:mcp:${id}`
  const toolId = (tool: { server_id: string; name: string }) => `tool:mcp:${tool.server_id}/${tool.name}`
  const shown = tools.slice(0, limit)
  return {
    nodes: [
      ...servers.map(({ id, state }) => {
        return { id: serverId(id), kind: 'endpoint', label: id, state: state.toUpperCase(), health: null } as const // biome-ignore format: kept on one line
      }),
      ...shown.map((tool) => {
        return { id: toolId(tool), kind: 'tool', label: tool.name, state: tool.state.toUpperCase(), health: null } as const // biome-ignore format: kept on one line
      }),
    ],
    edges: [
      ...servers.map(({ id }) => hosts(organizationId(context.tenant_id), serverId(id))),
      ...servers.map(({ id }) => hosts(protocolId('MAT'), serverId(id))),
      ...shown.map((tool) => hosts(serverId(tool.server_id), toolId(tool))),
    ],
    truncated: tools.length > limit,
  }
}

const device_pages_max = 64

export async function gatherDevices(scene: MeshScene): Promise<Mesh> {
  const { context, at, limit } = scene
  const listed_devices: ListedDevice[] = []
  let is_more = true
  for (let page = 0; is_more && page < device_pages_max && listed_devices.length <= limit; page++) {
    const after = listed_devices.at(-1)?.device_did ?? ''
    const next = await listDevices(context.db, context.tenant_id, { after })
    listed_devices.push(...next)
    is_more = next.length > 0
  }
  const devices = listed_devices.filter(({ accepted_at }) => accepted_at.getTime() <= Date.parse(at))
  const shown = devices.slice(0, limit)
  return {
    nodes: shown.map((device) => ({
      id: device.device_did,
      kind: 'device',
      label: device.name ?? device.device_did,
      state: scene.is_past ? 'KNOWN' : deviceState(device, Date.parse(at)),
      health: null,
    })),
    edges: shown.flatMap(({ device_did }) => [
      hosts(organizationId(context.tenant_id), device_did),
      hosts(protocolId('MOTE'), device_did),
    ]),
    truncated: is_more || devices.length > limit,
  }
}

export async function gatherWorkflows({ context, at, is_past, limit }: MeshScene): Promise<Mesh> {
  const workflows = await listWorkflows(context.db, context.tenant_id, { until: at, limit: limit + 1 })
  const shown = workflows.slice(0, limit)
  const idOf = ({ ref }: ListedWorkflow) => `workflow:${ref}`
  return {
    nodes: shown.map((workflow) => ({
      id: idOf(workflow),
      kind: 'workflow',
      label: `${workflow.name} ${workflow.version}`,
      state: is_past ? 'KNOWN' : workflowState(workflow),
      health: null,
    })),
    edges: shown.flatMap((workflow) => [
      hosts(organizationId(context.tenant_id), idOf(workflow)),
      hosts(protocolId('MOON'), idOf(workflow)),
    ]),
    truncated: workflows.length > limit,
  }
}

function workflowState({ is_active, is_paused, open_runs }: ListedWorkflow): string {
  if (open_runs > 0) return 'RUNNING'
  if (is_paused) return 'PAUSED'
  return is_active ? 'ACTIVE' : 'INACTIVE'
}
