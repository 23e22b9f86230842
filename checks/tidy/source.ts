// The repository as the rules see it: every TypeScript file with its syntax tree, and the form of a finding.
import { existsSync, globSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import type { Node, SourceFile } from 'typescript/unstable/ast'
import { API } from 'typescript/unstable/sync'

export interface Source {
  /** From the root, with forward slashes: `engine/stages/4-gate-capability.ts`. */
  readonly path: string
  /** Its top-level folder, or nothing for a file at the root. */
  readonly area: string
  readonly is_test: boolean
  readonly tree: SourceFile
}

export interface Finding {
  readonly path: string
  readonly line: number
  /** What is wrong and what to do about it. */
  readonly advice: string
}

const not_ours = ['node_modules', 'generated', 'dist', '.svc', '.git']

/** Reads every .ts and .tsx file that a tsconfig.json covers, and lists those that none covers. */
export function readSources(root: string): { sources: Source[]; uncovered: string[] } {
  const configs = findFiles(root, '**/tsconfig.json').map((path) => join(root, path))
  const api = new API({ cwd: root })
  try {
    const programs = api
      .updateSnapshot({ openProjects: configs })
      .getProjects()
      .map((project) => project.program)
    const sources: Source[] = []
    const uncovered: string[] = []
    for (const path of findFiles(root, '**/*.{ts,tsx}')) {
      const tree = programs
        .map((program) => program.getSourceFile(join(root, path)))
        .find((file) => file !== undefined)
      // It may have been removed since the list was made.
      if (tree) sources.push({ path, area: areaOf(path), is_test: path.endsWith('.test.ts'), tree })
      else if (existsSync(join(root, path))) uncovered.push(path)
    }
    return { sources, uncovered }
  } finally {
    api.close()
  }
}

export function findFiles(root: string, pattern: string): string[] {
  const exclude = (path: string) => not_ours.some((name) => path.split(sep).includes(name))
  return globSync(pattern, { cwd: root, exclude })
    .map((path) => relative('.', path).split(sep).join('/'))
    .filter((path) => !exclude(path))
    .sort()
}

export function areaOf(path: string): string {
  return path.includes('/') ? path.slice(0, path.indexOf('/')) : ''
}

export function findingAt(source: Source, node: Node, advice: string): Finding {
  return { path: source.path, line: lineOf(source, node.getStart(source.tree)), advice }
}

export function lineOf(source: Source, position: number): number {
  return source.tree.getLineAndCharacterOfPosition(position).line + 1
}

/** Every node of a file, outer before inner. */
export function everyNode(source: Source, visit: (node: Node) => void): void {
  const walk = (node: Node): void => {
    visit(node)
    node.forEachChild(walk)
  }
  walk(source.tree)
}
