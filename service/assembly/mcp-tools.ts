// The tools of this engine's MCP surface, from the current registry, including protocols added while it runs.
import { deriveMcpTools } from '@svc/catalogue/derive/mcp-tools'
import type { Declaration } from '@svc/contract/protocol'
import type { Registry } from '@svc/engine/routing/routing'
import { shownOperation } from '@svc/engine/routing/shown-versions'
import type { KnownTools } from '@svc/mcp/known-tools'
import type { ToolRow } from '@svc/mcp/tools'

/** Per tenant: during a canary, tenants get different versions. */
export type ToolsFor = (tenant_id: string) => KnownTools

const tool_form = /^svc\.([^.]+)\.(.+)$/

/** Derived tools are cached as long as their declaration is registered. */
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
      // Tool names are case-sensitive, protocol names are not.
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
