// Regular expressions whose steps grow faster than the text: a caller could occupy the engine with one request.
import { SyntaxKind } from 'typescript/unstable/ast'
import { findSteepText } from './pattern-steps.ts'
import { everyNode, type Finding, findingAt, type Source } from './source.ts'

/** And why nobody can exploit it. One that no longer is must be removed. */
const accepted: Readonly<Record<string, string>> = {
  '/\\[[^\\]]*\\]/g': 'the laws of the catalogue read only patterns of our own',
}

export function findSteepPatterns(sources: readonly Source[]): Finding[] {
  const findings: Finding[] = []
  const texts = new Map<string, string | undefined>()
  for (const source of sources) {
    if (source.is_test || source.area === 'checks') continue
    everyNode(source, (node) => {
      if (node.kind !== SyntaxKind.RegularExpressionLiteral) return
      const literal = node.getText(source.tree)
      if (!texts.has(literal)) texts.set(literal, findSteepText(patternOf(literal)))
      const text = texts.get(literal)
      if (text !== undefined && !(literal in accepted))
        findings.push(
          findingAt(source, node, `takes more than linear steps on ${JSON.stringify(text)}…; rewrite it`),
        )
      if (text === undefined && literal in accepted)
        findings.push(findingAt(source, node, 'is accepted without need; remove it from the list'))
    })
  }
  return findings
}

function patternOf(literal: string): RegExp {
  const end = literal.lastIndexOf('/')
  return new RegExp(literal.slice(1, end), literal.slice(end + 1))
}
