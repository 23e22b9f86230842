// Which test files a run takes.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** What is slow by nature: packing, compilers, browsers, kills, restarts, whole documents. */
export const isSlow = (file: string): boolean => file.endsWith('.slow.test.ts')

const places = [
  'checks/**/*.test.ts',
  '{examples,clients,service,audit,adapters,protocols,gateway,nodes,engine,catalogue,database,contract}/**/*.test.ts',
]
/** A title is looked for in a file's text, so words of code may match too. */
const title_form = /\btest\(\s*[`'"](.*)[`'"]/g

export function testFiles(root: string): string[] {
  return places
    .flatMap((pattern) => globSync(pattern, { cwd: root }).sort())
    .filter((file) => !file.includes('node_modules'))
}

/** Without words all of one kind; with words those that fit, of both kinds. Folders and files are words too. */
export function chooseFiles(root: string, words: readonly string[], slow: boolean): string[] {
  const all = testFiles(root)
  if (words.length === 0) return all.filter((file) => isSlow(file) === slow)
  const named = all.filter((file) => words.includes(file))
  if (named.length) return named
  const has = (text: string) => words.every((word) => text.toLowerCase().includes(word.toLowerCase()))
  const by_path = all.filter((file) => has(file) && isSlow(file) === slow)
  if (by_path.length) return by_path
  return all.filter((file) => {
    const text = readFileSync(join(root, file), 'utf8')
    return isSlow(file) === slow && [...text.matchAll(title_form)].some(([, title]) => has(title!))
  })
}
