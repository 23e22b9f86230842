// <plugin>.json beside the folders: the operator's configuration of a plugin. It is not the publisher's, so it is not
// signed; only that plugin reads it.
import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'

const config_bytes_max = 64 * 1024

/** Empty if there is none; throws a sentence if it cannot be used. */
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
  if (value === undefined) throw new Error(`${name}.json is not a JSON object; fix or remove it.`)
  return value
}

async function readText(path: string, shown: string): Promise<string> {
  // A pipe in its place must not block the loader.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    if (!(await file.stat()).isFile()) throw new Error(`${shown} is not a regular file; fix or remove it.`)
    const bytes = Buffer.alloc(config_bytes_max + 1)
    const { bytesRead } = await file.read(bytes, 0, bytes.length, 0)
    if (bytesRead > config_bytes_max) throw new Error(`${shown} is larger than ${config_bytes_max} bytes.`)
    return bytes.toString('utf8', 0, bytesRead)
  } finally {
    await file.close()
  }
}

/** Its content is never quoted: it may be a secret. */
function parse(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined
  } catch {
    return undefined
  }
}
