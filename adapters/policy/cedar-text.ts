// Limits on a rule's text before the evaluator sees it: the evaluator recurses, and crashes on deep nesting.
import type { CedarFault } from '@svc/contract/authority/policy'

/** Measured: it fails from 128 brackets, or 512 operators in a chain. */
const depth_max = 32
const links_max = 128

const tokens = /"(?:\\.|[^"\\])*"?|\/\/[^\n]*|[([{]|[)\]}]|;|&&|\|\||[-+*.]|\b(?:if|when|unless)\b/gs

/** Undefined if it may be evaluated. */
export function tooComplex(body: string): CedarFault | undefined {
  let [depth, links] = [0, 0]
  for (const { 0: token, index } of body.matchAll(tokens)) {
    if (token.startsWith('"') || token.startsWith('//')) continue
    if (token === ';') links = 0
    else if ('([{'.includes(token)) depth++
    else if (')]}'.includes(token)) depth--
    else links++
    // A bracket after a name is a step of a chain as well: `a["b"]["c"]`.
    if (token === '[') links++
    const at = { from: index, to: index + token.length }
    if (depth > depth_max)
      return { message: `brackets may be nested at most ${depth_max} deep; split the rule`, ...at }
    if (links > links_max)
      return { message: `one policy may link at most ${links_max} operators; split the rule`, ...at }
  }
  return undefined
}

/** The evaluator counts bytes of UTF-8; editors count UTF-16 code units. */
export function unitsOf(body: string): (byte: number) => number {
  const bytes = Buffer.from(body, 'utf8')
  return (byte) => bytes.subarray(0, byte).toString('utf8').length
}
