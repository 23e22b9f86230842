// The hostile corpus: every plugin that might harm an engine, each with its expected outcome.
import { endless } from './hostile/endless.ts'
import { greedy } from './hostile/greedy.ts'
import type { HostileCase } from './hostile/hostile-case.ts'
import { lying } from './hostile/lying.ts'
import { misshapen } from './hostile/misshapen.ts'
import { reaching } from './hostile/reaching.ts'

export const hostile_corpus: readonly HostileCase[] = [
  ...misshapen,
  ...reaching,
  ...lying,
  ...endless,
  ...greedy,
]
