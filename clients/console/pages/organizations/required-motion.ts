// The council motion that a refused action requires.
import type { Problem } from '../../shell/use-query.ts'

export interface RequiredMotion {
  /** Both empty if the refusal does not name them. */
  readonly operation: string
  readonly subject: string
}

const named = /binds ([A-Za-z]+\.[a-z0-9_.]+) to (\S+), or/

export function requiredMotion(problem: Problem): RequiredMotion | undefined {
  if (!('details' in problem) || problem.details.gate !== 'MACE-quorum') return undefined
  const [, operation = '', subject = ''] = named.exec(problem.message) ?? []
  return { operation, subject }
}
