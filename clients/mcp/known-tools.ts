// The source of tool descriptions: the built-in catalogue, or an engine.
import type { Whoami } from '@svc/sdk'
import { catalogue_tools, type ToolRow } from './tools.ts'

export interface KnownTools {
  /** The described tools among these operations, in the given versions. */
  of(operations: Whoami['operations'], signal?: AbortSignal): Promise<readonly ToolRow[]>
  /** The tool of a name, as listed; undefined if only the engine may know it. */
  find(name: string): ToolRow | undefined
}

const by_name: ReadonlyMap<string, ToolRow> = new Map(catalogue_tools.map((row) => [row.name, row]))

export const known_by_catalogue: KnownTools = {
  of: () => Promise.resolve(catalogue_tools),
  find: (name) => by_name.get(name),
}
