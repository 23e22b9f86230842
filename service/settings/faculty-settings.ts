// Endpoints of language and embedding models, and what tools may reach. Unset means the built-in models and no network.
import { ConfigError } from './config-error.ts'
import { readMqttSettings } from './device-settings.ts'
import type { Reader } from './reader.ts'
import { readToolSettings } from './tool-settings.ts'

export type FacultySettings = Readonly<ReturnType<typeof readFacultySettings>>

export function readFacultySettings(read: Reader) {
  return {
    model: endpoint(read, 'SVC_MODEL_URL', 'SVC_MODEL_NAME', 'SVC_MODEL_KEY'),
    embeddings: endpoint(read, 'SVC_EMBEDDINGS_URL', 'SVC_EMBEDDINGS_NAME', 'SVC_EMBEDDINGS_KEY'),
    message_bytes_max: read('MIM_MAX_MESSAGE_SIZE_BYTES'),
    mqtt: readMqttSettings(read),
    ...readToolSettings(read),
  }
}

function endpoint(
  read: Reader,
  url_name: 'SVC_MODEL_URL' | 'SVC_EMBEDDINGS_URL',
  model_name: 'SVC_MODEL_NAME' | 'SVC_EMBEDDINGS_NAME',
  key_name: 'SVC_MODEL_KEY' | 'SVC_EMBEDDINGS_KEY',
) {
  const [url, name] = [read(url_name), read(model_name)]
  if (url === undefined) return undefined
  if (name === undefined)
    throw new ConfigError(`${url_name} needs ${model_name}: the model to ask for there.`)
  return { url, name, key: read(key_name) }
}
