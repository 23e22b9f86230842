// A trace in sentences. Each cites its records; what cannot be cited is omitted.
import type { RootCause } from './but-for.ts'
import type { TraceEdge, TraceNode } from './trace-node.ts'
import { byEffect } from './trace-order.ts'
import type { BadRecord } from './trace-verification.ts'

const sentences_max = 64
const causes_told_max = 8

export interface Sentence {
  readonly sentence: string
  /** Hashes of records. */
  readonly citations: readonly string[]
}

export interface Story {
  readonly nodes: readonly TraceNode[]
  readonly edges: readonly TraceEdge[]
  readonly target: string
  readonly root_causes: readonly RootCause[]
  readonly critical_path: readonly string[]
  readonly direction: 'causes' | 'effects' | 'both'
  readonly first_bad?: BadRecord | undefined
}

const words: Readonly<Record<TraceEdge['relation'], string>> = {
  used: 'used',
  wasGeneratedBy: 'was made by',
  wasInformedBy: 'followed from',
  wasDerivedFrom: 'was derived from',
  actedOnBehalfOf: 'was done for',
  refusedBy: 'was refused by',
  mayBeRefusedBy: 'may have been refused also by',
}

export function narrate(story: Story): Sentence[] {
  const nodes = new Map(story.nodes.map((node) => [node.id, node]))
  const hashesOf = citing(nodes, story.edges)
  const target = nodes.get(story.target)
  if (!target) return []
  const sentences: Sentence[] = [{ sentence: opening(target), citations: hashesOf(target.id) }]
  sentences.push(...stepsOf(story, nodes, hashesOf))
  for (const { node, necessity, basis, responsibility, reason } of story.root_causes.slice(
    0,
    causes_told_max,
  )) {
    const share = necessity
      ? 'was necessary'
      : `has a responsibility of ${Math.round(responsibility * 100) / 100}`
    const how = basis === 'replayed' ? 'shown by replay' : 'assumed'
    const citations = [...new Set([...hashesOf(node), ...hashesOf(target.id)])]
    sentences.push({ sentence: `${nameOf(nodes.get(node)!)} ${share} (${how}). ${reason}`, citations })
  }
  const { first_bad } = story
  if (first_bad?.record_hash) {
    const sentence = `Record #${first_bad.seq} of ${first_bad.tenant_id} is not what was written: what rests on it is not proved.`
    sentences.unshift({ sentence, citations: [first_bad.record_hash] })
  }
  return sentences.filter(({ citations }) => citations.length > 0).slice(0, sentences_max)
}

/** A record cites itself, a thing the records that made or used it. */
function citing(nodes: ReadonlyMap<string, TraceNode>, edges: readonly TraceEdge[]) {
  const causes = byEffect(edges)
  const effects = byEffect(edges.map(({ from, to }) => ({ from: to, to: from })))
  return (id: string): string[] => {
    const own = nodes.get(id)?.record_hash
    if (own !== undefined) return [own]
    const made = (causes.get(id) ?? []).filter(({ relation }) => relation === 'wasGeneratedBy')
    const near = made.length > 0 ? made : (effects.get(id) ?? [])
    return near.flatMap(({ to }) => nodes.get(to)?.record_hash ?? []).slice(0, 3)
  }
}

function opening(node: TraceNode): string {
  const { outcome, at, reason, protocol, operation } = node
  if (node.type !== 'Activity') return `${nameOf(node)} is asked about.`
  const call_name = protocol === undefined ? node.event_type : `${protocol}.${operation}`
  if (outcome === 'refused') return `${call_name} was refused at ${at}: ${reason ?? 'no reason is recorded'}.`
  if (outcome === 'error') return `${call_name} failed at ${at}: ${reason ?? 'no reason is recorded'}.`
  return `${call_name} succeeded at ${at}.`
}

function stepsOf(
  { critical_path, edges, direction }: Story,
  nodes: ReadonlyMap<string, TraceNode>,
  hashesOf: (id: string) => string[],
): Sentence[] {
  const causes = byEffect(edges)
  return critical_path.slice(1).flatMap((id, place) => {
    const before = critical_path[place]!
    const [effect, cause] = direction === 'effects' ? [id, before] : [before, id]
    const edge = causes.get(effect)?.find(({ to }) => to === cause)
    if (!edge) return []
    const sentence = `${nameOf(nodes.get(effect)!)} ${words[edge.relation]} ${nameOf(nodes.get(cause)!)}.`
    return [{ sentence, citations: [...new Set([...hashesOf(effect), ...hashesOf(cause)])] }]
  })
}

function nameOf({ type, label, id, opaque, record_hash }: TraceNode): string {
  if (opaque) return `record ${record_hash!.slice(0, 12)} of another organization`
  return type === 'Activity' ? label : id
}
