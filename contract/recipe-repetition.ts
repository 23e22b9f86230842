// What loops, child runs and timers of a recipe say.
import { Type } from 'typebox'
import { Text } from './schema.ts'

/** Elements of one ForEach, and rounds of one Repeat. */
export const rounds_max = 1_000
/** As many calls as one run makes at the same time. */
export const concurrency_max = 16
const condition_chars_max = 2_000
const pause_ms_max = 86_400_000
/** A year: as long as a gate may wait. */
export const wait_ms_max = 31_536_000_000

export const each_fields = {
  items: Type.Unknown({
    description: `The list, at most ${rounds_max} elements: values as in a payload, such as {"$ref":"steps.read.data.orders"}.`,
  }),
  concurrency: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: concurrency_max,
      default: 1,
      description: 'Rounds that may be under way at the same time.',
    }),
  ),
}

export const repeat_fields = {
  until: Type.Optional(
    Text(condition_chars_max, {
      description: 'CEL over input, steps, item and index after each round; true ends the loop.',
    }),
  ),
  while: Type.Optional(
    Text(condition_chars_max, {
      description: 'Instead of until: CEL after each round; false ends the loop.',
    }),
  ),
  max: Type.Integer({
    minimum: 1,
    maximum: rounds_max,
    description: 'Rounds at most; if the loop has not ended by then, it fails with unsuccessful.',
  }),
  pause_ms: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: pause_ms_max,
      default: 0,
      description: 'Wait between two rounds, in milliseconds.',
    }),
  ),
}

export const run_fields = {
  manifest: Type.String({
    pattern: '^[a-z][a-z0-9_.-]{0,127}$',
    description: 'Name of the manifest to run.',
  }),
  version: Type.String({
    pattern: '^v?\\d{1,9}\\.\\d{1,9}\\.\\d{1,9}$',
    description: 'Version of the manifest to run.',
  }),
  input: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      description: 'Input of the run; values as in a payload.',
    }),
  ),
}

export const wait_fields = {
  for_ms: Type.Optional(
    Type.Integer({ minimum: 1, maximum: wait_ms_max, description: 'How long, in milliseconds.' }),
  ),
  until: Type.Optional(
    Type.Unknown({
      description:
        'Instead of for_ms: the time it waits for, RFC 3339, as a text, {"$ref":…} or {"$cel":…}. After a time that is past it goes on at once.',
    }),
  ),
}
