// A reasoning task for a worker thread: plain texts in, plain results out.
import { type ComputationHost, computation } from '@svc/contract/needs/computation'
import type { Budget } from './budget.ts'
import { case_source } from './cases.ts'
import { reasonByCertainty } from './certainty.ts'
import { type Clause, type Condition, type Literal, literal, renderLiteral } from './clause.ts'
import { Unparsed } from './datalog.ts'
import type { Rules } from './implications.ts'
import { individualsOf } from './kernel.ts'
import { orderClauses } from './orders.ts'
import { hedge_prefix, readPremises } from './premises.ts'
import type { ProofStep } from './proof.ts'
import { type Question, readQuestion } from './question.ts'
import { type Reading, readingOfQuestion, readingsOf } from './reading.ts'
import { readFact, type SnapshotFact } from './snapshot-facts.ts'
import { type Alternative, type Answer, alternatives_max, bindings_max } from './task.ts'

export interface ReasoningTask {
  readonly intent: string
  readonly premises: readonly string[]
  readonly premise_confidence: readonly number[]
  readonly facts: readonly SnapshotFact[]
  readonly assumption: 'open' | 'closed'
  readonly rules?: Rules
  readonly wants: { readonly proofs: boolean; readonly confidence: boolean; readonly alternatives: boolean }
  readonly work_max: number
  readonly deadline_ms: number
}

export interface Leaf {
  readonly premise_index?: number
  readonly fact_index?: number
}

export interface DerivationStep {
  readonly step: number
  readonly conclusion: string
  readonly rule: string
  readonly from: readonly number[]
}

export interface ReasoningResult {
  readonly status: 'complete' | 'budget_exhausted' | 'deadline'
  readonly answer: Answer
  readonly bindings?: readonly Readonly<Record<string, string>>[]
  readonly derivation: readonly DerivationStep[]
  readonly leaves: readonly Leaf[]
  readonly confidence: number
  readonly confidence_upper: number
  readonly alternatives: readonly ToldAlternative[]
  readonly unparsed: readonly { readonly index: number; readonly reason: string }[]
  /** How each text was read. */
  readonly readings: readonly Reading[]
  /** The hedges the answer rests on. */
  readonly hedges: readonly { readonly index: number; readonly word: string; readonly probability: number }[]
  /** What reached a limit of its own. */
  readonly shortened: readonly ('bindings' | 'derivation' | 'alternatives')[]
  readonly work: number
}

export interface ToldAlternative {
  readonly answer?: Answer
  readonly binding?: Readonly<Record<string, string>>
  readonly missing_facts?: readonly string[]
  readonly confidence: number
}

/** The index used if the intent itself was not understood. */
export const intent_index = -1
const derivation_max = 2000
const hidden = new Set(['#goal', '#denial', '#case'])

export const reasoning_job = computation<ReasoningTask, ReasoningResult>(new URL(import.meta.url))

export function compute(task: ReasoningTask, host: ComputationHost): ReasoningResult {
  const { premises, facts, premise_confidence } = task
  const read = readPremises(premises, task.intent, task.rules)
  const fact_clauses = facts.flatMap((fact, place) => readFact(fact, read.lexicon, premises.length + place))
  const clauses = [...read.clauses, ...fact_clauses]
  const readings = readingsOf(read)
  let question: Question
  try {
    question = readQuestion(task.intent, read.lexicon, individualsOf(clauses), premises.length + facts.length)
  } catch (error) {
    if (!(error instanceof Unparsed)) throw error
    const unparsed = [{ index: intent_index, reason: error.message }, ...read.unparsed]
    return { ...nothing, unparsed, readings }
  }
  const hedges_from = premises.length + facts.length + 1
  const chanceOf = (source: number) =>
    premise_confidence[source] ??
    facts[source - premises.length]?.confidence ??
    read.hedges[source - hedges_from]?.probability ??
    1
  const hedge_facts = read.hedges.map(({ predicate }, place): Clause => {
    return { head: literal(predicate, []), body: [], source: hedges_from + place }
  })
  const budget: Budget = {
    work_max: task.work_max,
    deadline_ms: task.deadline_ms,
    elapsed_ms: host.elapsed_ms,
  }
  const { assumption, wants } = task
  const believed = believe(clauses, read.turned, question, assumption)
  const incomplete = read.unparsed.length > 0
  const reasoned = reasonByCertainty(
    { clauses: believed, question, assumption, incomplete, chanceOf, wants },
    { hedge_facts, disjunctions: read.disjunctions },
    budget,
  )
  const used = new Set(reasoned.proofs.flat().flatMap(({ clause }) => clause?.source ?? []))
  const proofs = tellProofs(reasoned.proofs, task)
  return {
    status: reasoned.status,
    answer: reasoned.answer,
    ...(reasoned.bindings && { bindings: reasoned.bindings }),
    ...proofs,
    confidence: reasoned.confidence,
    confidence_upper: reasoned.confidence_upper,
    alternatives: reasoned.alternatives.map(tellAlternative),
    unparsed: read.unparsed,
    readings: [...readings, readingOfQuestion(question)],
    hedges: read.hedges.flatMap(({ index, word, probability }, place) => {
      return used.has(hedges_from + place) ? [{ index, word, probability }] : []
    }),
    shortened: [
      ...((reasoned.bindings?.length ?? 0) >= bindings_max ? (['bindings'] as const) : []),
      ...(proofs.derivation.length >= derivation_max ? (['derivation'] as const) : []),
      ...(reasoned.alternatives.length >= alternatives_max ? (['alternatives'] as const) : []),
    ],
    work: reasoned.work,
  }
}

const nothing: ReasoningResult = {
  status: 'complete',
  answer: 'unknown',
  derivation: [],
  leaves: [],
  confidence: 0.5,
  confidence_upper: 0.5,
  alternatives: [],
  unparsed: [],
  readings: [],
  hedges: [],
  shortened: [],
  work: 0,
}

/** With what follows by contraposition, and from what comparatives mean. */
function believe(
  clauses: readonly Clause[],
  turned: readonly Clause[],
  { goal, denial }: Question,
  assumption: ReasoningTask['assumption'],
): readonly Clause[] {
  const queries = [...goal, ...denial].map(
    (body): Clause => ({ head: literal('#goal', []), body, source: -1 }),
  )
  // In a closed world a rule is a definition and is not turned around.
  const implied = assumption === 'open' ? turned : []
  return [...clauses, ...implied, ...orderClauses([...clauses, ...queries])]
}

function tellAlternative({ missing_facts, ...rest }: Alternative): ToldAlternative {
  return { ...rest, ...(missing_facts && { missing_facts: missing_facts.map(renderLiteral) }) }
}

/** The steps of all proofs in one list, without the engine's internal ones. */
function tellProofs(proofs: readonly (readonly ProofStep[])[], task: ReasoningTask) {
  const derivation: DerivationStep[] = []
  const sources = new Set<number>()
  for (const proof of proofs) {
    const numbers = new Map<number, number>()
    for (const [place, { conclusion, by, clause, cases, from }] of proof.entries()) {
      if (clause && clause.source >= 0) sources.add(clause.source)
      if ((hidden.has(conclusion.predicate) && !cases) || by === 'individual') continue
      if (derivation.length >= derivation_max) continue
      numbers.set(place, derivation.length + 1)
      derivation.push({
        step: derivation.length + 1,
        conclusion: cases ? tellCases(cases) : tellConclusion(conclusion),
        rule: by === 'clause' ? ruleOf(clause!.source, task) : by,
        from: from.flatMap((other) => numbers.get(other) ?? []),
      })
    }
  }
  const leaves = [...sources].sort((a, b) => a - b).flatMap((source) => leafOf(source, task))
  return { derivation, leaves }
}

function tellCases(cases: readonly (readonly Literal[])[]): string {
  return cases.map((all) => all.map(renderLiteral).join(', ')).join(' or ')
}

function tellConclusion(conclusion: Condition): string {
  return conclusion.predicate.startsWith(hedge_prefix) ? 'hedge' : renderLiteral(conclusion)
}

function ruleOf(source: number, { premises, facts }: ReasoningTask): string {
  if (source === case_source) return 'case'
  if (source === -1) return 'order'
  if (source > premises.length + facts.length) return 'hedge'
  if (source >= 0 && source < premises.length) return `premise:${source}`
  const fact = facts[source - premises.length]
  return fact ? (fact.ref ?? `fact:${source - premises.length}`) : 'granted'
}

function leafOf(source: number, { premises, facts }: ReasoningTask): Leaf[] {
  if (source < premises.length) return [{ premise_index: source }]
  return source < premises.length + facts.length ? [{ fact_index: source - premises.length }] : []
}
