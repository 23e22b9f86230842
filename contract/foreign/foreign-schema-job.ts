// Runs in a thread: checks a value against an untrusted schema.
import { judgeNow, type SchemaJudgement, type SchemaQuestion } from './foreign-schema.ts'

export function compute(question: SchemaQuestion): SchemaJudgement {
  return judgeNow(question)
}
