// A worker's result: errors lose their type between workers, so a refusal travels as plain data.
import { Refusal, type RefusalCode, type RefusalDetails, refuse } from '../refusal.ts'

export type Verdict<T> =
  | { readonly answer: T }
  | {
      readonly refused: {
        readonly code: RefusalCode
        readonly sentence: string
        readonly details: RefusalDetails
      }
    }

export function verdictOf<T>(work: () => T): Verdict<T> {
  try {
    return { answer: work() }
  } catch (thrown) {
    if (!(thrown instanceof Refusal)) throw thrown
    return { refused: { code: thrown.code, sentence: thrown.message, details: thrown.details } }
  }
}

export function answerOf<T>(verdict: Verdict<T>): T {
  if ('answer' in verdict) return verdict.answer
  const { code, sentence, details } = verdict.refused
  throw refuse(code, sentence, details)
}
