// The files that contain the product's statements.
import { globSync } from 'node:fs'
import { join } from 'node:path'

const folders = 'database,engine,protocols,audit,adapters,nodes,gateway,service'

/** Product code only: tests may run any statement. */
export function productFiles(root: string): string[] {
  return globSync(`{${folders}}/**/*.ts`, { cwd: root, exclude: (name) => name.includes('node_modules') })
    .filter((path) => !/\.(test|fuzz)\.ts$/.test(path))
    .sort()
    .map((path) => join(root, path))
}
