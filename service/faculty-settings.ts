// Endpoints that think for the engine. Unset means the built-in ones, and no network.
import { ConfigError } from './config-error.ts'

export interface FacultySettings {
  readonly model: EndpointSettings | undefined
  readonly embeddings: EndpointSettings | undefined
}

export interface EndpointSettings {
  readonly url: string
  readonly name: string
  readonly key: string | undefined
}

type Read = (name: string) => string | undefined

export function readFacultySettings(read: Read): FacultySettings {
  return { model: endpoint(read, 'SVC_MODEL'), embeddings: endpoint(read, 'SVC_EMBEDDINGS') }
}

function endpoint(read: Read, prefix: 'SVC_MODEL' | 'SVC_EMBEDDINGS'): EndpointSettings | undefined {
  const text = read(`${prefix}_URL`)
  if (!text) return undefined
  const url = URL.parse(text)
  // Not repeated: it may hold a password.
  if (!url || !['http:', 'https:'].includes(url.protocol))
    throw new ConfigError(`${prefix}_URL must be an address such as https://models.example/v1.`)
  const name = read(`${prefix}_NAME`)
  if (!name) throw new ConfigError(`${prefix}_URL needs ${prefix}_NAME: the model to ask for there.`)
  return { url: text, name, key: read(`${prefix}_KEY`) }
}
