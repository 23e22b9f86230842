// A sentence of a refusal is for people, and a DID has 64 hexadecimal characters: it is named in the details instead.
import { isCallExpression } from 'typescript/unstable/ast'
import { isNamed } from './calls.ts'
import { everyNode, type Finding, findingAt, type Source } from './source.ts'

/** Those whose sentences have been gone through. */
const planes = ['protocols/awareness/', 'protocols/economic/', 'protocols/execution/']

export function findNamedDids(sources: readonly Source[]): Finding[] {
  const findings: Finding[] = []
  for (const source of sources) {
    if (source.is_test || !planes.some((plane) => source.path.startsWith(plane))) continue
    everyNode(source, (node) => {
      if (!isCallExpression(node) || !isNamed(node.expression, 'refuse')) return
      const sentence = node.arguments[1]
      const text = sentence ? source.tree.text.slice(sentence.pos, sentence.end) : ''
      const inserted = [...text.matchAll(/\$\{([^{}]*)\}/g)].map(([, expression]) => expression!)
      const advice = 'shows a DID in a sentence; say who it is in words, and put the DID into the details'
      if (inserted.some((expression) => /(?:^|[._])did$/.test(expression)))
        findings.push(findingAt(source, node, advice))
    })
  }
  return findings
}
