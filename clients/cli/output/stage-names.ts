import { stages } from '../../../generated/sdk-operations.ts'

/** What each stage is about, by its number, in words for people. */
export const stage_names: readonly string[] = stages.map(({ title }) => title)
export const stage_name_width = Math.max(...stage_names.map((name) => name.length))
