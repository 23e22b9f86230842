import { stages } from '../../../generated/sdk-operations.ts'

/** The title of each stage by its number. */
export const stage_names: readonly string[] = stages.map(({ title }) => title)
export const stage_name_width = Math.max(...stage_names.map((name) => name.length))
