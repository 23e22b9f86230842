// Judges in a worker thread: many parties and alternatives are many facts for the kernel.
import type { ComputationHost } from '@svc/contract/needs/computation'
import { type EthicsFinding, type EthicsQuestion, judge } from './ethics.ts'

export function compute(question: EthicsQuestion, host: ComputationHost): EthicsFinding {
  return judge(question, () => host.elapsed_ms())
}
