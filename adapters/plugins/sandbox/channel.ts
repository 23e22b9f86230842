// The sandbox's end of the socket, read and written synchronously: while a plugin runs, nothing else in this process
// has to.
import { Buffer } from 'node:buffer'
import { readSync, writeSync } from 'node:fs'
import { channel_fd, length_bytes, type ToEngine, type ToSandbox } from './words.ts'

/** Undefined when the engine is gone. */
export function hear(): ToSandbox | undefined {
  const head = readWhole(length_bytes)
  const body = head && readWhole(head.readUInt32LE())
  return body && JSON.parse(body.toString('utf8'))
}

export function say(words: ToEngine): void {
  const body = Buffer.from(JSON.stringify(words))
  const frame = Buffer.allocUnsafe(length_bytes + body.length)
  frame.writeUInt32LE(body.length)
  body.copy(frame, length_bytes)
  for (let sent = 0; sent < frame.length; ) sent += writeSync(channel_fd, frame, sent)
}

function readWhole(length: number): Buffer | undefined {
  const bytes = Buffer.allocUnsafe(length)
  for (let got = 0; got < length; ) {
    const more = readSync(channel_fd, bytes, got, length - got, null)
    if (more === 0) return undefined
    got += more
  }
  return bytes
}
