// Statements that cannot be checked are marked by a comment above them: `unchecked sql: <why>`.
import ts from 'typescript-compiler-api'

const form = /^\s*(?:\/\/|\*|\/\*\*?).*\bunchecked sql: \S/

interface Mark {
  readonly file: ts.SourceFile
  readonly line: number
}

export class Marks {
  readonly #marks = new Map<string, Mark>()
  readonly #used = new Set<string>()

  constructor(files: readonly ts.SourceFile[]) {
    for (const file of files)
      for (const [index, text] of file.text.split('\n').entries())
        if (form.test(text)) this.#marks.set(keyOf(file, index + 1), { file, line: index + 1 })
  }

  get used(): number {
    return this.#used.size
  }

  /** The line above it, or above its enclosing statement. */
  cover(node: ts.Node): boolean {
    const file = node.getSourceFile()
    for (const from of [node, codeAround(node)]) {
      const above = keyOf(file, file.getLineAndCharacterOfPosition(from.getStart()).line)
      if (!this.#marks.has(above)) continue
      this.#used.add(above)
      return true
    }
    return false
  }

  unused(): Mark[] {
    return [...this.#marks].flatMap(([key, mark]) => (this.#used.has(key) ? [] : [mark]))
  }
}

function codeAround(node: ts.Node): ts.Node {
  let around = node
  while (!ts.isStatement(around) && !ts.isClassElement(around) && !ts.isSourceFile(around))
    around = around.parent
  return around
}

function keyOf(file: ts.SourceFile, line: number): string {
  return `${file.fileName}:${line}`
}
