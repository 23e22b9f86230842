import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Turns } from './turn.ts'

function openTurns(secure?: () => Promise<void>, append: () => void = () => {}) {
  const frames: string[] = []
  const turns = new Turns({
    append(frame) {
      append()
      frames.push(frame.toString('latin1'))
    },
    secure: () => secure?.(),
    seal: () => Buffer.alloc(0),
  })
  return { turns, frames }
}

/** As a call does: it waits a few microtasks after its record was added. */
async function answered(turns: Turns): Promise<void> {
  await Promise.resolve()
  await turns.written()
}

test('a flush between a record and its answer does not hide that the record could not be written', async () => {
  const { turns } = openTurns(undefined, () => {
    throw new Error('the disk is full')
  })
  turns.add('{}')
  const answering = answered(turns)
  turns.flush()
  await assert.rejects(answering, /the disk is full/)
  await turns.written()
})

test('a flush between a record and its answer does not send the answer before the disk has it', async () => {
  const sync = Promise.withResolvers<void>()
  const { turns, frames } = openTurns(() => sync.promise)
  turns.add('{}')
  let is_answered = false
  const answering = answered(turns).then(() => {
    is_answered = true
  })
  turns.flush()
  assert.equal(frames.length, 1, 'written at once')
  await new Promise(setImmediate)
  assert.equal(is_answered, false)
  sync.resolve()
  await answering
  assert.equal(frames.length, 1)
})
