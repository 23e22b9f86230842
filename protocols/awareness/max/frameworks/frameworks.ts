// The frameworks that a compliance report can be issued for.
import { core } from './engine-rules.ts'
import { eu_ai_act } from './eu-ai-act.ts'
import type { FrameworkFacts } from './framework.ts'
import { iso_42001 } from './iso-42001.ts'
import { soc2 } from './soc2.ts'

export const framework_names = ['core', 'soc2', 'eu-ai-act', 'iso42001'] as const
export type FrameworkName = (typeof framework_names)[number]

export const frameworks: Readonly<Record<FrameworkName, FrameworkFacts>> = {
  core,
  soc2,
  'eu-ai-act': eu_ai_act,
  iso42001: iso_42001,
}
