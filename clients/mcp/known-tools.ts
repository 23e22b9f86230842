// Where a server knows its tools from: the catalogue it was built with, or an engine that says what it has.
import type { Whoami } from '@svc/sdk'
import { catalogue_tools, type ToolRow } from './tools.ts'

export interface KnownTools {
  /** Those of these operations that are known, each in the version named there. */
  of(operations: Whoami['operations'], signal?: AbortSignal): Promise<readonly ToolRow[]>
  /** What a name stands for, as it was listed; undefined where only the engine could say. */
  find(name: string): ToolRow | undefined
}

const by_name: ReadonlyMap<string, ToolRow> = new Map(catalogue_tools.map((row) => [row.name, row]))

export const known_by_catalogue: KnownTools = {
  of: () => Promise.resolve(catalogue_tools),
  find: (name) => by_name.get(name),
}
