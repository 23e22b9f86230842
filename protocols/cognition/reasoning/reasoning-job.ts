// A reasoning task for a worker thread: plain texts in, plain results out.
import { type ComputationHost, computation } from '@svc/contract/needs/computation'
import { reason } from './answer.ts'
import type { Budget } from './budget.ts'
import { renderLiteral } from './clause.ts'
import { Unparsed } from './datalog.ts'
import { individualsOf } from './kernel.ts'
import { readPremises } from './premises.ts'
import type { ProofStep } from './proof.ts'
import { type Question, readQuestion } from './question.ts'
import { readFact, type SnapshotFact } from './snapshot-facts.ts'
import type { Alternative, Answer } from './task.ts'

export interface ReasoningTask {
  readonly intent: string
  readonly premises: readonly string[]
  readonly premise_confidence: readonly number[]
  readonly facts: readonly SnapshotFact[]
  readonly assumption: 'open' | 'closed'
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

export const reasoning_job = computation<ReasoningTask, ReasoningResult>(new URL(import.meta.url))

export function compute(task: ReasoningTask, host: ComputationHost): ReasoningResult {
  const { premises, facts, premise_confidence } = task
  const read = readPremises(premises, task.intent)
  const fact_clauses = facts.flatMap((fact, place) => readFact(fact, read.lexicon, premises.length + place))
  const clauses = [...read.clauses, ...fact_clauses]
  let question: Question
  try {
    question = readQuestion(task.intent, read.lexicon, individualsOf(clauses), premises.length + facts.length)
  } catch (error) {
    if (!(error instanceof Unparsed)) throw error
    const unparsed = [{ index: intent_index, reason: error.message }, ...read.unparsed]
    return { ...nothing, unparsed }
  }
  const chanceOf = (source: number) =>
    premise_confidence[source] ?? facts[source - premises.length]?.confidence ?? 1
  const budget: Budget = {
    work_max: task.work_max,
    deadline_ms: task.deadline_ms,
    elapsed_ms: host.elapsed_ms,
  }
  const reasoned = reason(
    { clauses, question, assumption: task.assumption, chanceOf, wants: task.wants },
    budget,
  )
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
  work: 0,
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
    for (const [place, { conclusion, by, clause, from }] of proof.entries()) {
      if (conclusion.predicate === '#goal' || conclusion.predicate === '#denial' || by === 'individual')
        continue
      if (clause && clause.source >= 0) sources.add(clause.source)
      if (derivation.length >= derivation_max) continue
      numbers.set(place, derivation.length + 1)
      derivation.push({
        step: derivation.length + 1,
        conclusion: renderLiteral(conclusion),
        rule: by === 'clause' ? ruleOf(clause!.source, task) : by,
        from: from.flatMap((other) => numbers.get(other) ?? []),
      })
    }
  }
  const leaves = [...sources].sort((a, b) => a - b).flatMap((source) => leafOf(source, task))
  return { derivation, leaves }
}

function ruleOf(source: number, { premises, facts }: ReasoningTask): string {
  if (source >= 0 && source < premises.length) return `premise:${source}`
  const fact = facts[source - premises.length]
  return fact ? (fact.ref ?? `fact:${source - premises.length}`) : 'granted'
}

function leafOf(source: number, { premises, facts }: ReasoningTask): Leaf[] {
  if (source < premises.length) return [{ premise_index: source }]
  return source < premises.length + facts.length ? [{ fact_index: source - premises.length }] : []
}
