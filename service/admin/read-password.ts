// Reads a password without echo or as one line of standard input; never as an argument, which other users could see.
import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { ConfigError } from '../settings/config-error.ts'
import type { Terminal } from './terminal.ts'

const piped_bytes_max = 4_096

export async function readPassword({ input }: Terminal): Promise<string> {
  if (!input.isTTY) return readPiped(input)
  const password = await askUnseen('Password: ')
  if ((await askUnseen('Repeat the password: ')) !== password)
    throw new ConfigError('The two passwords differ; nothing was changed.')
  return password
}

async function readPiped(input: AsyncIterable<Buffer | string>): Promise<string> {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of input) {
    const chunk = Buffer.from(part)
    bytes += chunk.length
    if (bytes > piped_bytes_max)
      throw new ConfigError(`The password on standard input is longer than ${piped_bytes_max} bytes.`)
    parts.push(chunk)
  }
  const text = Buffer.concat(parts)
    .toString('utf8')
    .replace(/\r?\n$/, '')
  if (text === '') throw new ConfigError('There is no password on standard input; pipe one line to it.')
  if (/[\r\n]/.test(text)) throw new ConfigError('The password on standard input has more than one line.')
  return text
}

function askUnseen(question: string): Promise<string> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  const terminal = createInterface({ input: process.stdin, output: nowhere, terminal: true })
  process.stderr.write(question)
  return new Promise((resolve, reject) => {
    const end = (settle: () => void) => {
      process.stderr.write('\n')
      settle()
      terminal.close()
    }
    terminal.once('SIGINT', () => end(() => reject(new ConfigError('Cancelled; nothing was changed.'))))
    terminal.once('close', () => reject(new ConfigError('Cancelled; nothing was changed.')))
    terminal.question('', (answer) => end(() => resolve(answer)))
  })
}
