// Compares an output with the one a page shows, where … stands for text that differs from run to run.

const hole = '…'

/** What differs, with both texts; undefined if the output is as shown. */
export function outputFault(expected: string, output: string): string | undefined {
  const shown = linesOf(expected)
  const printed = linesOf(output)
  const text = printed.map((line) => `${line}\n`).join('')
  if (patternOf(shown, '$').test(text)) return undefined
  const first = shown.findIndex((_, i) => !patternOf(shown.slice(0, i + 1), '').test(text))
  const fault =
    first === -1 ? 'The output goes on after the last line of the page.' : `No match for: ${shown[first]}`
  return [fault, '--- the page shows', ...shown, '--- it printed', ...printed, '---'].join('\n')
}

function linesOf(text: string): string[] {
  const lines = text.split('\n').map((line) => line.trimEnd())
  while (lines.at(-1) === '') lines.pop()
  return lines
}

/** A line that is only a hole stands for one or more lines, any other hole for one or more characters. */
function patternOf(lines: readonly string[], end: string): RegExp {
  const patterns = lines.map((line) =>
    line.trim() === hole ? '(?:[^\\n]*\\n)+?' : `${line.split(hole).map(RegExp.escape).join('[^\\n]+?')}\\n`,
  )
  return new RegExp(`^${patterns.join('')}${end}`)
}
