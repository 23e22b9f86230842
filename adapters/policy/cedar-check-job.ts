// Checks a long text in a worker: the evaluator is loaded once for each.
import type { CedarCheck } from '@svc/contract/authority/policy'
import { checkText } from './cedar-check.ts'
import { cedarModule } from './cedar-module.ts'

const module = cedarModule()

export function compute(body: string): CedarCheck {
  return checkText(module, body)
}
