// The tools of this engine's own MCP surface, as the registry has them now: also of protocols that came while it runs.
import { deriveMcpTools } from '@svc/catalogue/derive/mcp-tools'
import type { Declaration } from '@svc/contract/protocol'
import type { Registry } from '@svc/engine/routing/routing'
import { shownOperation } from '@svc/engine/routing/shown-versions'
import type { KnownTools } from '@svc/mcp/known-tools'
import type { ToolRow } from '@svc/mcp/tools'

/** For callers of one tenant: while a canary runs, tenants are shown different versions. */
export type ToolsFor = (tenant_id: string) => KnownTools

const tool_form = /^svc\.([^.]+)\.(.+)$/

/** What is derived from a declaration is kept for as long as it is registered, and no longer. */
export function toolsOf(registry: Registry): ToolsFor {
  const derived = new WeakMap<Declaration, ReadonlyMap<string, ToolRow>>()
  const rowsOf = (facts: Declaration) => {
    const cached = derived.get(facts)
    if (cached) return cached
    const rows = new Map(deriveMcpTools([facts]).map((tool) => [tool.operation, rowOf(tool)]))
    derived.set(facts, rows)
    return rows
  }
  return (tenant_id) => ({
    async of(operations) {
      return operations.flatMap(({ protocol, operation, version }) => {
        const registered = registry.versions(protocol)?.find((one) => one.version === version)
        return (registered && rowsOf(registered.facts).get(operation)) ?? []
      })
    },
    find(name) {
      const [, protocol = '', operation = ''] = tool_form.exec(name) ?? []
      const shown = shownOperation(registry, protocol, operation, tenant_id)
      const row = shown && rowsOf(shown.registered.facts).get(operation)
      // Tools are named in one way only, protocols in any letter case.
      return row?.name === name ? row : undefined
    },
  })
}

function rowOf(tool: ReturnType<typeof deriveMcpTools>[number]): ToolRow {
  const { inputSchema, outputSchema, annotations, ...facts } = tool
  return {
    ...facts,
    inputSchema: { ...inputSchema },
    outputSchema: { ...outputSchema },
    annotations: { ...annotations },
  }
}
