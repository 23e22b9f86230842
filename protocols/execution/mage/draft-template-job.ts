// Fills a template on a worker thread if it takes long.
import { type Verdict, verdictOf } from '@svc/contract/needs/computation-verdict'
import { type Rendered, renderTemplate } from './draft-template.ts'

export interface Filling {
  readonly template: string
  readonly data: unknown
  readonly media_type: string
}

export function compute({ template, data, media_type }: Filling): Verdict<Rendered> {
  return verdictOf(() => renderTemplate(template, data, media_type))
}
