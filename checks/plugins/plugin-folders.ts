// Folders of plugins for an engine that asks for no signature, each around a component a few lines long.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export interface PluginToWrite {
  readonly name: string
  /** The slot. */
  readonly protocol: string
  readonly operations: readonly string[]
  readonly component: Uint8Array
  readonly deadline_ms: number
}

const nobody = `did:oas:examples:organization:${'0'.repeat(64)}`

export function writePlugin(
  directory: string,
  { name, protocol, operations, component, deadline_ms }: PluginToWrite,
): void {
  const folder = join(directory, name)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'plugin.wasm'), component)
  const facts = { effect: 'read', level: 'L0', deadline_ms }
  writeFileSync(
    join(folder, 'operations.json'),
    JSON.stringify(Object.fromEntries(operations.map((each) => [each, facts]))),
  )
  writeFileSync(
    join(folder, 'plugin.toml'),
    `[plugin]
name = "${name}"
version = "1.0.0"
description = "Tests what an engine does with it."
plugin_type = "Protocol"
protocol = "${protocol}"

[plugin.binary]
source_type = "wasm"
path = "plugin.wasm"

[plugin.metadata]
author = "${nobody}"
license = "Apache-2.0"
min_svc_version = "0.1.0"

[plugin.operations]
operations = ${JSON.stringify(operations)}
`,
  )
}
