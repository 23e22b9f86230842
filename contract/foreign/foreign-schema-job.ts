// In a thread: whether a value fits a schema that a stranger wrote.
import { judgeNow, type SchemaJudgement, type SchemaQuestion } from './foreign-schema.ts'

export function compute(question: SchemaQuestion): SchemaJudgement {
  return judgeNow(question)
}
