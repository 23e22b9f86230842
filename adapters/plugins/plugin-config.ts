// <plugin>.json beside the folders: what the operator tells a plugin. Not the publisher's, so not signed; and read by that plugin alone.
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'

const config_bytes_max = 64 * 1024

/** Empty where there is none; throws a sentence where there is one that cannot be used. */
export async function readPluginConfig(
  directory: string,
  name: string,
): Promise<Readonly<Record<string, unknown>>> {
  const path = join(directory, `${name}.json`)
  let text: string
  try {
    if ((await stat(path)).size > config_bytes_max)
      throw new Error(`${name}.json is larger than ${config_bytes_max} bytes.`)
    text = await readFile(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {}
    throw error
  }
  const value = parse(text)
  if (value === undefined) throw new Error(`${name}.json is not a JSON object; mend it or take it away.`)
  return value
}

/** What it holds is never said back: it may be a secret. */
function parse(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined
  } catch {
    return undefined
  }
}
