// The declaration of a plugin's protocol: its own texts for its operations, and our facts if the slot is one of ours.

import type { PluginManifest } from '@svc/contract/foreign/plugin-manifest'
import type { OperationFacts } from '@svc/contract/operation-facts'
import type { Declaration } from '@svc/contract/protocol'
import { declarationFault } from './declaration-fault.ts'
import { wireVersion } from './judge.ts'
import { type PluginPackage, Rejected } from './plugin-folder.ts'
import { pluginFacts } from './plugin-operations.ts'

/** `known` are the versions of the catalogue; a plugin in one of our slots cannot be less strict than ours. */
export function declarePlugin(
  { manifest, operations }: PluginPackage,
  declarations: readonly Declaration[],
): Declaration {
  const { plugin } = manifest
  const id = slotOf(manifest)
  const ours = declarations.find((each) => each.id.toUpperCase() === id.toUpperCase())
  const facts = plugin.operations.operations.map((name): [string, OperationFacts] => {
    const operation_facts = pluginFacts(
      plugin.name,
      Object.hasOwn(operations, name) ? operations[name] : undefined,
    )
    const own = ours && Object.hasOwn(ours.operations, name) ? ours.operations[name] : undefined
    return [name, own ? asStrict(operation_facts, own) : operation_facts]
  })
  const declaration: Declaration = {
    plane: ours?.plane ?? 'execution',
    estate: ours?.estate === 'adapter' ? 'protocol' : (ours?.estate ?? 'protocol'),
    rate: ours?.rate ?? 'standard',
    category: ours?.category ?? 'svc-infrastructure',
    id: ours?.id ?? id,
    version: wireVersion(plugin.version),
    summary: plugin.description,
    operations: Object.fromEntries(facts),
  }
  const fault = declarationFault(declaration)
  if (fault) throw new Rejected('bad operations', `It cannot be listed: ${fault}.`)
  return declaration
}

/** A Protocol names its slot; a Gateway or an Extension without one uses its own name. */
function slotOf({ plugin }: PluginManifest): string {
  if (plugin.protocol !== undefined) return plugin.protocol
  if (plugin.plugin_type === 'Protocol')
    throw new Rejected('no slot', 'A plugin of type Protocol names the slot it implements: protocol = "…".')
  return plugin.name.replaceAll(/[^a-z]/g, '').toUpperCase()
}

/** What an operation may do to whom stays; its schemas are the plugin's own. */
function asStrict(operation_facts: OperationFacts, ours: OperationFacts): OperationFacts {
  const { effect, level, meters, multipliers, rate_cost, engages, acts_outside, keep_input, secret_output } =
    ours
  const strict = {
    effect,
    level,
    meters,
    multipliers,
    rate_cost,
    engages,
    acts_outside,
    keep_input,
    secret_output,
  }
  const stricter = Object.entries(strict).filter(([, value]) => value !== undefined)
  return { ...operation_facts, ...Object.fromEntries(stricter) }
}
