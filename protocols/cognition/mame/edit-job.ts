// Applies an edit to content; large ones in a worker thread. A pure function.
import { type Verdict, verdictOf } from '@svc/contract/needs/computation-verdict'
import { refuse } from '@svc/contract/refusal'
import { textOf } from '../cells/api.ts'
import type { Triple } from '../content/api.ts'
import { requireFit } from './content-words.ts'
import { retellAll } from './edited-facts.ts'
import { applyPatch, type Difference, differencesOf, type PatchStep } from './json-patch.ts'

const edited_bytes_max = 256 * 1024
const depth_max = 32

export interface Edit {
  readonly before: unknown
  readonly kind: string
  readonly patch: readonly PatchStep[] | Readonly<Record<string, unknown>>
  /** The facts stated before; undefined if the caller supplies the new ones. */
  readonly triples: readonly Triple[] | undefined
}

export interface Edited {
  readonly body: unknown
  readonly text: string
  readonly diff: readonly Pick<Difference, 'op' | 'path'>[]
  /** Undefined if the stated facts did not change. */
  readonly triples: readonly Triple[] | undefined
}

export function compute({ before, kind, patch, triples }: Edit): Verdict<Edited> {
  return verdictOf(() => {
    const body = isSteps(patch) ? applyPatch(before, patch, edited_bytes_max) : patch
    requirePayload(body, kind)
    const retold = triples && retellAll(triples, before, body)
    return {
      body,
      text: textOf(body),
      diff: differencesOf(before, body).map(({ op, path }) => ({ op, path })),
      triples: retold === triples ? undefined : retold,
    }
  })
}

function isSteps(patch: Edit['patch']): patch is readonly PatchStep[] {
  return Array.isArray(patch)
}

function requirePayload(body: unknown, kind: string): void {
  const fault =
    typeof body !== 'object' || body === null || Array.isArray(body)
      ? 'must leave an object'
      : kind === 'procedural' && !isProcedure(body)
        ? 'must leave steps or recipe_id, which a procedure needs'
        : undefined
  if (fault !== undefined)
    throw refuse('invalid_payload', `The patch ${fault}; correct it.`, {
      reason: 'patch_failed',
      faults: [{ pointer: '/patch', message: fault }],
    })
  requireFit(body, edited_bytes_max, depth_max, '/patch')
}

function isProcedure({ steps, recipe_id }: { steps?: unknown; recipe_id?: unknown }): boolean {
  return (Array.isArray(steps) && steps.length > 0) || (typeof recipe_id === 'string' && recipe_id !== '')
}
