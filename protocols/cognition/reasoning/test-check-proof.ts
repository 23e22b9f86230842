// An independent proof checker: knows only clauses and steps.
import type { Clause, Condition, Literal, Term } from './clause.ts'
import type { ProofStep } from './proof.ts'

/** The first flaw of a proof, or undefined. `fails` decides what is not derivable. */
export function findFlaw(
  steps: readonly ProofStep[],
  clauses: readonly Clause[],
  fails: (atom: Literal) => boolean,
): string | undefined {
  if (steps.length === 0) return 'there is no step'
  const program = new Set(clauses)
  for (const [at, step] of steps.entries()) {
    if (step.from.some((place) => place < 0 || place >= at))
      return `step ${at} rests on one that is not before it`
    const flaw = flawOf(step, steps, program, fails)
    if (flaw) return `step ${at} (${step.conclusion.predicate}) ${flaw}`
  }
  const used = new Set(steps.flatMap(({ from }) => from))
  const idle = steps.findIndex((_, at) => at < steps.length - 1 && !used.has(at))
  return idle >= 0 ? `step ${idle} serves nothing` : undefined
}

function flawOf(
  { by, conclusion, clause, from }: ProofStep,
  steps: readonly ProofStep[],
  program: ReadonlySet<Clause>,
  fails: (atom: Literal) => boolean,
): string | undefined {
  if (conclusion.args.some((arg) => typeof arg !== 'string')) return 'speaks of nobody in particular'
  if (by === 'naf') return conclusion.naf && fails(conclusion) ? undefined : 'takes for absent what is not'
  if (by === 'individual') return conclusion.args.length === 1 ? undefined : 'is no individual'
  if (by === 'comparison') return holds(conclusion) ? undefined : 'compares wrongly'
  if (!clause || !program.has(clause)) return 'uses a clause that nobody gave'
  const values = new Map<string, string>()
  if (!fits(clause.head, conclusion, values)) return 'is not what its clause concludes'
  for (const [place, condition] of clause.body.entries()) {
    const step = steps[from[place]!]
    if (!step || !fits(condition, step.conclusion, values)) return `lacks condition ${place}`
    if ((condition.naf ?? false) !== (step.conclusion.naf ?? false)) return `mistakes condition ${place}`
  }
  return from.slice(clause.body.length).every((place) => steps[place]!.by === 'individual')
    ? undefined
    : 'rests on more than its clause says'
}

function fits(pattern: Condition, ground: Condition, values: Map<string, string>): boolean {
  if (pattern.predicate !== ground.predicate || pattern.negated !== ground.negated) return false
  if (pattern.args.length !== ground.args.length) return false
  return pattern.args.every((term: Term, place) => {
    const value = ground.args[place] as string
    if (typeof term === 'string') return term === value
    const before = values.get(term.variable)
    values.set(term.variable, value)
    return before === undefined || before === value
  })
}

function holds({ predicate, args }: Condition): boolean {
  const [a, b] = args.map(Number) as [number, number]
  if (predicate === '=') return args[0] === args[1]
  if (predicate === '!=') return args[0] !== args[1]
  const order = { '<': a < b, '<=': a <= b, '>': a > b, '>=': a >= b }
  return order[predicate as keyof typeof order] === true
}
