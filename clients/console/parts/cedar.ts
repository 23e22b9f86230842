// The faults of Cedar that need no schema, for the editor. The engine checks the rest.

const closers: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' }

/** The first fault as a sentence with its line; undefined: none, or nothing is written yet. */
export function cedarFault(text: string): string | undefined {
  const open: { readonly sign: string; readonly line: number }[] = []
  let [line, last] = [1, ';']
  const pieces = text.matchAll(/\/\/.*|"(?:\\[^\n]|[^"\\\n])*("?)|\n|[()[\]{}]|[^\s()[\]{}"/]+|\//g)
  for (const [piece, string_end] of pieces) {
    if (piece === '\n') line++
    else if (piece.startsWith('"') && string_end !== '"')
      return `Line ${line}: this text has no closing quote.`
    else if (closers[piece]) open.push({ sign: piece, line })
    else if (Object.values(closers).includes(piece)) {
      const opened = open.pop()
      if (!opened) return `Line ${line}: ${piece} closes nothing.`
      if (closers[opened.sign] !== piece)
        return `Line ${line}: ${piece} does not close the ${opened.sign} of line ${opened.line}.`
    }
    if (piece.trim() !== '' && !piece.startsWith('//')) last = piece
  }
  const [unclosed] = open
  if (unclosed) return `Line ${unclosed.line}: ${unclosed.sign} is not closed.`
  return last.endsWith(';') ? undefined : `Line ${line}: a policy ends with a semicolon.`
}
