// A plan keeps one name through all its versions; each version stays readable until it is redacted.
import type { OperationContext } from '@svc/contract/operation-context'
import { notFound, refuse } from '@svc/contract/refusal'
import { keepContent, readContent, replaceContent } from '../../cognition/content/api.ts'
import type { PlanGraph } from '../planning/api.ts'

const ref_start = 'maestro://graph/'

/** A plan is named after the call that created it. */
export function graphRef({ record_id }: Pick<OperationContext, 'record_id'>): string {
  return ref_start + record_id
}

export async function keepGraph(
  context: OperationContext<'embedder' | 'vault'>,
  graph_ref: string,
  graph: PlanGraph,
): Promise<string> {
  const { commitment } = await keepContent(context, { ref: graph_ref, kind: 'plan', body: graph })
  return commitment
}

export async function readGraph(
  context: Pick<OperationContext<'vault'>, 'db' | 'tenant_id' | 'vault'>,
  graph_ref: string,
  expected_version: number,
): Promise<PlanGraph> {
  const content = await readContent(context, graph_ref)
  if (!content) throw notFound('plan', graph_ref)
  if (content.body === undefined)
    throw refuse(
      'policy_denied',
      `${graph_ref} was redacted and cannot be replanned; refine the goal again.`,
      {
        reason: 'plan is redacted',
      },
    )
  if (content.version !== expected_version)
    throw refuse(
      'invalid_payload',
      `${graph_ref} is at version ${content.version}, not ${expected_version}; read that version, and send what happened after it.`,
      { reason: 'version_conflict', path: '/expected_version', version: content.version },
    )
  return content.body as PlanGraph
}

/** Refused if another caller was faster. */
export async function replaceGraph(
  context: OperationContext<'embedder' | 'vault'>,
  graph_ref: string,
  expected_version: number,
  graph: PlanGraph,
) {
  return await replaceContent(context, { ref: graph_ref, expected_version, body: graph })
}
