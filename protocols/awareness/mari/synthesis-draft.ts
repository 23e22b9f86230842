// Stores a synthesis as a draft that can be revised and published, with its sources.
import { covers } from '@svc/contract/authority/capability'
import type { OperationContext } from '@svc/contract/operation-context'
import { refuse } from '@svc/contract/refusal'
import { inputs_max, type SavedDraft, saveDraft, title_length_max } from '../../execution/mage/api.ts'

const capability = 'svc.mage.draft'

/** Checked before any work: research must not be a way around the right to draft. */
export async function requireDrafting(context: OperationContext<'authority' | 'served'>): Promise<void> {
  if (!context.served.find('MAGE', 'draft'))
    throw refuse(
      'policy_denied',
      'MAGE is not served here, so there is nowhere to put a draft; leave publish_draft out.',
      { reason: 'MAGE is not served here' },
    )
  const { held } = await context.authority.ofCaller()
  if (held.some(({ name }) => covers(name, capability))) return
  throw refuse('missing_capability', `publish_draft needs the capability ${capability}; ask for it.`, {
    requested_capability: capability,
    reason: 'capability not held',
  })
}

export interface Answered {
  readonly answer: string
  readonly questions: readonly string[]
  /** The synthesis and all it cites, so that a redaction of any of them finds the draft. */
  readonly sources: readonly string[]
  readonly method: 'extractive' | 'model'
}

export async function draftAnswer(
  context: OperationContext<'embedder' | 'model' | 'vault'>,
  { answer, questions, sources, method }: Answered,
): Promise<SavedDraft> {
  const title = (questions[0] ?? 'A synthesis of findings').slice(0, title_length_max).toWellFormed()
  const inputs = [...new Set(sources)].slice(0, inputs_max)
  const made_by = method === 'model' ? 'model' : 'outline'
  const terms = { kind: 'report', title, inputs } as const
  const model = method === 'model' ? context.model?.name : undefined
  return await saveDraft(context, terms, { bytes: Buffer.from(answer), made_by, model })
}
