// <plugin>.json beside the folders: what the operator tells a plugin. Not the publisher's, so not signed; and read by that plugin alone.
import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'

const config_bytes_max = 64 * 1024

/** Empty where there is none; throws a sentence where there is one that cannot be used. */
export async function readPluginConfig(
  directory: string,
  name: string,
): Promise<Readonly<Record<string, unknown>>> {
  let text: string
  try {
    text = await readText(join(directory, `${name}.json`), `${name}.json`)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {}
    throw error
  }
  const value = parse(text)
  if (value === undefined) throw new Error(`${name}.json is not a JSON object; mend it or take it away.`)
  return value
}

async function readText(path: string, shown: string): Promise<string> {
  // A pipe in its place must not keep the loader waiting.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    if (!(await file.stat()).isFile()) throw new Error(`${shown} is no file; mend it or take it away.`)
    const bytes = Buffer.alloc(config_bytes_max + 1)
    const { bytesRead } = await file.read(bytes, 0, bytes.length, 0)
    if (bytesRead > config_bytes_max) throw new Error(`${shown} is larger than ${config_bytes_max} bytes.`)
    return bytes.toString('utf8', 0, bytesRead)
  } finally {
    await file.close()
  }
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
